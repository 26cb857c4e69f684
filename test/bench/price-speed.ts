import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { mailFolder } from '../../src/notify/index.ts';
import { interval, unixMillis, unixSeconds } from '../../src/core/index.ts';
import { jobKinds } from '../../src/jobs/index.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/index.ts';
import { alertContext } from './alert-context.ts';
import { coverCalls } from './report-rows.ts';
import { at, benchOptions } from './report-speed.ts';
import type { BenchReport } from './report.ts';

const models = 60;
const months = 12;
const seeds = 20;
const callsADay = 240;
const first = at('2025-06-01');
const day = 86_400;

/** What happens to a model of a seed at a moment of the ninth day, by its number. */
const planted = [
  { name: 'in-same', level: undefined, input: '2e-6', cached: '1.2e-6', output: '8e-6' },
  { name: 'in-input', level: 'changed', input: '2.1e-6', cached: '1.2e-6', output: '8e-6' },
  { name: 'in-all', level: 'changed', input: '2.1e-6', cached: '1.26e-6', output: '8.4e-6' },
  { name: 'in-cached', level: 'unbilled', input: '2e-6', cached: '0', output: '8e-6' },
  { name: 'in-output', level: 'unbilled', input: '2e-6', cached: '1.2e-6', output: '0' },
] as const;

/** Between 0 and 1, always the same for the same row. */
const part = (salt: number): string => `(hash(i * 64 + ${salt}) % 1000000) / 1000000.0`;

/** Calls whose prices are those of SQL: `input`, `cached` and `output` of one token, charged to the millionth. */
const fillSql = (
  names: string,
  prices: { readonly input: string; readonly cached: string; readonly output: string },
): string => `
  INSERT INTO call_log BY NAME
  SELECT $account AS account, created_at, created_at // 900 * 900 AS quarter, model_name, token_name, kind,
    prompt AS prompt_tokens, completion AS completion_tokens, cached AS cached_tokens, 0 AS cache_write_tokens,
    0 AS reasoning_tokens, 31 AS served_columns,
    CAST(CASE WHEN kind = 'error' THEN 0 ELSE round(((prompt - cached) * ${prices.input} + cached * ${prices.cached}
      + completion * ${prices.output}) * ratio, 6) END AS DECIMAL(28, 12)) AS quota
  FROM (
    SELECT *, CAST(prompt * CASE WHEN ${part(5)} < 0.6 THEN 0.9 * ${part(6)} ELSE 0 END AS BIGINT) AS cached
    FROM (
      SELECT i, model, ${names} AS model_name, 'key-' || i % 3 AS token_name,
        -- A third of the models have keys in groups with prices of their own.
        CASE WHEN model % 3 = 0 AND i % 3 = 0 THEN 0.5 ELSE 1 END AS ratio,
        CASE WHEN i % 97 = 0 THEN 'error' ELSE 'consumption' END AS kind,
        CAST($start AS BIGINT) + CAST((i // $models + ${part(1)}) * ${day} / ${callsADay} AS BIGINT) AS created_at,
        CAST(200 + 6000 * ${part(2)} AS BIGINT) AS prompt, CAST(20 + 900 * pow(${part(3)}, 2) AS BIGINT) AS completion
      FROM (SELECT i, i % $models AS model FROM range(CAST($rows AS BIGINT)) AS made (i))
    )
  )`;

const fill = async (
  file: string,
  account: string,
  sql: string,
  { start, days, count }: { readonly start: number; readonly days: number; readonly count: number },
): Promise<void> => {
  const instance = await DuckDBInstance.create(file, { threads: '2', memory_limit: '4GB' });
  const connection = await instance.connect();
  await connection.run(sql, {
    account,
    start: BigInt(start),
    models: BigInt(count),
    rows: BigInt(days * callsADay * count),
  });
  // Calls that did not land have shown nothing about their tokens.
  await connection.run(
    `INSERT INTO token_convention (account, model_name, convention, decided_by, contradicted, evidence, output_convention)
     SELECT DISTINCT account, model_name, 'includes_cache', 'config', false, '[]', 'includes_reasoning'
     FROM call_log WHERE account = $account`,
    { account },
  );
  connection.closeSync();
  instance.closeSync();
};

