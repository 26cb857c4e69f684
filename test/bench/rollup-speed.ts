import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { interval, localDays, unixSeconds, type Interval, type UnixSeconds } from '../../src/core/index.ts';
import {
  openWarehouse,
  type LogBatch,
  type Warehouse,
  type WarehouseOptions,
} from '../../src/warehouse/index.ts';
import { coverCalls } from './report-rows.ts';
import { at, buildSummary, measure, spendSummary } from './report-speed.ts';
import type { BenchReport } from './report.ts';

const zone = 'Europe/Berlin';

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

const inDatabase = async <T>(
  path: string,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> => {
  const instance = await DuckDBInstance.create(path, { threads: '2', memory_limit: '2GB' });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};

const batchOf = async (folder: string, window: Interval<UnixSeconds>, rows: number): Promise<LogBatch> => {
  const file = join(folder, `bench-${window.start}.csv`);
  const length = window.end - window.start;
  const lines = Array.from({ length: rows }, (_, row) => {
    const key = Math.floor((row * 7919) % 2000);
    const prompt = 100 + ((row * 31) % 4000);
    return `${window.start + Math.floor((row * length) / rows)},model-${(key * 7 + (row % 6)) % 60},service-${key},consumption,${prompt},${row % 900},${Math.floor(prompt / 2)},0,${row % 300},0.0${1000 + (row % 8999)},${key % 5},default,success,${row % 40},${row % 2 === 0},model ratio 0.${row % 1000}; completion ratio 4.00; group ratio 1.00; request ${row}\n`;
  });
  await writeFile(file, lines.join(''));
  const names = [
    'created_at',
    'model_name',
    'token_name',
    'kind',
    'prompt_tokens',
    'completion_tokens',
    'cached_tokens',
    'cache_write_tokens',
    'reasoning_tokens',
    'quota',
  ] as const;
  // As the sandbox exports them when it is asked for all columns.
  const others = ['vendor_id', 'group', 'status', 'use_time', 'is_stream', 'content'];
  return {
    account: 'month',
    window,
    asked: window,
    file,
    bytes: 0,
    served: rows,
    columns: [
      ...names.map((name) => ({ name: name === 'kind' ? 'type' : name, role: name })),
      ...others.map((name) => ({ name })),
    ],
    time: { form: 'seconds' },
    guarded: false,
    quotedNewlines: false,
    currency: 'USD',
    amounts: { form: 'currency', unitsPerCurrency: 500_000, decimalsWritten: true },
    opensRange: false,
  };
};

/** Seconds to land a window, and to build the cells of its days; medians of so many windows that follow each other. */
const landings = async (
  warehouse: Warehouse,
  folder: string,
  {
    start,
    length,
    rows,
    rounds,
  }: { readonly start: number; readonly length: number; readonly rows: number; readonly rounds: number },
): Promise<{ readonly land: number; readonly build: number; readonly hours: number }> => {
  const land: number[] = [];
  const build: number[] = [];
  const hours: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = start + round * length;
    const window = interval(unixSeconds(from), unixSeconds(from + length));
    const batch = await batchOf(folder, window, rows);
    land.push(await secondsOf(() => warehouse.logs.landWindow(batch)));
    const day = interval(unixSeconds(from - 2 * 86_400), unixSeconds(from + length + 2 * 86_400));
    build.push(await secondsOf(() => warehouse.rollup.refresh({ account: 'month', zone, range: day })));
    hours.push(await secondsOf(() => warehouse.rollup.refreshHours({ account: 'month', range: day })));
  }
  return { land: median(land), build: median(build), hours: median(hours) };
};

/** Cells of a year, from those of October: the calls themselves are missing, so that only the rollup is read. */
const simulateYear = async (path: string): Promise<number> => {
  const days = localDays('2025-01-01', '2025-12-31', zone);
  return inDatabase(path, async (connection) => {
    await connection.run(
      `CREATE TEMP TABLE simulated AS SELECT row_number() OVER () - 1 AS number, start_at, end_at
       FROM (SELECT unnest(from_json($starts, '["BIGINT"]')) AS start_at, unnest(from_json($ends, '["BIGINT"]')) AS end_at)`,
      {
        starts: JSON.stringify(days.map(({ start }) => start)),
        ends: JSON.stringify(days.map(({ end }) => end)),
      },
    );
    await connection.run(`CREATE TEMP TABLE october AS SELECT row_number() OVER (ORDER BY start_at) - 1 AS number, start_at
       FROM rollup_day WHERE account = 'month' AND zone = '${zone}' AND start_at >= ${at('2026-10-01') - 7200} AND start_at < ${at('2026-10-31')}`);
    await connection.run(
      `INSERT INTO rollup_pair BY NAME
       SELECT cell.* REPLACE ('simulated' AS account, simulated.start_at AS start_at)
       FROM simulated JOIN october ON october.number = simulated.number % (SELECT count(*) FROM october)
       JOIN rollup_pair AS cell ON cell.account = 'month' AND cell.zone = '${zone}' AND cell.start_at = october.start_at`,
    );
    await connection.run(
      `INSERT INTO rollup_day SELECT 'simulated', '${zone}', start_at, end_at FROM simulated`,
    );
    await connection.run('CHECKPOINT');
    const reader = await connection.runAndReadAll(
      `SELECT CAST(sum(row_count) / 1000000 AS DOUBLE) FROM rollup_pair WHERE account = 'simulated'`,
    );
    return Number(reader.getRows()[0]?.[0]);
  });
};

