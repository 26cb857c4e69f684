/** A text in SQL, for the few places where DuckDB takes no bound values: settings and views. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
