/** A name as an SQL identifier; SQL ends at a NUL. */
export const identifier = (name: string): string =>
  `"${name.replaceAll('\0', '\uFFFD').replaceAll('"', '""')}"`;

/** A text as an SQL literal, for the few places where DuckDB accepts no bound values: settings and views. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
