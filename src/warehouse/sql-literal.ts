/** A text as an SQL literal, for the few places where DuckDB accepts no bound values: settings and views. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
