import { DuckDBInstance } from '@duckdb/node-api';
import type { Cell, CubeRequest, ResultTable } from '../../src/report/port.ts';
import type { CubeReader } from '../../src/report/index.ts';
import { reportRelations } from '../../src/warehouse/index.ts';

/** One row of the table that a report's SQL sees; money as an exact decimal. */
export type CubeRow = {
  readonly period?: 'current' | 'comparison';
  /** Seconds UTC of the quarter hour. */
  readonly quarter: number;
  readonly model: string | null;
  readonly key: string | null;
  readonly kind?: string;
  readonly calls?: number;
  readonly prompt?: number;
  readonly completion?: number;
  /** Null is unknown. */
  readonly cached?: number | null;
  readonly reasoning?: number;
  readonly spend: string;
};

const typeOf = (type: string): ResultTable['columns'][number]['type'] => {
  if (type.startsWith('DECIMAL')) return 'decimal';
  if (/INT/.test(type)) return 'integer';
  if (type === 'VARCHAR') return 'text';
  if (type === 'DATE') return 'date';
  return type === 'BOOLEAN' ? 'boolean' : 'other';
};

const cellOf = (value: { toString: () => string } | boolean | null): Cell =>
  value === null || typeof value === 'boolean' ? value : value.toString();

/** The tables that a report may name; all but `cube`, `days` and `run` stay empty. */
const ddl = reportRelations
  .map(
    ({ name, columns }) =>
      `CREATE TABLE ${name} (${columns.map((one) => `"${one.name}" ${one.type}`).join(', ')});`,
  )
  .concat(
    `CREATE TABLE given (period VARCHAR, day DATE, day_number INTEGER, quarter BIGINT, model_name VARCHAR,
       token_name VARCHAR, kind VARCHAR, calls BIGINT, prompt_tokens HUGEINT, completion_tokens HUGEINT,
       cached_tokens HUGEINT, cache_write_tokens HUGEINT, reasoning_tokens HUGEINT, audio_tokens HUGEINT,
       image_tokens HUGEINT, spend DECIMAL(38, 12), amount DECIMAL(38, 12));`,
  )
  .join('\n');

const runSql = `
  INSERT INTO run BY NAME SELECT $account AS account, $currency AS currency, $zone AS zone, $now AS now_seconds,
    $since AS data_since_seconds, $through AS data_through_seconds`;

/** The port that a report reads, on a DuckDB of its own that holds these rows. */
export const cubeOf = (
  rows: readonly CubeRow[],
  amounts: 'currency' | 'units' | 'unknown' = 'currency',
): CubeReader => ({
  readCube: async (request: CubeRequest, use) => {
    const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
    const connection = await instance.connect();
    try {
      await connection.run(ddl);
      const days = await connection.createAppender('days');
      const cube = await connection.createAppender('given');
      for (const { name, days: asked } of request.periods) {
        for (const [number, day] of asked.entries()) {
          days.appendVarchar(name);
          days.appendVarchar(day.date);
          days.appendInteger(number);
          days.appendBigInt(BigInt(day.start));
          days.appendBigInt(BigInt(day.end));
          days.endRow();
        }
        for (const row of rows) {
          const number = asked.findIndex(({ start, end }) => row.quarter >= start && row.quarter < end);
          const day = asked[number];
          if (day === undefined) continue;
          cube.appendVarchar(name);
          cube.appendVarchar(day.date);
          cube.appendInteger(number);
          cube.appendBigInt(BigInt(row.quarter));
          for (const text of [row.model, row.key]) {
            if (text === null) cube.appendNull();
            else cube.appendVarchar(text);
          }
          cube.appendVarchar(row.kind ?? 'consumption');
          cube.appendBigInt(BigInt(row.calls ?? 1));
          const tokens = [row.prompt, row.completion, row.cached, 0, row.reasoning, 0, 0];
          for (const count of tokens) {
            if (count === null) cube.appendNull();
            else cube.appendVarchar(String(count ?? 0));
          }
          cube.appendVarchar(row.spend);
          cube.appendVarchar(row.spend);
          cube.endRow();
        }
      }
      days.closeSync();
      cube.closeSync();
      await connection.run('INSERT INTO cube BY NAME SELECT * FROM given');
      const { run } = request;
      await connection.run(runSql, {
        account: request.account,
        currency: request.currency ?? null,
        zone: run?.zone ?? null,
        now: run === undefined ? null : BigInt(run.now) / 1000n,
        since: run?.covered === undefined ? null : BigInt(run.covered.start),
        through: run?.covered === undefined ? null : BigInt(run.covered.end),
      });
      return await use(
        async (sql) => {
          const reader = await connection.runAndReadAll(sql);
          const types = reader.columnTypes();
          return {
            columns: reader.columnNames().map((name, at) => ({ name, type: typeOf(String(types[at])) })),
            rows: reader.getRows().map((row) => row.map(cellOf)),
          };
        },
        { amounts: amounts === 'unknown' ? undefined : amounts },
      );
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  },
});
