import { z } from 'zod';

export const label = z.string().min(1).max(60);
export const column = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a column: letters, digits and _');
export const sqlFile = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9][A-Za-z0-9_-]*\/)?[A-Za-z0-9][A-Za-z0-9_-]*\.sql$/,
    'must be the name of an .sql file in the folder of the report, or REPORT/FILE.sql for one of a report beside it',
  );

/** The headline of a report without its own; no file of a report can have this name. */
export const spendQuery = {
  file: 'the built-in spend query',
  sql: `SELECT
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
FROM cube
WHERE kind IN ('consumption', 'refund')`,
} as const;

/** Formats of the values of a column. */
export const formats = [
  'money',
  'cents',
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
const when = z
  .enum(['one-day', 'several-days'])
  .optional()
  .describe('Shows the section only for periods of one day, or of several days.');
const inMail = z
  .enum(['always', 'one-day', 'several-days', 'never'])
  .optional()
  .describe(
    'Periods for which the mail shows the section, by default always. The archived report shows every section, and the mail names where it is.',
  );
const quotient = z.strictObject({
  of: column.describe('Column that is divided.'),
  by: column.describe('Column that it is divided by.'),
  times: z.int().positive().max(1_000_000_000).default(1).describe('Factor of the result.'),
});

export type SentenceField = {
  readonly written: string;
  readonly column: string;
  /** What the column is divided by. */
  readonly by?: string;
  readonly format: string;
};

/** `{column}`, `{column:format}` and `{column/column:format}`: the fields of a sentence about a row. */
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
    label: label.describe('Label of the figure.'),
    id: column
      .optional()
      .describe(
        'Name of the figure for `send_when` of a job, the same in every language. Defaults to its column, or to the dividend of its quotient. The headline is `total`.',
      ),
    name: column
      .optional()
      .describe('Column of the row. With change, NAME_before is the value that it is compared with.'),
    quotient: quotient
      .optional()
      .describe('Quotient of two columns, in place of a column. Sums are divided, not averaged.'),
    format: format.describe('How the value is written.'),
    change: z.boolean().default(false).describe('Whether the change against the comparison is shown.'),
    good: z
      .enum(['up', 'down'])
      .optional()
      .describe('Direction of a change that is good news. If omitted, changes are neutral.'),
    notes: z
      .array(
        z.strictObject({
          text: sentence.describe('Text, which may name columns as {column:format}.'),
          bad: column.optional().describe('Column that marks the note as bad news if it is above zero.'),
        }),
      )
      .max(6)
      .default([])
      .describe('Notes below the figure. The first one whose columns are all known is shown.'),
    lower_bound: column
      .optional()
      .describe(
        'Column that is known only if the value is a lower bound; data files and signed files then say so.',
      ),
    optional: z.boolean().default(false).describe('Whether the figure is omitted if its value is unknown.'),
  })
  .superRefine((given, context) => {
    const message = one(['name', 'quotient'], given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const tableColumn = z
  .strictObject({
    label: z.string().max(60).default('').describe('Header of the column.'),
    name: column.optional().describe('Column of the SQL.'),
    share_of: column
      .optional()
      .describe('Shows the share of the row in the total of this column. The shares add up to 100%.'),
    change_of: column.optional().describe('Shows the change of this column against COLUMN_before.'),
    difference_of: column
      .optional()
      .describe('Shows the difference of this column and COLUMN_before, with its sign.'),
    bar_of: column.optional().describe('Shows a bar for the value of this column; hidden on phones.'),
    quotient: quotient
      .optional()
      .describe('Quotient of two columns, in place of a column. Sums are divided, not averaged.'),
    format: format.optional().describe('How values are written. Required with name and quotient.'),
    empty: label.optional().describe('Shown in place of an empty text or an unknown value.'),
    names: z
      .record(z.string().min(1).max(60), label)
      .optional()
      .describe('Labels for values, such as { equal: agrees }. Other values are shown unchanged.'),
    swatch: z.boolean().default(false).describe('Whether the color that charts give to the name is shown.'),
    good: z
      .enum(['up', 'down'])
      .optional()
      .describe('Direction of a change that is good news. If omitted, changes are neutral.'),
    only_in_files: z
      .boolean()
      .default(false)
      .describe('Whether the column appears only in data files and not in the report itself.'),
    only_in_report: z
      .boolean()
      .default(false)
      .describe(
        'Whether data files omit the column. It is shown small, such as a line of blocks; hidden on phones.',
      ),
    wide_only: z.boolean().default(false).describe('Whether phones hide the column.'),
    optional: z
      .boolean()
      .default(false)
      .describe('Whether the column is omitted if its value is unknown in every row.'),
  })
  .superRefine((given, context) => {
    const message = one(['name', 'share_of', 'change_of', 'difference_of', 'bar_of', 'quotient'], given);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
    if ((given.name ?? given.quotient) !== undefined && given.format === undefined)
      context.addIssue({ code: 'custom', message: 'needs a format' });
  });

/** The name of the headline among the figures. */
export const nameOfHeadline = 'total';

/** The name of a figure in each language. */
export const nameOfFigure = ({ id, name, quotient }: FiguresShape['figures'][number]): string =>
  id ?? name ?? quotient?.of ?? '';

export const figures = z.strictObject({
  kind: z.literal('figures').describe('Kind of the section.'),
  title: label.optional().describe('Heading of the section.'),
  when,
  in_mail: inMail,
  sql: sqlFile.describe('SQL file that returns one row.'),
  figures: z.array(figure).min(1).max(8).describe('Figures, in the order shown.'),
});

export const apart = z.strictObject({
  when: column.describe('Boolean column that selects these rows.'),
  label: label.describe('Label of these rows.'),
});

export const table = z.strictObject({
  kind: z.literal('table').describe('Kind of the section.'),
  title: label.describe('Heading of the section.'),
  when,
  in_mail: inMail,
  sql: sqlFile.describe('SQL file that returns the rows, in the order shown.'),
  by_change_of: column
    .optional()
    .describe(
      'Sorts the rows by the difference of this column and COLUMN_before, the largest first. The section is left out if there is no period to compare with.',
    ),
  columns: z
    .array(tableColumn)
    .min(1)
    .max(16)
    .refine(
      (columns) => columns.filter((one) => !one.only_in_files && !one.optional).length <= 8,
      'shows more than 8 columns: set only_in_files on those that data files alone need',
    )
    .describe('Columns, at most 8 of them without only_in_files and optional.'),
  limit: z
    .int()
    .positive()
    .max(100)
    .default(12)
    .describe('Number of rows that are shown. The others are added up exactly in one row.'),
  other: label.optional().describe('Label of that row. {count} is the number of rows in it.'),
  apart: apart.optional().describe('Rows that are shown below all others and are never added up in other.'),
  total: z.boolean().default(true).describe('Whether a last row shows the exact sums.'),
  day: column
    .optional()
    .describe('Column with the day of a row, so that days without data are shown as missing.'),
  optional: z.boolean().default(false).describe('Whether the section is omitted if the SQL returns no row.'),
});

export const chart = z
  .strictObject({
    kind: z.literal('chart').describe('Kind of the section.'),
    title: label.describe('Heading of the section.'),
    when,
    in_mail: inMail,
    sql: sqlFile.describe(
      'SQL file that returns a row per bar or point and series: position, series, value.',
    ),
    chart: z
      .enum(['bar', 'stacked-bar', 'line'])
      .describe(
        'Type of chart. A bar has no series, a stacked-bar needs one. A line is interrupted where data is missing.',
      ),
    over: z
      .enum(['day', 'hour', 'name'])
      .default('day')
      .describe(
        'What x holds: dates (day), Unix seconds at which the hour starts (hour), or texts in the order returned (name).',
      ),
    period: z
      .enum(['current', 'comparison', 'month', 'history'])
      .default('current')
      .describe('Period whose days are shown.'),
    x: column.describe('Column with the position.'),
    series: column.optional().describe('Column with the name of the series.'),
    value: column.describe('Column with the value.'),
    format: z
      .enum(['money', 'integer', 'tokens', 'number', 'percent'])
      .default('money')
      .describe('How values are written.'),
    empty: label.optional().describe('Name of a series without one.'),
    limit: z.int().positive().max(8).default(8).describe('Number of series that are shown.'),
    optional: z
      .boolean()
      .default(false)
      .describe('Whether the section is omitted if the SQL returns no row.'),
  })
  .superRefine(({ chart: kind, series, over }, context) => {
    if (kind === 'stacked-bar' && series === undefined)
      context.addIssue({ code: 'custom', message: 'a stacked-bar needs a series' });
    if (kind === 'bar' && series !== undefined)
      context.addIssue({ code: 'custom', message: 'a bar has no series: that is a stacked-bar' });
    if (kind === 'line' && over === 'name')
      context.addIssue({ code: 'custom', message: 'a line goes over days or hours, not over names' });
  });

export const text = z.strictObject({
  kind: z.literal('text').describe('Kind of the section.'),
  title: label.optional().describe('Heading of the section.'),
  when,
  in_mail: inMail,
  sql: sqlFile
    .optional()
    .describe('SQL file that returns one row. The section is omitted if it returns none.'),
  text: sentence.describe(
    'Text, which may name columns of the row as {column:format}. A paragraph that names an unknown value is omitted.',
  ),
});

/** Sentences about rows of the SQL that deserve attention: new, idle and expiring keys, unusual days. */
export const worthALook = z.strictObject({
  kind: z.literal('worth-a-look').describe('Kind of the section.'),
  title: label.optional().describe('Heading of the section.'),
  when,
  in_mail: inMail,
  sql: sqlFile.describe(
    'SQL file that returns a row per item, the most important first. Its column what selects the sentence.',
  ),
  items: z
    .array(
      z.strictObject({
        what: z.string().min(1).max(60).describe('Value of the column what.'),
        text: sentence.describe('Sentence, which may name columns of the row as {column:format}.'),
        warning: z.boolean().default(false).describe('Whether the item is shown as a warning.'),
      }),
    )
    .min(1)
    .max(24)
    .describe('Sentences by the value of the column what.'),
  limit: z.int().positive().max(30).default(8).describe('Number of items that are shown.'),
  other: label.optional().describe('Text that says that there are more items. {count} is their number.'),
});

/** The change against the comparison period, as a sum of causes. */
export const changes = z.strictObject({
  kind: z.literal('changes').describe('Kind of the section.'),
  title: label.describe('Heading of the section.'),
  when,
  in_mail: inMail,
  sql: sqlFile.describe(
    'SQL file that returns a row per model and key: model_name, key_name, and calls, charge, refunds and each class of tokens, with and without _before.',
  ),
  prices: sqlFile
    .optional()
    .describe(
      'SQL file that returns the price of each class of tokens by model: model_name, and columns with the names of the classes. Without it, effects of caching count as price.',
    ),
  spikes: sqlFile
    .optional()
    .describe(
      'SQL file that returns unusual days of the comparison: model_name, key_name (one of them empty for all), day, and excess, the spend beyond a usual day. A decrease that is the end of such a spike is described so.',
    ),
});

/** Budgets at the end of the period. */
export const budgets = z.strictObject({
  kind: z.literal('budgets').describe('Kind of the section.'),
  title: label.describe('Heading of the section.'),
  when,
  in_mail: inMail,
  limit: z
    .int()
    .positive()
    .max(50)
    .default(8)
    .describe('Number of budgets that are shown, the ones used most first.'),
});

/** Notes of the engine: missing days, a spike, warnings of the run. */
export const notes = z.strictObject({
  kind: z.literal('notes').describe('Kind of the section.'),
  title: label.optional().describe('Heading of the section.'),
  when,
  in_mail: inMail,
});

export type FiguresShape = z.infer<typeof figures>;
export type TableShape = z.infer<typeof table>;
export type ColumnShape = z.infer<typeof tableColumn>;
export type ChartShape = z.infer<typeof chart>;
export type TextShape = z.infer<typeof text>;
export type BudgetsShape = z.infer<typeof budgets>;
export type ChangesShape = z.infer<typeof changes>;
export type WorthALookShape = z.infer<typeof worthALook>;
export type Quotient = z.infer<typeof quotient>;
export type Direction = 'up' | 'down' | undefined;
