import type { Connection } from '../../duckdb/connection.ts';
import { literal, text } from '../../sql.ts';

/** A column of a table of the schema, with its type in DuckDB. */
export type Column = { readonly name: string; readonly type: string };

/** SQL for a DuckDB column as PostgreSQL stores it, with NUL in a text replaced. */
export const storableCell = ({ name, type }: Column): string =>
  type === 'VARCHAR' ? `replace(${name}, chr(0), chr(65533))` : name;

/** PostgreSQL returns an array as JSON, which DuckDB reads. Into PostgreSQL, COPY accepts only an array literal. */
const asOutgoing = (column: Column): string =>
  column.type === 'VARCHAR[]'
    ? `'{' || array_to_string(list_transform(${column.name}, lambda one: '"' || replace(replace(one, '\\', '\\\\'), '"', '\\"') || '"'), ',') || '}'`
    : storableCell(column);
const asStored = ({ name, type }: Column): string => (type === 'VARCHAR[]' ? `to_json(${name})` : name);
const asFetched = ({ name, type }: Column): string =>
  type === 'VARCHAR[]' ? `from_json(${name}, '["VARCHAR"]')` : `CAST(${name} AS ${type})`;

/** The buffer size for a file. The reader allocates the buffer for each file, and most files are small. */
const bufferOf = (size: number): number => Math.min(Math.max(size + 1, 4096), 33_554_432);

/** The columns of a DuckDB table, in table order. `catalog` is the SQL expression for the database of the table. */
export const readColumns = async (
  local: Connection,
  table: string,
  catalog: `'temp'` | 'current_database()',
): Promise<readonly Column[]> =>
  (
    await local.rows(
      `SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = ${catalog} AND table_name = $table
       ORDER BY column_index`,
      { table },
    )
  ).map((row) => ({ name: text(row, 'column_name'), type: text(row, 'data_type') }));

/**
 * The statement with which PostgreSQL returns each row as an array of texts, `cells`, and the number of its table, `nth`. `from` is the
 * SQL after FROM.
 */
export const textsOfPostgres = (nth: number, columns: readonly Column[], from: string): string =>
  `SELECT ${nth} AS nth, ARRAY[${columns.map((column) => `CAST(${asStored(column)} AS VARCHAR)`).join(', ')}] AS cells FROM ${from}`;

/** SQL that casts rows of texts and adds them to a DuckDB table. `rows` is a relation, such as a table name. */
export const textsIntoDuckDB = (table: string, columns: readonly Column[], rows: string): string =>
  `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) SELECT ${columns.map(asFetched).join(', ')} FROM ${rows} AS fetched`;

/** The statement whose rows PostgreSQL writes to a file for DuckDB. `from` is the SQL after FROM. */
export const outOfPostgres = (columns: readonly Column[], from: string): string =>
  `SELECT ${columns.map(asStored).join(', ')} FROM ${from}`;

/** Adds the rows of a file of PostgreSQL to a table in DuckDB. Quoted cells may contain line ends, so the file is not read in parallel. */
export const intoDuckDB = (
  table: string,
  columns: readonly Column[],
  file: string,
  size: number,
): string => `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
  SELECT ${columns.map(asFetched).join(', ')}
  FROM read_csv(${literal(file)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
    nullstr = '\\N', allow_quoted_nulls = false, strict_mode = true, parallel = false, buffer_size = ${bufferOf(size)},
    max_line_size = ${bufferOf(size)},
    columns = {${columns.map(({ name, type }) => `${name}: '${type === 'VARCHAR[]' ? 'VARCHAR' : type}'`).join(', ')}})`;

/** Writes the rows of a query in DuckDB to a file that PostgreSQL reads. */
export const outOfDuckDB = (columns: readonly Column[], query: string, file: string): string =>
  `COPY (SELECT ${columns.map(asOutgoing).join(', ')} FROM (${query})) TO ${literal(file)}
   (FORMAT csv, HEADER false, NULLSTR '\\N', USE_TMP_FILE false)`;
