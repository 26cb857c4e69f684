import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'vitest';
import {
  interval,
  localDays,
  systemClock,
  unixMillis,
  unixSeconds,
  type Interval,
  type UnixSeconds,
} from '../../../src/core/index.ts';
import type { LogBatch, Warehouse } from '../../../src/warehouse/index.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import { batchOf, columnsNamed, optionsIn, type TestFolder } from '../support.ts';
import { callsWithJson } from '../../../src/warehouse/logs/extra.ts';

export const day = 86_400;
export const dayMillis = day * 1000;

export const at = (text: string): UnixSeconds => unixSeconds(Date.parse(`${text}Z`) / 1000);

/** By now January to May of 2024 are over. */
export const now = unixMillis(Date.UTC(2024, 5, 2));

export const year = interval(at('2024-01-01'), at('2025-01-01'));

export type Call = {
  readonly at: number;
  readonly model: string;
  readonly key: string;
  readonly kind: string;
  readonly prompt: number | undefined;
  readonly quota: string;
  /** Of a column that has no place of its own. */
  readonly note: string;
};

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const line = ({ at: moment, model, key, kind, prompt, quota, note }: Call): string =>
  [moment, quoted(model), quoted(key), kind, prompt ?? '', quota, quoted(note)].join(',');

const columns = columnsNamed(
  ['created_at', 'model_name', 'token_name', 'kind', 'prompt_tokens', 'quota'],
  'note',
);

export const batchOfCalls = async (
  folder: TestFolder,
  window: Interval<UnixSeconds>,
  calls: readonly Call[],
  account = 'main',
): Promise<LogBatch> =>
  batchOf(folder, calls.map(line), {
    account,
    window,
    asked: window,
    columns,
    quotedNewlines: calls.some(({ model, key, note }) => `${model}${key}${note}`.includes('\n')),
    amounts: { form: 'currency', unitsPerCurrency: 500_000, decimalsWritten: true },
  });

/** A few calls of each of many moments, identical ones among them. */
export const someCalls = (window: Interval<UnixSeconds>, count: number): readonly Call[] =>
  Array.from({ length: count }, (_, index) => ({
    at: window.start + Math.floor(((window.end - window.start) * (index - (index % 2))) / count),
    model: `model-${index % 6 < 2 ? 'a' : 'b'}`,
    key: `key-${Math.floor(index / 2) % 3}`,
    kind: index % 40 < 2 ? 'refund' : 'consumption',
    prompt: 1000 + Math.floor(index / 2),
    quota: `0.00${1 + (Math.floor(index / 2) % 9)}`,
    note: `row ${Math.floor(index / 2)}`,
  }));

export const openAt = async (
  folder: TestFolder,
  name = 'test',
  moment = now,
  change: Partial<Parameters<typeof openWarehouse>[0]> = {},
): Promise<Warehouse> =>
  openWarehouse({
    ...optionsIn(folder, join(folder.path, name, 'test.duckdb')),
    clock: { ...systemClock, now: () => moment },
    ...change,
  });

export const archiveOf = (folder: TestFolder, name = 'test'): string => join(folder.path, name, 'archive');

/** Every row of the account, all columns, in an order of its own; the warehouse has to be closed. Says too where they are. */
export const rowsAtRest = async (
  folder: TestFolder,
  name = 'test',
  account = 'main',
): Promise<{ readonly rows: readonly string[]; readonly inTable: number }> => {
  const instance = await DuckDBInstance.create(join(folder.path, name, 'test.duckdb'));
  const connection = await instance.connect();
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const kept = await read(
    `SELECT file FROM call_archive WHERE account = ${literal(account)} AND state = 'sole'`,
  );
  const table = await read(`SELECT * FROM ${callsWithJson} WHERE account = ${literal(account)}`);
  const archived = await Promise.all(
    kept.map(async ({ file }) =>
      read(
        `SELECT * FROM call_log WHERE false UNION ALL BY NAME SELECT * FROM read_parquet(${literal(
          join(archiveOf(folder, name), typeof file === 'string' ? file : ''),
        )}, hive_partitioning = false)`,
      ),
    ),
  );
  const [viewed] = await read(
    `SELECT count(*)::INTEGER AS calls FROM call_classes WHERE account = ${literal(account)}`,
  );
  connection.closeSync();
  instance.closeSync();
  const rows = [...table, ...archived.flat()].map((row) => JSON.stringify(row)).toSorted();
  // The view of calls with their classes has each of them once too, wherever it is kept.
  expect(viewed?.['calls']).toBe(rows.length);
  return { rows, inTable: table.length };
};

/** Sums of winter and spring: by quarter hour, model, key and kind. */
export const cubeOf = async (warehouse: Warehouse, account = 'main'): Promise<readonly string[]> =>
  warehouse.readCube(
    {
      account,
      periods: [
        { name: 'current', days: localDays('2024-01-10', '2024-05-04', 'Europe/Berlin') },
        { name: 'comparison', days: localDays('2023-12-31', '2024-02-02', 'Asia/Kolkata') },
      ],
    },
    async (query) => (await query('SELECT * FROM cube ORDER BY ALL')).rows.map((row) => JSON.stringify(row)),
  );
