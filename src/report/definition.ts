import { z } from 'zod';

const label = z.string().min(1).max(60);
const column = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a column: letters, digits and _');
const sqlFile = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*\.sql$/, 'must be the name of an .sql file in the folder of the report');
const format = z.enum(['money', 'integer', 'tokens', 'percent', 'date', 'text']);
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
    /** Shown where a text is empty. */
    empty: label.optional(),
    /** The colour that the chart gives this name. */
    swatch: z.boolean().default(false),
    good: z.enum(['up', 'down']).optional(),
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
  columns: z.array(tableColumn).min(1).max(8),
  /** How many rows are shown before the rest is summed up in one; exact all the same. */
  limit: z.int().positive().max(100).default(12),
  /** The name of that row: `{count}` is how many rows it holds. */
  other: label.optional(),
  /** A last row with the exact sums. */
  total: z.boolean().default(true),
  /** The column that holds the day of a row, so that days without data show as missing. */
  day: column.optional(),
});

const chart = z.strictObject({
  kind: z.literal('chart'),
  title: label,
  when,
  /** Gives a row for each bar and series: where the bar stands, the series, its value. */
  sql: sqlFile,
  chart: z.literal('stacked-bar'),
  /** `day`: the column holds dates; `hour`: the Unix seconds at which the hour begins. */
  over: z.enum(['day', 'hour']).default('day'),
  x: column,
  series: column,
  value: column,
  format: z.literal('money').default('money'),
  empty: label.optional(),
  limit: z.int().positive().max(8).default(8),
});

const text = z.strictObject({
  kind: z.literal('text'),
  title: label.optional(),
  when,
  text: z.string().min(1).max(2000),
});

/** What the engine found worth a look: missing days, a spike, warnings of the run. */
const notes = z.strictObject({ kind: z.literal('notes'), title: label.optional(), when });

export const reportShape = z.strictObject({
  title: label,
  description: z.string().max(500).optional(),
  subject: template,
  preheader: template,
  headline: z.strictObject({
    label,
    sql: sqlFile,
    /** A column of the one row; `<name>_before` is what it is compared with. */
    name: column,
    good: z.enum(['up', 'down']).optional(),
    /** Where to look for what moved the total most. */
    cause: z.strictObject({ sql: sqlFile, name: column, value: column, empty: label.optional() }).optional(),
  }),
  sections: z
    .array(z.discriminatedUnion('kind', [figures, table, chart, text, notes]))
    .min(1)
    .max(12),
});

export type ReportShape = z.infer<typeof reportShape>;
export type SectionShape = ReportShape['sections'][number];
export type FiguresShape = z.infer<typeof figures>;
export type TableShape = z.infer<typeof table>;
export type ColumnShape = z.infer<typeof tableColumn>;
export type ChartShape = z.infer<typeof chart>;
export type Quotient = z.infer<typeof quotient>;
export type Direction = 'up' | 'down' | undefined;

/** A report folder, read and checked: its shape and the text of each SQL file that the shape names. */
export type ReportDefinition = ReportShape & { readonly queries: ReadonlyMap<string, string> };
