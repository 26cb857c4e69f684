import { z } from 'zod';
import { isDate } from '../base/index.ts';
import type { LocaleTag } from '../base/index.ts';
import { periodShape } from './period-shape.ts';
import { comparisonNames } from './period.ts';
import type { QueryFacts } from './sql/facts.ts';

const label = z.string().min(1).max(60);
const column = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a column: letters, digits and _');
const sqlFile = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*\.sql$/, 'must be the name of an .sql file in the folder of the report');

/** The headline of a report that names no other; no file of a report can have this name. */
export const spendQuery = {
  file: 'the built-in spend query',
  sql: `SELECT
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
FROM cube
WHERE kind IN ('consumption', 'refund')`,
} as const;

/** How the values of a column are written. */
export const formats = [
  'money',
  'rate',
  'integer',
  'number',
  'exact',
  'tokens',
  'percent',
  'date',
  'moment',
  'duration',
  'text',
] as const;

export type Format = (typeof formats)[number];

const format = z.enum(formats);
const when = z.enum(['one-day', 'several-days']).optional();
const quotient = z.strictObject({
  of: column,
  by: column,
  times: z.int().positive().max(1_000_000_000).default(1),
});

/** Fields that a template may name in braces. */
export const templateFields = [
  'title',
  'account',
  'team',
  'period',
  'total',
  'before',
  'change',
  'cause',
  'verdict',
  'state',
] as const;

export type TemplateField = (typeof templateFields)[number];

const template = z
  .string()
  .min(1)
  .max(300)
  .superRefine((text, context) => {
    for (const [written, field] of text.matchAll(/\{([^{}]*)\}/g))
      if (!templateFields.some((known) => known === field))
        context.addIssue({
          code: 'custom',
          message: `unknown field ${written}; known are ${templateFields.map((known) => `{${known}}`).join(', ')}`,
        });
  });

export type SentenceField = {
  readonly written: string;
  readonly column: string;
  /** What the column is divided by. */
  readonly by?: string;
  readonly format: string;
};

/** `{column}`, `{column:format}` and `{column/column:format}`: what a sentence says of the row that it is made of. */
export const fieldsOfSentence = (sentence: string): readonly SentenceField[] =>
  [...sentence.matchAll(/\{([^{}]*)\}/g)].map(([written, inner = '']) => {
    const [names = '', as = 'text'] = inner.split(':');
    const [name = '', ...by] = names.split('/').map((part) => part.trim());
    return { written, column: name, ...(by.length === 0 ? {} : { by: by.join('/') }), format: as.trim() };
  });

const sentence = z
  .string()
  .min(1)
  .max(2000)
  .superRefine((given, context) => {
    for (const { written, column: name, by = name, format: as } of fieldsOfSentence(given)) {
      if (![name, by].every((part) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(part)))
        context.addIssue({
          code: 'custom',
          message: `${written} names no column: write {column} or {column:format}`,
        });
      else if (!formats.some((known) => known === as))
        context.addIssue({
          code: 'custom',
          message: `unknown format in ${written}; known are ${formats.join(', ')}`,
        });
    }
  });

const one = (names: readonly string[], given: Readonly<Record<string, unknown>>): string | undefined => {
  const count = names.filter((name) => given[name] !== undefined).length;
  return count === 1 ? undefined : `needs exactly one of ${names.join(', ')}; it has ${count}`;
};

