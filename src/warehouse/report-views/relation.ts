/** A column that a report's SQL may name. */
export type ReportColumn = {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
  readonly description: string;
};

/** A table that a report's SQL may name. */
export type ReportRelation = {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly ReportColumn[];
};

/** Parses `name, TYPE, description` lines as columns. */
export const columnsOf = (
  lines: readonly (readonly [name: string, type: string, description: string])[],
): readonly ReportColumn[] => lines.map(([name, type, description]) => ({ name, type, description }));

/** The columns for CREATE TABLE; the names come from code. */
export const declared = (columns: readonly ReportColumn[]): string =>
  columns.map(({ name, type }) => `"${name}" ${type}`).join(', ');
