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

const figureFormats: readonly DataFormat[] = ['money', 'number', 'ratio'];

const isNothing = (cell: DataCell): boolean => cell === null || /^-?0(?:\.0*)?$/.test(cell);

/** Whether a row says anything: a figure other than zero, or, in a table of names, that it is there. */
const saysAnything = ({ columns }: DataTable, row: readonly DataCell[]): boolean => {
  const figures = row.filter((_, at) => figureFormats.includes(columns[at]?.format ?? 'text'));
  return figures.length === 0 ? row.some((cell) => cell !== null) : !figures.every(isNothing);
};

/** Whether the total is zero and no table has a row with a figure other than zero. An unknown total is not empty. */
export const isEmptyReport = ({ figures, tables }: ReportData): boolean => {
  const total = figures.rows[0]?.[1] ?? null;
  return (
    total !== null &&
    isNothing(total) &&
    !tables.some((table) => table.rows.some((row) => saysAnything(table, row)))
  );
};

/** Of a row of figures: its unit, and `lower bound` where the value is the least that it can be. */
export const unitOf = ([, , unit = null]: readonly DataCell[]): DataCell => unit;
export const boundOf = ([, , , , , , bound = null]: readonly DataCell[]): DataCell => bound;

/** The figures of a report, and its tables, for programs and spreadsheets. */
export type ReportData = {
  readonly figures: DataTable;
  /** The names of the rows of `figures`, the same in every language. */
  readonly figureNames: readonly string[];
  readonly tables: readonly DataTable[];
};
