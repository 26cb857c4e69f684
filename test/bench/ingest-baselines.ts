import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { memoryLimit, openBenchWarehouse } from './ingest-pull.ts';
import { columnsOf, unnamed, type RowsFile } from './ingest-rows.ts';

export type ReaderTask = Pick<RowsFile, 'file' | 'namedOnly'> & { readonly database: string };

const counts: readonly string[] = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'image_tokens',
];

const typeOf = (column: string): string => {
  if (column === 'quota') return 'DECIMAL(28, 12)';
  return column === 'created_at' || counts.includes(column) ? 'BIGINT' : 'VARCHAR';
};

/** `call_log` of schema 31, frozen. */
const table = `CREATE TABLE read_alone (
  account VARCHAR NOT NULL, created_at BIGINT NOT NULL, quarter BIGINT NOT NULL,
  model_name VARCHAR NOT NULL, token_name VARCHAR NOT NULL, kind VARCHAR NOT NULL, prompt_tokens BIGINT,
  completion_tokens BIGINT, cached_tokens BIGINT, cache_write_tokens BIGINT, reasoning_tokens BIGINT,
  audio_tokens BIGINT, image_tokens BIGINT, quota DECIMAL(28, 12), extra VARCHAR,
  audio_input_tokens BIGINT, audio_output_tokens BIGINT, served_columns BIGINT
)`;

/** In a database of the warehouse, with the settings that it had with schema 31. */
const withTable = async (
  database: string,
  work: (connection: DuckDBConnection) => Promise<number>,
  timed: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<number> => {
  await (await openBenchWarehouse(database))[Symbol.asyncDispose]();
  const instance = await DuckDBInstance.create(database, {
    memory_limit: `${memoryLimit}MB`,
    threads: '2',
    preserve_insertion_order: 'false',
  });
  const connection = await instance.connect();
  await connection.run(table);
  return timed(async () => {
    const rows = await work(connection);
    await connection.run('CHECKPOINT');
    connection.closeSync();
    instance.closeSync();
    return rows;
  });
};

/** Changes a stored row of each span, so that a pull of the same rows finds a difference. Gives the rows changed. */
export const changeRows = async (database: string, spanSeconds: number): Promise<number> => {
  const instance = await DuckDBInstance.create(database);
  const connection = await instance.connect();
  const { rowsChanged } = await connection.run(
    `UPDATE call_log SET quota = quota + 1
     WHERE created_at IN (SELECT max(created_at) FROM call_log GROUP BY created_at // ${spanSeconds})`,
  );
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
  return rowsChanged;
};

/**
 * DuckDB's own reader with typed columns into an equal table, unchecked, with the other columns as JSON; with the
 * checkpoint. Gives the rows landed.
 */
export const insertFromReader = (
  { database, file, namedOnly }: ReaderTask,
  timed: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<number> => {
  const columns = columnsOf(namedOnly === undefined ? {} : { namedOnly });
  const fields = unnamed.map((column) => `"${column}": "${column}"`).join(', ');
  const extra = namedOnly === true ? 'NULL' : `CAST(to_json({${fields}}) AS VARCHAR)`;
  return withTable(
    database,
    async (connection) => {
      const { rowsChanged } = await connection.run(
        `INSERT INTO read_alone (account, created_at, quarter, model_name, token_name, kind, ${counts.join(', ')}, quota, extra)
         SELECT 'main', created_at, created_at - created_at % 900, model_name, token_name, "type", ${counts.join(', ')}, quota, ${extra}
         FROM read_csv($file, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
           columns = {${columns.map((column) => `'${column}': '${typeOf(column)}'`).join(', ')}})`,
        { file },
      );
      return rowsChanged;
    },
    timed,
  );
};
