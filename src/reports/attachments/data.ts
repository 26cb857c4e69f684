/** The value of a cell: an exact decimal, a date, a moment, or an original text; null is unknown or missing. */
export type DataCell = string | null;

/** `money` is in the report's currency, `ratio` is 0.25 where 25% is shown; `2026-11-21`, and `2026-11-21T06:03:07Z`. */
export type DataFormat = 'money' | 'number' | 'ratio' | 'date' | 'moment' | 'text';

export type DataColumn = {
  /** For programs: letters, digits and `_`, unique in its table regardless of case. */
  readonly name: string;
  /** For people, in the report's language. */
  readonly label: string;
  readonly format: DataFormat;
};

/** All rows of a table of the report, none aggregated or truncated. */
export type DataTable = {
  /** Used in its file name: lower case, digits and `-`, unique in its report. */
  readonly name: string;
  readonly title: string;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly (readonly DataCell[])[];
  /** The rows for people, with the words of the report in place of its codes; missing where they are the same. */
  readonly labelledRows?: readonly (readonly DataCell[])[];
  /** Exact sums of the rows, if the report shows them. */
  readonly total?: readonly DataCell[] | undefined;
};

/** The table for people. Programs and checksums read codes, which are the same in every language. */
export const labelled = (table: DataTable): DataTable => ({
  ...table,
  rows: table.labelledRows ?? table.rows,
});

/** Of a row of figures: its unit, and `lower bound` where the value is the least that it can be. */
export const unitOf = ([, , unit = null]: readonly DataCell[]): DataCell => unit;
export const boundOf = ([, , , , , , bound = null]: readonly DataCell[]): DataCell => bound;

/** The figures of a report, and its tables, for programs and spreadsheets. */
export type ReportData = { readonly figures: DataTable; readonly tables: readonly DataTable[] };
