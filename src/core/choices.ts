/** The names that the configuration, the command line and the control protocol accept alike. */

/** Languages of mails: the format of figures and dates, and the texts of the program. */
export const localeTags = ['en', 'de', 'zh'] as const;

export type LocaleTag = (typeof localeTags)[number];

/** Minimum levels of log messages, from the lowest. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** The tags that keys and services can have. */
export const tagNames = ['cost_center', 'environment', 'product', 'owner'] as const;

export type TagName = (typeof tagNames)[number];

export const isTagName = (text: string): text is TagName => tagNames.some((name) => name === text);

/**
 * What a report compares its period with. `previous`: the period directly before. For periods of one day:
 * `same-weekday`, the day a week before, and `7-day-average`, the average of the seven days before.
 */
export const comparisonNames = [
  'previous',
  'same-weekday',
  '7-day-average',
  'same-days-last-month',
  'same-days-last-year',
  'none',
] as const;

export type ComparisonName = (typeof comparisonNames)[number];

/** The forms in which a report is attached to its mail, besides the mail itself. */
export const attachFormats = ['csv', 'xlsx', 'parquet', 'pdf'] as const;

export type AttachFormat = (typeof attachFormats)[number];

/** The characters between two cells of a CSV file. */
export const csvDelimiters = [',', ';', '\t'] as const;
/** The decimal marks of a CSV file. */
export const csvDecimals = ['.', ','] as const;

/** How spreadsheets of a country read CSV: on the continent of Europe often with `;` and `,`. */
export type CsvForm = {
  readonly delimiter: (typeof csvDelimiters)[number];
  readonly decimal: (typeof csvDecimals)[number];
};

export const usualCsv: CsvForm = { delimiter: ',', decimal: '.' };

/** A number with a comma is two cells where a comma ends one. */
export const isCsvForm = ({ delimiter, decimal }: CsvForm): boolean => delimiter !== ',' || decimal !== ',';

/**
 * What a person accepts in a report about a month that is closed. `unreconciled`: its sums are not reconciled with the gateway. `draft`: a
 * journal of a month that is not closed.
 */
export const allowances = ['unreconciled', 'draft'] as const;

export type Allowance = (typeof allowances)[number];

/** The versions of FOCUS in which a closed month is exported; the first is the default. */
export const focusVersions = ['1.4', '1.2'] as const;
export type FocusVersion = (typeof focusVersions)[number];

/** The forms of the files of a FOCUS export; the first is the default. */
export const focusFormats = ['csv', 'parquet'] as const;

export type FocusFormat = (typeof focusFormats)[number];
