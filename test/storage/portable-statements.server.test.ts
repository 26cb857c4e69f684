import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interval, money, silentLog, unixMillis, unixSeconds } from '../../src/core/index.ts';
import { postgresStatements } from '../../src/storage/index.ts';
import { schema } from '../../src/warehouse/schema.ts';
import type { Warehouse } from '../../src/warehouse/index.ts';
import { createWarehouse } from '../../src/warehouse/warehouse.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { withNotes } from '../support/noted-statements.ts';
import { noPostgres, startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { key, snapshotOf } from '../warehouse/snapshots/snapshots-support.ts';
import { batchOf, openSchema, optionsIn, testFolder, type TestFolder } from '../warehouse/support.ts';
import { cursorAt, runAt } from './ledger/ledger-support.ts';

const tableOf = (statement: string): string => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? '';

/** Calls, what is derived from them, and the tables of one statement; the engine's own tables. */
const isOfRows =
  /\b(?:call_log|call_archive|rollup_\w+|sums_(?:before|after)|unclear_now|log_now|duckdb_\w+)\b/;
const isOfState = (statement: string): boolean =>
  !isOfRows.test(statement) && /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(statement);

const [account, other] = ['main', 'other'];
const at = unixMillis;
const day = 86_400;
const range = interval(unixSeconds(900), unixSeconds(1800));
const series = { account, dimension: 'model', metric: 'spend', granularity: 'hour' } as const;
const columns = [
  { name: 'created_at', role: 'created_at' },
  { name: 'model_name', role: 'model_name' },
  { name: 'token_name', role: 'token_name' },
  { name: 'prompt_tokens', role: 'prompt_tokens' },
  { name: 'cached_tokens', role: 'cached_tokens' },
  { name: 'quota', role: 'quota' },
  { name: 'status' },
] as const;

const useClosed = async ({ closed, spend }: Warehouse): Promise<void> => {
  const { net } = await spend(account, interval(unixSeconds(0), unixSeconds(31 * day)));
  const month = { account, month: '1970-01', zone: 'UTC', spend: net, currency: 'USD', verdict: 'agrees' };
  const { state } = await closed.close({ ...month, reached: unixSeconds(31 * day) });
  expect(state).toBe('closed');
  await Promise.all([closed.months(account), closed.rows(account, '1970-01')]);
  await Promise.all([closed.prices(account, '1970-01'), closed.corrections(account, '1970-02')]);
};

const useLogs = async ({ logs, ...warehouse }: Warehouse, folder: TestFolder): Promise<void> => {
  const land = async (lines: readonly string[], change: Parameters<typeof batchOf>[2] = {}) =>
    logs.landWindow(await batchOf(folder, lines, { columns, ...change }));
  const bad = { line: 2, text: 'x', reason: 'unreadable', at: unixSeconds(950) };
  await land(['900,m,k,5,9,0.5,ok', '901,m,k,0,0,0,failed'], { quarantined: [bad] });
  await land(['900,m,k,5,9,0.75,ok', '901,m,k,0,0,0,failed'], { quarantined: [{ ...bad, at: undefined }] });
  await land(['900,m,k,5,9,2,ok'], { account: other });
  await logs.proveAmounts(other, 'currency');
  await logs.correctAmounts(account);
  await Promise.all([logs.watermark(account), logs.landings(account, range.start), logs.windows(account)]);
  await Promise.all([logs.quarantined(account), logs.quarantined(account, range), logs.kindLabels(account)]);
  await logs.unclear(account, range);
  await warehouse.restatements.since(account, at(0), range);
  await warehouse.tokens.configure(account, { 'm*': 'includes_cache' }, { 'm*': 'includes_reasoning' });
  await warehouse.tokens.conventions(account);
  // Enough calls to show what a cached token costs.
  const calls = Array.from({ length: 600 }, (_, call) => {
    const [prompt, cached] = [1000 + ((call * 37) % 500), call % 2 === 0 ? 0 : 100 + ((call * 53) % 700)];
    const quota = ((prompt - cached) * 10 + cached) / 1e6;
    return `${day + call},m,k,${prompt},${cached},${quota.toFixed(6)},ok`;
  });
  const window = interval(unixSeconds(day), unixSeconds(2 * day));
  await land(calls, { window, asked: window });
  await warehouse.tokens.judge(account);
  await logs.removeFutureRows(account);
};

const useUsage = async ({ usage }: Warehouse): Promise<void> => {
  const window = interval(at(0), at(7_200_000));
  const batch = { ...series, window, layout: 'long', bytes: 1, unitsPerCurrency: 500_000, opensRange: true };
  const valuesOf = (...values: readonly string[]) =>
    values.map((value, hour) => ({ bucket: at(hour * 3_600_000), entry: 'm', value: money(value) }));
  await usage.landWindow({ ...batch, values: valuesOf('1.5', '2') });
  // In integer units, as nothing but the log shows.
  await usage.landWindow({
    ...batch,
    window: interval(window.start, at(3_600_000)),
    values: valuesOf('750000'),
  });
  await Promise.all([usage.watermark(series), usage.watermarks(series), usage.values(series, window)]);
};

const useAccount = async ({
  snapshots,
  profile,
  comparisons,
  keys,
  notifyOnce,
}: Warehouse): Promise<void> => {
  const quota = { quota: money('1'), rpm: undefined, tpm: undefined, mpm: undefined, rest: '{}' };
  const statistics = [{ start: range.start, end: range.end, ...quota }];
  await snapshots.land(snapshotOf(1000, [key(1), key(2)], { statistics }));
  await snapshots.land(snapshotOf(2000, [key(1, { name: 'renamed' })]));
  await snapshots.land(snapshotOf(1500, [key(1), key(3)], { profile: undefined }));
  await snapshots.land(snapshotOf(1800, [key(1, { name: 'renamed' })]));
  await Promise.all([snapshots.watermark(account), snapshots.latestAccount(account)]);
  const [from, to] = [at(0), at(5000)];
  await Promise.all([snapshots.inventoryAt(account, to), snapshots.accountBetween(account, from, to)]);
  await Promise.all([snapshots.statisticsBetween(account, from, to), snapshots.changes(account, from, to)]);
  await snapshots.quotaReadings(account, from, to);
  const point = { point: 'log.form', value: 'a', evidence: 'e', how: 'data' } as const;
  await profile.learn(account, [point]);
  await profile.learn(account, [point, { ...point, point: 'log.other' }]);
  await profile.learn(account, [{ ...point, value: 'b' }]);
  await Promise.all([profile.points(account), profile.past(account), profile.columns(account)]);
  await profile.noteColumns(account, { unasked: [{ name: 'a' }] });
  await profile.noteColumns(account, { unasked: [{ name: 'b' }] });
  await profile.noteKinds(account, range);
  await profile.changes(account);
  const figures = { gap: money('1'), unit: 'USD', verdict: 'truncated', text: 'A gap.' };
  const source = { source: 'statistics', range, ...figures } as const;
  const compared = { ...source, ours: money('1'), theirs: money('2'), comparedAt: at(1) };
  await comparisons.put(account, [compared, { ...compared, entry: 'm' }]);
  await Promise.all([comparisons.list(account), comparisons.list(account, { range, source: 'balance' })]);
  await Promise.all([comparisons.newest(account), comparisons.disputed(account)]);
  await comparisons.noteSearch(account, { range, searchedAt: at(1) });
  await comparisons.searches(account);
  await comparisons.noteCheck(account, { range, gatewaySum: money('1'), checkedAt: at(1) });
  await comparisons.checks(account);
  await comparisons.noteLagging(account, range, [{ range, gatewaySum: money('1'), tries: 9 }]);
  await comparisons.noteGaps(account, [{ ...source, state: 'open', notedAt: at(1) }]);
  for (const kind of ['learned', 'gap', 'late'] as const) await notifyOnce(kind, account, async () => []);
  const unit = { source: 'statistics', unit: 'USD', perCurrency: money('1'), refunds: 'unknown' } as const;
  await comparisons.learn(account, { ...unit, places: 2, figures: 3, evidence: '{}', learnedAt: at(1) });
  await comparisons.units(account);
  await Promise.all([
    comparisons.landings(account, range),
    comparisons.usageLandings(account, series, range),
  ]);
  const step = { account, service: 's', rotation: 'r', what: 'created', hash: 'h', event: '{}' };
  const lineage = { account, keyId: 1, service: 's', generation: 1, name: 'k', born: at(1) };
  await keys.append([{ ...step, seq: 1, at: at(1) }], [lineage]);
  await Promise.all([keys.last(), keys.events(), keys.events({ account }), keys.lineage(account)]);
  await keys.logComplete(account, range);
  await Promise.all([keys.idsNamed(account, 'k', at(0)), keys.namesOf(account, [1], at(0))]);
};

const useForecasts = async ({ forecasts }: Warehouse): Promise<void> => {
  const subject = { scope: 'account', zone: 'UTC', anchorDay: 1 };
  const [month, next] = ['1970-01-01', '1970-02-01'];
  await forecasts.keep(account, [{ ...subject, content: '{}' }], at(1));
  await forecasts.kept(account);
  const amounts = { amount: money('2'), low: money('1'), high: money('3') };
  await forecasts.issue(account, [{ ...subject, month, day: 9, method: 'pace', ...amounts }], at(1));
  await forecasts.issued(account, subject);
  await forecasts.trim(account, [subject], next);
};

const useDecisions = async (warehouse: Warehouse, clock: ManualClock): Promise<void> => {
  const { alerts, backups, clocks, seriesColours, runs, outbox } = warehouse;
  const name = { account, alert: 'budget' };
  const mail = { account, kind: 'alert', subject: 's', recipient: 'r', sender: 'f', messageId: 'm' };
  const record = { alert: 'budget', level: '50%', period: '1', state: 'firing', raisedAt: at(1) } as const;
  await alerts.decide(account, ['budget'], at(1), async () => ({
    records: [record],
    mails: [{ ...mail, file: 'f.eml', queuedAt: at(1), topics: ['t'] }],
  }));
  await alerts.putStatus(account, [{ alert: 'budget', status: '{}', evaluatedAt: at(1) }], ['other']);
  await Promise.all([alerts.statuses(), alerts.statuses(account), alerts.firing(), alerts.records(account)]);
  await alerts.mute({ ...name, until: at(9), mutedAt: at(1), by: 'me' });
  await alerts.acknowledge({ ...name, at: at(1), by: 'me' });
  await Promise.all([alerts.mutes(at(2)), alerts.acknowledgements(), alerts.hasActed('me'), alerts.log(9)]);
  await alerts.unmute(account, 'budget', 'me', at(2));
  const days = { account, first: '1970-01-02', last: '1970-01-03' };
  await alerts.expect({ ...days, reason: 'migration', by: 'me', at: at(1) });
  await alerts.expected(account);
  await alerts.forget(days, 'me', at(2));
  await alerts.trim(at(9));
  await backups.note({ target: 't', name: 'n', takenAt: at(1), bytes: 1, newBytes: 1 });
  await backups.noteDrill({ target: 't', name: 'n' }, 'restored', at(2));
  await backups.newest();
  await backups.forget('t', ['n']);
  await seriesColours.assign(account, ['m']);
  for (const from of ['summaries', 'calls'] as const) await warehouse.knownNames(account, from);
  await clocks.note(account, { at: clock.now(), offset: 3 * 3_600_000, uncertainty: 500 });
  clock.advance(60_000);
  const stamps = { low: -500, high: 500 };
  await clocks.compare(account, { list: stamps, log: stamps });
  clock.advance(60_000);
  await clocks.note(account, { at: clock.now(), offset: -4 * 3_600_000, uncertainty: 500 });
  const run = runAt('pull', 1000);
  await runs.claim([{ cursor: cursorAt('pull', 1000), runs: [run] }]);
  await Promise.all([runs.attempts([run]), runs.outages(), outbox.due(at(9))]);
};

/** What a warehouse over DuckDB runs on state, as PostgreSQL would get it. */
const statementsOfUse = async (): Promise<ReadonlySet<string>> => {
  const statements = new Set<string>();
  await using folder = await testFolder();
  const clock = manualClock(1.5 * day * 1000);
  const options = { ...optionsIn(folder), clock, log: silentLog };
  const engine = withNotes(await openSchema(folder), (statement) => statements.add(statement));
  await using warehouse = await createWarehouse(engine, options);
  await useLogs(warehouse, folder);
  await useClosed(warehouse);
  await useUsage(warehouse);
  await useAccount(warehouse);
  await useForecasts(warehouse);
  await useDecisions(warehouse, clock);
  return new Set([...statements].filter(isOfState));
};

/** The statement and why PostgreSQL refuses it. */
const refusalOf = async (pool: Pool, statement: string): Promise<string | undefined> => {
  const client = await pool.connect();
  try {
    await client.query(`PREPARE one AS ${statement}`);
    await client.query('DEALLOCATE one');
    return undefined;
  } catch (error) {
    return `${String(error)}: ${statement}`;
  } finally {
    client.release();
  }
};

describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'statements on state', () => {
  let cluster: PostgresCluster | undefined;
  let pool: Pool | undefined;
  const database = (): Pool => {
    if (pool === undefined) throw new TypeError('the server did not start');
    return pool;
  };

  beforeAll(async () => {
    cluster = await startPostgres();
    pool = await cluster.createDatabase(postgresStatements(schema));
  });
  afterAll(async () => {
    await pool?.end();
    await cluster?.[Symbol.asyncDispose]();
  });

  it('PostgreSQL accepts each statement on state, and every table of state is in one', async () => {
    const statements = [...(await statementsOfUse())];
    const tables = schema.statements.map(tableOf).filter((table) => !isOfRows.test(table));
    const unused = tables.filter((table) => !statements.some((one) => one.includes(table)));
    expect(unused).toEqual([]);
    const refused: (string | undefined)[] = [];
    for (const statement of statements) refused.push(await refusalOf(database(), statement));
    expect(refused.filter((one) => one !== undefined)).toEqual([]);
  });

  it('a statement that only DuckDB accepts is refused with its text', async () => {
    const statement = 'SELECT landed_at // 1000 AS landed_at FROM log_window';
    expect(isOfState(statement)).toBe(true);
    expect(await refusalOf(database(), statement)).toContain(statement);
  });
});