const figure = z
  .strictObject({
    label,
    /** A column of the one row; with `change`, `<name>_before` is what it is compared with. */
    name: column.optional(),
    quotient: quotient.optional(),
    format,
    change: z.boolean().default(false),
    /** Which way is good news; without it a change is neither. */
    good: z.enum(['up', 'down']).optional(),
    /** Said below it: the first of them of which all that it names is known. */
    notes: z
      .array(
        z.strictObject({
          text: sentence,
          /** A column: above zero, what is said is bad news. */
          bad: column.optional(),
        }),
      )
      .max(4)
      .default([]),
    /** Left out where its value is unknown. */
    optional: z.boolean().default(false),
  })
  .superRefine((given, context) => {
    const message = one(['name', 'quotient'], given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const tableColumn = z
  .strictObject({
    label: z.string().max(60).default(''),
    /** A column of the SQL. */
    name: column.optional(),
    /** The part of the whole column that the row has; the shares shown add up to 100%. */
    share_of: column.optional(),
    /** The change of this column against `<column>_before`. */
    change_of: column.optional(),
    /** A bar as long as the value, hidden on phones. */
    bar_of: column.optional(),
    quotient: quotient.optional(),
    format: format.optional(),
    /** Shown where a text is empty, or a figure unknown. */
    empty: label.optional(),
    /** What a reader sees for values of a text, such as `{ equal: agrees }`; others are shown as they are. */
    names: z.record(z.string().min(1).max(60), label).optional(),
    /** The colour that the chart gives this name. */
    swatch: z.boolean().default(false),
    good: z.enum(['up', 'down']).optional(),
    /** A column of the data files that the report itself does not show. */
    only_in_files: z.boolean().default(false),
    /** Left out where no row knows its value. */
    optional: z.boolean().default(false),
  })
  .superRefine((given, context) => {
    const message = one(['name', 'share_of', 'change_of', 'bar_of', 'quotient'], given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
    if ((given.name ?? given.quotient) !== undefined && given.format === undefined)
      context.addIssue({ code: 'custom', message: 'needs a format' });
  });

const figures = z.strictObject({
  kind: z.literal('figures'),
  title: label.optional(),
  when,
  /** Gives one row. */
  sql: sqlFile,
  figures: z.array(figure).min(1).max(8),
});

const table = z.strictObject({
  kind: z.literal('table'),
  title: label,
  when,
  /** Gives rows in the order they are shown. */
  sql: sqlFile,
  columns: z
    .array(tableColumn)
    .min(1)
    .max(16)
    .refine(
      (columns) => columns.filter((one) => !one.only_in_files).length <= 8,
      'shows more than 8 columns: set only_in_files on those that data files alone need',
    ),
  /** How many rows are shown before the rest is summed up in one; exact all the same. */
  limit: z.int().positive().max(100).default(12),
  /** The name of that row: `{count}` is how many rows it holds. */
  other: label.optional(),
  /** Rows of which the column `when` is true come below all others under this label, and never belong to `other`. */
  apart: z.strictObject({ when: column, label }).optional(),
  /** A last row with the exact sums. */
  total: z.boolean().default(true),
  /** The column that holds the day of a row, so that days without data show as missing. */
  day: column.optional(),
  /** Left out where the SQL gives no row. */
  optional: z.boolean().default(false),
});

const chart = z
  .strictObject({
    kind: z.literal('chart'),
    title: label,
    when,
    /** Gives a row for each bar (or point) and series: where it stands, the series, its value. */
    sql: sqlFile,
    /** `bar` and `line` may have one value a day without any series; a line breaks where data is missing. */
    chart: z.enum(['bar', 'stacked-bar', 'line']),
    /** `day`: the column holds dates; `hour`: the Unix seconds at which the hour begins; `name`: texts, in the order given. */
    over: z.enum(['day', 'hour', 'name']).default('day'),
    /** Whose days it shows. */
    period: z.enum(['current', 'comparison', 'month', 'history']).default('current'),
    x: column,
    series: column.optional(),
    value: column,
    format: z.enum(['money', 'integer', 'tokens', 'number', 'percent']).default('money'),
    empty: label.optional(),
    limit: z.int().positive().max(8).default(8),
    /** Left out where the SQL gives no row. */
    optional: z.boolean().default(false),
  })
  .superRefine(({ chart: kind, series, over }, context) => {
    if (kind === 'stacked-bar' && series === undefined)
      context.addIssue({ code: 'custom', message: 'a stacked-bar needs a series' });
    if (kind === 'bar' && series !== undefined)
      context.addIssue({ code: 'custom', message: 'a bar has no series: that is a stacked-bar' });
    if (kind === 'line' && over === 'name')
      context.addIssue({ code: 'custom', message: 'a line goes over days or hours, not over names' });
  });

const text = z.strictObject({
  kind: z.literal('text'),
  title: label.optional(),
  when,
  /** Gives one row, or none: then the text is left out. */
  sql: sqlFile.optional(),
  /** May name columns of that row as {column:format}; a paragraph that names an unknown value is left out. */
  text: sentence,
});

/** Sentences about what rows of the SQL say is worth a look: new, idle and expiring keys, days that stand out. */
const worthALook = z.strictObject({
  kind: z.literal('worth-a-look'),
  title: label.optional(),
  when,
  /** Gives a row for each, the most important first; the column `what` picks the sentence. */
  sql: sqlFile,
  items: z
    .array(
      z.strictObject({
        /** The value of the column `what`. */
        what: z.string().min(1).max(60),
        text: sentence,
        warning: z.boolean().default(false),
      }),
    )
    .min(1)
    .max(24),
  limit: z.int().positive().max(30).default(8),
  /** Says that there are more: `{count}` is how many. */
  other: label.optional(),
});

/** What the engine found worth a look: missing days, a spike, warnings of the run. */
const notes = z.strictObject({ kind: z.literal('notes'), title: label.optional(), when });

const patterns = z.array(z.string().min(1).max(200)).min(1);

/** Names in which `*` stands for anything; all that is given must fit. */
export const reportFilters = z.strictObject({
  models: patterns.optional(),
  keys: patterns.optional(),
  teams: patterns.optional(),
});

const date = z.string().refine(isDate, 'must be a date written YYYY-MM-DD');

export const reportShape = z.strictObject({
  title: label,
  description: z.string().max(500).optional(),
  /** Periods that the SQL sees beside `current` and `comparison`. */
  periods: z.array(z.enum(['month', 'history'])).default([]),
  /** `snapshots`: what it says does not hang on the calls of the period, and is shown without any. */
  rests_on: z.enum(['calls', 'snapshots']).default('calls'),
  /** `month`: it is signed where its period is one whole month that is over and known to its end, and a draft elsewhere. */
  closes: z.literal('month').optional(),
  /** What a run takes that says nothing else. */
  parameters: z
    .strictObject({
      period: periodShape(date).optional(),
      comparison: z.enum(comparisonNames).optional(),
      filters: reportFilters.optional(),
    })
    .prefault({}),
  subject: template.default('{title} · {period} · {total} · {change} · {state} · {verdict}'),
  preheader: template.default('{total} · {change} · {cause} · {verdict}'),
  /** Without `sql`, the spend of the period against that of the comparison. */
  headline: z
    .strictObject({
      label: label.optional(),
      sql: sqlFile.default(spendQuery.file),
      /** A column of the one row; `<name>_before`, where the SQL gives it, is what it is compared with. */
      name: column.default('spend'),
      format: z.enum(['money', 'integer', 'number', 'tokens', 'percent']).default('money'),
      good: z.enum(['up', 'down']).optional(),
      /** Where to look for what moved the total most. */
      cause: z
        .strictObject({ sql: sqlFile, name: column, value: column, empty: label.optional() })
        .optional(),
    })
    .superRefine(({ label: given, sql }, context) => {
      if (given === undefined && sql !== spendQuery.file)
        context.addIssue({ code: 'custom', message: 'needs a label: what the figure of its sql is' });
    })
    .prefault({}),
  sections: z
    .array(z.discriminatedUnion('kind', [figures, table, chart, text, notes, worthALook]))
    .min(1)
    .max(16),
});

export type ReportShape = z.infer<typeof reportShape>;
export type SectionShape = ReportShape['sections'][number];
export type FiguresShape = z.infer<typeof figures>;
export type TableShape = z.infer<typeof table>;
export type ColumnShape = z.infer<typeof tableColumn>;
export type ChartShape = z.infer<typeof chart>;
export type TextShape = z.infer<typeof text>;
export type WorthALookShape = z.infer<typeof worthALook>;
export type Quotient = z.infer<typeof quotient>;
export type Direction = 'up' | 'down' | undefined;

/** A report folder, read and checked: its shape, the text of each SQL file that the shape names, the shape in other words. */
export type ReportDefinition = ReportShape & {
  readonly queries: ReadonlyMap<string, string>;
  readonly translations?: ReadonlyMap<LocaleTag, ReportShape>;
  /** What can be told of each query by reading it; there when the queries were held against their tables. */
  readonly facts?: ReadonlyMap<string, QueryFacts>;
};
