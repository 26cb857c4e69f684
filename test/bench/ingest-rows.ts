import { DuckDBInstance } from '@duckdb/node-api';

/** Rows to write; times in seconds UTC, spread evenly from `start` to `end`. */
export type RowsFile = {
  readonly file: string;
  readonly rows: number;
  readonly start: number;
  readonly end: number;
  /** Leaves out the columns that the schema does not name. */
  readonly namedOnly?: boolean;
};

/** The columns of the sandbox's log export when it is asked for all of them, in its order. */
const columns = [
  'created_at',
  'type',
  'model_name',
  'vendor_id',
  'token_name',
  'group',
  'status',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'audio_input_tokens',
  'audio_output_tokens',
  'image_tokens',
  'quota',
  'use_time',
  'is_stream',
  'content',
] as const;

type Column = (typeof columns)[number];

/** Those that the schema does not name. */
export const unnamed: readonly string[] = [
  'vendor_id',
  'group',
  'status',
  'use_time',
  'is_stream',
  'content',
];

export const columnsOf = ({ namedOnly = false }: Pick<RowsFile, 'namedOnly'>): readonly Column[] =>
  namedOnly ? columns.filter((column) => !unnamed.includes(column)) : columns;

/** Numbers that are always the same for the same row: 0 up to `below`. */
const pick = (below: number, salt: number): string => `CAST(hash(i * 64 + ${salt}) % ${below} AS BIGINT)`;

const oneOf = (salt: number, values: readonly string[]): string =>
  `[${values.map((value) => `'${value}'`).join(', ')}][1 + ${pick(values.length, salt)}]`;

const models = [
  'text-embedding-3-small',
  'deepseek-chat',
  'claude-haiku-4-5',
  'gpt-4o-audio-preview',
  'gpt-4.1-mini',
  'o4-mini',
  'claude-sonnet-4-5-20250929',
  'gemini-2.5-flash-lite-preview',
];

/** As in the sandbox, one row in thirty is quoted; one in seventy is a failed call. */
const tokens = Array.from({ length: 28 }, (_, at) => `team-${at % 7}-service-${at}`);

const failed = `${pick(70, 1)} = 0`;

const values: Readonly<Record<Column, string>> = {
  created_at: '$start + i * ($end - $start) // $rows',
  type: `CASE WHEN ${failed} THEN 'error' ELSE 'consumption' END`,
  model_name: oneOf(2, models),
  vendor_id: `1 + ${pick(5, 3)}`,
  token_name: `CASE WHEN ${pick(30, 4)} = 0 THEN 'team <b>"x"</b>, =1+1' WHEN ${pick(30, 5)} = 0 THEN 'research-数据' ELSE ${oneOf(6, tokens)} END`,
  group: `CASE WHEN ${pick(4, 7)} = 0 THEN 'vip' ELSE 'default' END`,
  status: `CASE WHEN ${failed} THEN 'error' ELSE 'success' END`,
  prompt_tokens: `CASE WHEN ${failed} THEN 0 ELSE 100 + ${pick(9000, 8)} END`,
  completion_tokens: `CASE WHEN ${failed} THEN 0 ELSE ${pick(1500, 9)} END`,
  cached_tokens: `CASE WHEN ${pick(3, 10)} = 0 THEN 128 * ${pick(60, 11)} ELSE 0 END`,
  cache_write_tokens: `CASE WHEN ${pick(20, 12)} = 0 THEN ${pick(4000, 13)} ELSE 0 END`,
  reasoning_tokens: `CASE WHEN ${pick(6, 14)} = 0 THEN ${pick(1200, 15)} ELSE 0 END`,
  audio_input_tokens: '0',
  audio_output_tokens: '0',
  image_tokens: '0',
  quota: `CASE WHEN ${failed} THEN '0' ELSE rtrim(CAST(CAST(1 + ${pick(6_000_000, 16)} AS DECIMAL(18, 8)) / 100000000 AS DECIMAL(18, 8))::VARCHAR, '0') END`,
  use_time: `1 + ${pick(40, 17)}`,
  is_stream: `${pick(2, 18)} = 0`,
  content: `CASE WHEN ${failed} THEN 'upstream error: status 529, "overloaded", retry later'
    ELSE 'model ratio 0.' || ${pick(1000, 19)} || '; completion ratio 4.00; group ratio 1.00; request ' || format('{:08x}', ${pick(4_294_967_296, 20)}) END`,
};

/** Writes a log export: the same rows for the same arguments. */
export const writeRows = async ({ file, rows, start, end, ...which }: RowsFile): Promise<void> => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
  const connection = await instance.connect();
  const cells = columnsOf(which)
    .map((name) => `${values[name]} AS "${name}"`)
    .join(', ');
  const select = `SELECT ${cells} FROM range($rows) AS numbers(i)`
    .replaceAll('$rows', String(rows))
    .replaceAll('$start', String(start))
    .replaceAll('$end', String(end));
  await connection.run(`COPY (${select}) TO '${file}' (FORMAT csv, HEADER true)`);
  connection.closeSync();
  instance.closeSync();
};
