import { createReadStream } from 'node:fs';
import { DuckDBDecimalValue, DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { parse } from 'csv-parse';
import { memoryLimit, openBenchWarehouse } from './ingest-pull.ts';
import { columns } from './ingest-rows.ts';

type Timed = <T>(work: () => Promise<T>) => Promise<T>;

const own: readonly string[] = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'image_tokens',
];

const typeOf = (column: string): string => {
  if (column === 'quota') return 'DECIMAL(28, 12)';
  return column === 'created_at' || own.includes(column) ? 'BIGINT' : 'VARCHAR';
};

const kept: readonly string[] = ['created_at', 'type', 'model_name', 'token_name', 'quota', ...own];

const others = columns.filter((column) => !kept.includes(column));

const reader = `read_csv($file, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
  columns = {${columns.map((column) => `'${column}': '${typeOf(column)}'`).join(', ')}})`;

/** A connection to the schema of the warehouse, set up as the warehouse sets up its own. */
const withTable = async <T>(
  database: string,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> => {
  await (await openBenchWarehouse(database))[Symbol.asyncDispose]();
  const instance = await DuckDBInstance.create(database, {
    memory_limit: `${memoryLimit}MB`,
    threads: '2',
    preserve_insertion_order: 'false',
  });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};

/** DuckDB's own reader with typed columns into an equal table, unchecked. Gives the rows landed. */
export const insertFromReader = (database: string, file: string, timed: Timed): Promise<number> =>
  withTable(database, async (connection) => {
    const extra = `CAST(to_json({${others.map((column) => `"${column}": "${column}"`).join(', ')}}) AS VARCHAR)`;
    const result = await timed(() =>
      connection.run(
        `INSERT INTO call_log (account, created_at, quarter, model_name, token_name, kind, ${own.join(', ')}, quota, extra)
         SELECT 'main', created_at, created_at - created_at % 900, model_name, token_name, "type", ${own.join(', ')}, quota, ${extra}
         FROM ${reader}`,
        { file },
      ),
    );
    return result.rowsChanged;
  });

/** As above, into a table that has the columns of the file. */
export const insertAsServed = (database: string, file: string, timed: Timed): Promise<number> =>
  withTable(database, async (connection) => {
    await connection.run(
      `CREATE TABLE as_served (${columns.map((column) => `"${column}" ${typeOf(column)}`).join(', ')})`,
    );
    const result = await timed(() =>
      connection.run(`INSERT INTO as_served SELECT * FROM ${reader}`, { file }),
    );
    return result.rowsChanged;
  });

/** The exact decimal in units of its twelfth place. */
const scaled = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(12, '0')}`);
};

/** csv-parse feeding the appender, the first rows of the file alone. Gives the rows landed. */
export const appendParsed = (database: string, file: string, rows: number, timed: Timed): Promise<number> =>
  withTable(database, async (connection) => {
    const tokenOrder = own.map((column) => columns.indexOf(column as (typeof columns)[number]));
    const at = (column: (typeof columns)[number]): number => columns.indexOf(column);
    // Only the columns it fills: one that a later schema adds is none of its business.
    await connection.run(
      `CREATE TABLE parsed AS SELECT account, created_at, quarter, model_name, token_name, kind, ${own.join(', ')}, quota, extra FROM call_log LIMIT 0`,
    );
    const [model, token, kind, quota] = [at('model_name'), at('token_name'), at('type'), at('quota')];
    return timed(async () => {
      await connection.run('BEGIN TRANSACTION');
      const appender = await connection.createAppender('parsed');
      const parser = createReadStream(file).pipe(parse({ from_line: 2, to: rows }));
      let count = 0;
      for await (const record of parser as AsyncIterable<readonly string[]>) {
        const cell = (index: number): string => record[index] ?? '';
        const seconds = BigInt(cell(0));
        appender.appendVarchar('main');
        appender.appendBigInt(seconds);
        appender.appendBigInt(seconds - (seconds % 900n));
        for (const index of [model, token, kind]) appender.appendVarchar(cell(index));
        for (const index of tokenOrder) appender.appendBigInt(BigInt(cell(index)));
        appender.appendDecimal(new DuckDBDecimalValue(scaled(cell(quota)), 28, 12));
        appender.appendVarchar(
          JSON.stringify(Object.fromEntries(others.map((column) => [column, cell(at(column))]))),
        );
        appender.endRow();
        count += 1;
        if (count % 100_000 === 0) appender.flushSync();
      }
      appender.closeSync();
      await connection.run('COMMIT');
      return count;
    });
  });