/** The rollup of a database whose account `month` has calls of September and October 2026, all of them in cells. */
export const benchRollup = async (
  report: BenchReport,
  options: WarehouseOptions,
  scale: number,
): Promise<void> => {
  report.title('Rollup of the call log');
  const [rows = 0, cells = 0, bytes = 0] = await inDatabase(options.path, async (connection) => {
    await connection.run('CHECKPOINT');
    const reader = await connection.runAndReadAll(
      `SELECT CAST(sum(row_count) AS DOUBLE), CAST(count(*) AS DOUBLE),
         (SELECT CAST(count(DISTINCT block_id) * 262144 AS DOUBLE) FROM pragma_storage_info('rollup_pair') WHERE persistent)
       FROM rollup_pair`,
    );
    return (reader.getRows()[0] ?? []).map(Number);
  });
  report.figure('cells for each row', cells / rows, '');
  report.figure('bytes for each row', bytes / rows, 'B');
  {
    await using warehouse = await openWarehouse(options);
    const hour = await landings(warehouse, options.spoolDirectory, {
      start: at('2026-11-02'),
      length: 3600,
      rows: Math.round(13_900 * scale),
      rounds: 5,
    });
    // A day is built once, when it has ended.
    report.figure(
      'an hour with its part of its day, by landing',
      (hour.land + hour.build / 24) / hour.land,
      'x',
      1.1,
    );
    report.figure('  landing the hour', hour.land, 's');
    report.figure('  building its day', hour.build, 's');
    const days = await landings(warehouse, options.spoolDirectory, {
      start: at('2026-11-06'),
      length: 3 * 86_400,
      rows: Math.round(1_000_000 * scale),
      rounds: 3,
    });
    report.figure(
      'three days with their cells and hours, by those without hours',
      (days.land + days.build + days.hours) / (days.land + days.build),
      'x',
      1.1,
    );
    report.figure('three days with their cells, by landing', (days.land + days.build) / days.land, 'x', 1.25);
  }
  const [hourCells = 0, hourBytes = 0, allBytes = 0] = await inDatabase(options.path, async (connection) => {
    await connection.run('CHECKPOINT');
    const bytesOf = (table: string): string =>
      `(SELECT CAST(count(DISTINCT block_id) * 262144 AS DOUBLE) FROM pragma_storage_info('${table}') WHERE persistent)`;
    const reader = await connection.runAndReadAll(
      `SELECT CAST((SELECT count(*) FROM rollup_hour) AS DOUBLE) / (SELECT sum(calls) FROM rollup_hour), ${bytesOf('rollup_hour')} + ${bytesOf('rollup_hour_model')} + ${bytesOf('rollup_hour_key')},
         (SELECT CAST(total_blocks - free_blocks AS DOUBLE) * block_size FROM pragma_database_size() WHERE database_name NOT LIKE 'temp%' LIMIT 1)`,
    );
    return (reader.getRows()[0] ?? []).map(Number);
  });
  report.figure('cells of hours for each row', hourCells, '');
  report.figure('size with hours, by that without', allBytes / (allBytes - hourBytes), 'x', 1.1);
  const millions = await simulateYear(options.path);
  await coverCalls(options.path, { account: 'simulated', start: at('2024-12-31'), end: at('2026-01-02') });
  await using warehouse = await openWarehouse(options);
  const definition = await spendSummary();
  const asked = { account: 'simulated', period: '2025-01-01..2026-01-01', rows: millions };
  await buildSummary(warehouse, definition, asked);
  const { seconds } = await measure(async () => buildSummary(warehouse, definition, asked));
  report.figure(`a year of ${Math.round(millions)} million simulated calls`, seconds, 's', 2);
};
