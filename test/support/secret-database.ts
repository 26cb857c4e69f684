import { DuckDBInstance } from '@duckdb/node-api';

const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`;

/** Every text of every table of a database that nobody holds open; its files keep texts packed. Undefined where it is none. */
export const textsOfDatabase = async (path: string): Promise<string | undefined> => {
  let instance: DuckDBInstance;
  try {
    instance = await DuckDBInstance.create(path, {
      access_mode: 'READ_ONLY',
      threads: '1',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
  } catch {
    return undefined;
  }
  try {
    const connection = await instance.connect();
    const texts: string[] = [];
    // One statement a table: most are empty.
    const tables = await connection.runAndReadAll(
      `SELECT table_schema, table_name, list(column_name) FROM information_schema.columns
       WHERE data_type LIKE '%VARCHAR%' OR data_type LIKE '%BLOB%' OR data_type LIKE '%JSON%'
       GROUP BY ALL`,
    );
    for (const [schema, table, columns] of tables.getRowsJS()) {
      const values = (columns as string[]).map((column) => `${quoted(column)}::VARCHAR`).join(', ');
      const rows = await connection.runAndReadAll(
        `SELECT DISTINCT unnest([${values}]) FROM ${quoted(schema)}.${quoted(table)}`,
      );
      for (const [value] of rows.getRows()) if (typeof value === 'string') texts.push(value);
    }
    connection.closeSync();
    return texts.join('\n');
  } finally {
    instance.closeSync();
  }
};
