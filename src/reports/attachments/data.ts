/** What a cell holds: an exact decimal, a date, a moment, or a text as it came; null is unknown or missing. */
export type DataCell = string | null;

/** `money` is in the report's currency, `ratio` is 0.25 where 25% is shown; `2026-11-21`, and `2026-11-21T06:03:07Z`. */
export type DataFormat = 'money' | 'number' | 'ratio' | 'date' | 'moment' | 'text';

export type DataColumn = {
  /** For machines: letters, digits and `_`, the only one of its table whatever the case. */
  readonly name: string;
  /** For people, in their language. */
  readonly label: string;
  readonly format: DataFormat;
};

/** All rows of a table of the report, none of them summed up or shortened. */
export type DataTable = {
  /** Names its file: small letters, digits and `-`, the only one of its report. */
  readonly name: string;
  readonly title: string;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly (readonly DataCell[])[];
  /** Exact sums of the rows, where the report shows them. */
  readonly total?: readonly DataCell[] | undefined;
};

/** The figures of a report, and its tables, for programs and spreadsheets. */
export type ReportData = { readonly figures: DataTable; readonly tables: readonly DataTable[] };
