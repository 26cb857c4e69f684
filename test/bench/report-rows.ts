import { DuckDBInstance } from '@duckdb/node-api';

/** Calls of one account, spread evenly over a span in seconds UTC, as an account of 60 models and 2,000 keys makes them. */
export type ReportRows = {
  readonly account: string;
  readonly rows: number;
  readonly start: number;
  readonly end: number;
};

/** Between 0 and 1, always the same for the same row. */
const part = (salt: number): string => `(hash(i * 64 + ${salt}) % 1000000) / 1000000.0`;

const count = (most: number, salt: number): string => `CAST(${part(salt)} * ${most} AS BIGINT)`;

/** Few models and keys make most of the calls, and a key uses a handful of models. */
const fillSql = `
  INSERT INTO call_log BY NAME
  SELECT $account AS account, created_at, created_at // 900 * 900 AS quarter,
    'model-' || lpad(CAST((key_number * 7 + CAST(pow(${part(2)}, 3) * 6 AS BIGINT)) % 60 AS VARCHAR), 2, '0') AS model_name,
    'team-' || (key_number % 20) || '-service-' || key_number AS token_name,
    CASE WHEN i % 400 = 0 THEN 'refund' WHEN i % 90 = 0 THEN 'error' ELSE 'consumption' END AS kind,
    ${count(4000, 3)} AS prompt_tokens, ${count(900, 4)} AS completion_tokens, ${count(2000, 5)} AS cached_tokens,
    0 AS cache_write_tokens, ${count(300, 6)} AS reasoning_tokens, 31 AS served_columns,
    CAST(CAST(${count(2_000_000, 7)} AS DECIMAL(28, 0)) * 0.000000012345 AS DECIMAL(28, 12)) AS quota
  FROM (
    SELECT i, CAST($start AS BIGINT) + i * (CAST($end AS BIGINT) - CAST($start AS BIGINT)) // CAST($rows AS BIGINT) AS created_at,
      CAST(pow(${part(1)}, 2) * 2000 AS BIGINT) AS key_number
    FROM range(CAST($rows AS BIGINT)) AS made (i)
  )`;

/** Marks the range of an account as pulled, with amounts in USD. */
export const coverCalls = async (
  file: string,
  { account, start, end }: Omit<ReportRows, 'rows'>,
): Promise<void> => {
  const instance = await DuckDBInstance.create(file, { threads: '2', memory_limit: '1GB' });
  const connection = await instance.connect();
  await connection.run(
    'INSERT INTO log_cursor VALUES ($account, CAST($start AS BIGINT), CAST($end AS BIGINT))',
    {
      account,
      start: BigInt(start),
      end: BigInt(end),
    },
  );
  await connection.run(
    `INSERT INTO log_amounts (account, currency, form, units_per_currency, whole_count, largest_whole, decided_by)
     VALUES ($account, 'USD', 'currency', 500000, 0, 0, 'config')`,
    { account },
  );
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
};

/** Writes calls into a database that no one has open; its tables are there already. */
export const fillCalls = async (file: string, fills: readonly ReportRows[]): Promise<void> => {
  const instance = await DuckDBInstance.create(file, { threads: '2', memory_limit: '4GB' });
  const connection = await instance.connect();
  await connection.run('SET preserve_insertion_order = false');
  for (const { account, rows, start, end } of fills)
    await connection.run(fillSql, { account, rows: BigInt(rows), start: BigInt(start), end: BigInt(end) });
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
};

/** Statements that write about the same calls into PostgreSQL. */
export const fillPostgres = ({ account, rows, start, end }: ReportRows): readonly string[] => {
  const month = new Date(start * 1000).toISOString().slice(0, 7).replace('-', '_');
  const share = (salt: number): string => `((i * 2654435761 + ${salt} * 40503) % 1000003) / 1000003.0`;
  const number = (most: number, salt: number): string => `CAST(${share(salt)} * ${most} AS BIGINT)`;
  return [
    `CREATE TABLE call_log_${month} PARTITION OF call_log FOR VALUES FROM (${start}) TO (${end})`,
    `INSERT INTO call_log (account, created_at, quarter, model_name, token_name, kind, prompt_tokens, completion_tokens,
       cached_tokens, cache_write_tokens, reasoning_tokens, served_columns, quota)
     SELECT '${account}', created_at, created_at / 900 * 900,
       'model-' || lpad(CAST((key_number * 7 + CAST(pow(${share(2)}, 3) * 6 AS BIGINT)) % 60 AS VARCHAR), 2, '0'),
       'team-' || (key_number % 20) || '-service-' || key_number,
       CASE WHEN i % 400 = 0 THEN 'refund' WHEN i % 90 = 0 THEN 'error' ELSE 'consumption' END,
       ${number(4000, 3)}, ${number(900, 4)}, ${number(2000, 5)}, 0, ${number(300, 6)}, 31,
       ${number(2_000_000, 7)} * 0.000000012345
     FROM (
       SELECT i, CAST(${start} + i * ${end - start} / ${rows} AS BIGINT) AS created_at,
         CAST(pow(${share(1)}, 2) * 2000 AS BIGINT) AS key_number
       FROM generate_series(CAST(0 AS BIGINT), ${rows - 1}) AS made (i)
     ) AS calls`,
  ];
};

/** As `coverCalls`, in PostgreSQL. */
export const coverPostgres = ({ account, start, end }: Omit<ReportRows, 'rows'>): readonly string[] => [
  `INSERT INTO log_cursor VALUES ('${account}', ${start}, ${end})`,
  `INSERT INTO log_amounts (account, currency, form, units_per_currency, whole_count, largest_whole, decided_by)
   VALUES ('${account}', 'USD', 'currency', 500000, 0, 0, 'config')`,
];