/** What the rule finds of an account on the days after the eighth, each as a run at the end of it. */
const findings = async (
  warehouse: Warehouse,
  folder: string,
  { account, days, start }: { readonly account: string; readonly days: number; readonly start: number },
): Promise<readonly string[]> => {
  const kind = jobKinds.find((one) => one.kind === 'alert');
  if (kind === undefined) throw new Error('there is no kind alert');
  const settings = await kind.shape.parseAsync({ lag: '0s', price_change: true });
  for (let ended = 8; ended <= days; ended += 1) {
    const end = unixSeconds(start + ended * day);
    const now = unixMillis(end * 1000);
    const context = alertContext({ account, warehouse, folder, now });
    const upToNow: Warehouse = {
      ...warehouse,
      logs: { ...warehouse.logs, watermark: async () => interval(unixSeconds(start), end) },
    };
    await kind.run(settings, {
      ...context,
      warehouse: upToNow,
      mail: { from: 'tollkeeper@example.com', mails: mailFolder(join(folder, 'outbox')) },
    });
  }
  return (await warehouse.alerts.records(account)).map(
    ({ alert, level }) => `${alert.slice('price-change:'.length)} ${level}`,
  );
};

/** Alerts about prices that did not change, in model-months, and planted changes that the run of their day misses. */
export const benchPrices = async (report: BenchReport, scale: number): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  const options = benchOptions(folder);
  const days = 8 + Math.max(1, Math.round(30 * months * scale));
  const count = Math.max(1, Math.round(seeds * scale));
  try {
    await (await openWarehouse(options))[Symbol.asyncDispose]();
    const usual = {
      input: '(1 + model % 7) * 1e-6',
      cached: '(1 + model % 7) * 0.3e-6',
      output: '(1 + model % 5) * 4e-6',
    };
    await fill(options.path, 'year', fillSql(`'in-' || model`, usual), { start: first, days, count: models });
    await coverCalls(options.path, { account: 'year', start: first, end: first + days * day });
    for (let seed = 1; seed <= count; seed += 1) {
      const account = `seed-${seed}`;
      const change = first + 8 * day + 3600 * ((seed * 7) % 15) + 600;
      const priceOf = (name: 'input' | 'cached' | 'output', before: string): string =>
        `CASE WHEN created_at >= ${change} THEN CASE model ${planted.map((one, at) => `WHEN ${at} THEN ${one[name]}`).join(' ')} END ELSE ${before} END`;
      const names = `CASE model ${planted.map(({ name }, at) => `WHEN ${at} THEN '${name}'`).join(' ')} END`;
      await fill(
        options.path,
        account,
        fillSql(names, {
          input: priceOf('input', '2e-6'),
          cached: priceOf('cached', '1.2e-6'),
          output: priceOf('output', '8e-6'),
        }).replaceAll('hash(i * 64', `hash((i + ${seed * 1_000_003}) * 64`),
        { start: first, days: 9, count: planted.length },
      );
      await coverCalls(options.path, { account, start: first, end: first + 9 * day });
    }
    await using warehouse = await openWarehouse(options);
    report.title(
      `Prices: ${models} models over ${days - 8} days, and ${count} accounts with ${planted.length} models whose prices change`,
    );
    const wrong = await findings(warehouse, folder, { account: 'year', days, start: first });
    report.figure('alerts about prices that did not change', wrong.length, '', 1);
    report.row('  months of models', String(Math.round((models * (days - 8)) / 30)));
    let [missed, others] = [0, 0];
    const expected = planted.flatMap(({ name, level }) => (level === undefined ? [] : [`${name} ${level}`]));
    for (let seed = 1; seed <= count; seed += 1) {
      const found = await findings(warehouse, folder, { account: `seed-${seed}`, days: 9, start: first });
      missed += expected.filter((one) => !found.includes(one)).length;
      others += found.filter((one) => !expected.includes(one)).length;
    }
    report.figure('planted changes that the run of their day misses', missed, '', 1);
    report.figure('other findings beside them', others, '', 1);
    report.row('  planted changes', String(count * expected.length));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
