import { createHash } from 'node:crypto';
import { DuckDBConnection } from '@duckdb/node-api';
import { expect, it, vi } from 'vitest';
import { interval, money, systemClock, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { KeyEvidence } from '../../../src/keys/model/ports.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { at, batchOfCalls, now, openAt, type Call } from '../archive/archive-support.ts';
import { key, snapshotOf } from '../snapshots/snapshots-support.ts';
import { openNew } from '../support.ts';
import { approved, titled } from '../../support/approved.ts';
import { isOnPostgres } from '../../support/postgres-warehouse.ts';

const call = (moment: string, change: Partial<Call> = {}): Call => ({
  at: at(moment),
  model: 'model-a',
  key: 'billing.g1',
  kind: 'consumption',
  prompt: 10,
  quota: '0.5',
  note: '',
  ...change,
});

const january = interval(at('2024-01-01'), at('2024-02-01'));
const february = interval(at('2024-02-01'), at('2024-03-01'));

it.skipIf(isOnPostgres)(
  'the evidence counts each call under a name in the half-open interval, including failed and archived calls',
  async () => {
    const { folder, warehouse } = await openNew(openAt);
    const { landWindow } = warehouse.logs;
    await landWindow(
      await batchOfCalls(folder, january, [
        call('2024-01-10'),
        call('2024-01-11', { kind: 'error', quota: '0', model: 'model-b' }),
        call('2024-01-12', { key: 'billing.g2' }),
        call('2024-01-13', { kind: 'refund', quota: '-0.2' }),
        call('2024-01-14', { kind: 'management', quota: '0' }),
        call('2024-01-15', { key: ' billing.g1 ', kind: 'a kind of its own', quota: '0', model: 'model-b' }),
      ]),
    );
    await landWindow(
      await batchOfCalls(folder, february, [
        call('2024-02-01'),
        call('2024-02-02T00:00:01'),
        call('2024-02-03'),
      ]),
    );
    await warehouse.archive.run({ account: 'main', settle: 0, retain: 100 * 86_400_000 });
    expect((await warehouse.archive.months('main')).map(({ state }) => state)).toContain('sole');

    const evidence: KeyEvidence = warehouse.keys;
    const use = async (name: string, from: string, to: string) =>
      evidence.use('main', name, interval(at(from), at(to)));
    expect(await use('billing.g1', '2024-01-10', '2024-02-02T00:00:01')).toEqual({
      calls: 4,
      lastCall: at('2024-02-01'),
      spend: money('0.8'),
      models: [
        { model: 'model-a', calls: 2 },
        { model: 'model-b', calls: 2 },
      ],
    });
    expect((await use('billing.g1', '2024-01-10', '2024-02-02T00:00:02')).calls).toBe(5);
    expect((await use('billing.g1', '2024-01-10T00:00:01', '2024-02-02T00:00:01')).calls).toBe(3);
    // Only refunds and management rows: no calls.
    expect(await use('billing.g1', '2024-01-13', '2024-01-15')).toEqual({
      calls: 0,
      spend: money('-0.2'),
      models: [],
    });
    expect(await use('billing', '2024-01-01', '2024-03-01')).toEqual({
      calls: 0,
      spend: money('0'),
      models: [],
    });
    expect(await evidence.use('other', 'billing.g1', january)).toMatchObject({ calls: 0 });

    // A query for many names at once gives the same, for any name, known or not.
    const names = [
      'billing.g2',
      ' billing.g1',
      'billing',
      "'; DROP TABLE call_log",
      '\ud800',
      'billing.g1',
      'billing',
    ];
    const both = interval(at('2024-01-10'), at('2024-02-02T00:00:01'));
    const uses = await warehouse.keys.uses('main', names, both);
    expect([...uses.keys()]).toEqual([...new Set(names)]);
    for (const name of names) expect(uses.get(name)).toEqual(await evidence.use('main', name, both));
    expect(uses.get(' billing.g1')).toEqual(uses.get('billing.g1'));
    expect(uses.get('billing.g1')).toMatchObject({ calls: 4, spend: '0.8' });
    expect(uses.get('billing.g2')).toMatchObject({ calls: 1, models: [{ model: 'model-a', calls: 1 }] });
    const few = await warehouse.keys.uses('main', names, both, 1);
    expect(few.get('billing.g1')).toMatchObject({ calls: 4, models: [{ model: 'model-a', calls: 2 }] });
    const none = await warehouse.keys.uses('main', names, both, 0);
    expect(none.get('billing.g1')).toMatchObject({ calls: 4, models: [] });
    expect(await warehouse.keys.uses('main', [], both)).toEqual(new Map());

    const { calls = 0, lastCall = 0 } = uses.get('billing.g1') ?? {};
    const hours = await warehouse.keys.hoursUsed('main', [' billing.g1', 'billing.g1'], both);
    expect(hours).toEqual([...new Set(hours)].toSorted((one, other) => one - other));
    expect(hours.at(-1)).toBe(Math.floor(lastCall / 3600) * 3600);
    expect(hours.length).toBeLessThanOrEqual(calls);
    expect(await warehouse.keys.hoursUsed('main', ['billing.g9'], both)).toEqual([]);
  },
);

it('one read of the log finds 2,000 keys in 20,000 calls', async () => {
  const { folder, warehouse } = await openNew(openAt);
  const names = Array.from({ length: 2000 }, (_, index) => `service-${index}.g1`);
  const calls = Array.from({ length: 20_000 }, (_, index) =>
    call('2024-01-10', { key: names[index % 1999] ?? '', model: `model-${index % 7}`, quota: '0.001' }),
  );
  await warehouse.logs.landWindow(await batchOfCalls(folder, january, calls));
  const statements = vi.spyOn(DuckDBConnection.prototype, 'run');
  const uses = await warehouse.keys.uses('main', names, january, 3);
  const ofAll = statements.mock.calls.length;
  expect(ofAll).toBeGreaterThan(0);
  await warehouse.keys.uses('main', names.slice(0, 1), january, 3);
  expect(statements.mock.calls.length - ofAll).toBe(ofAll);
  statements.mockRestore();
  expect(uses.get('service-0.g1')).toMatchObject({ calls: 11, lastCall: at('2024-01-10'), spend: '0.011' });
  expect(uses.get('service-0.g1')?.models).toHaveLength(3);
  expect(uses.get('service-1999.g1')).toEqual({ calls: 0, spend: '0', models: [] });
  expect([...uses.values()].reduce((sum, use) => sum + use.calls, 0)).toBe(20_000);
});

const noon = at('2024-05-01T12:00:00');
/** The last hour of a pull that asked at noon and ten minutes. */
const hour = interval(unixSeconds(noon - 3600), noon);
const minute = 60;

/** A warehouse into which one window was pulled, asked for `lag` seconds after its end and landed at once. */
const pulled = async (
  options: { readonly lag?: number; readonly calls?: readonly Call[]; readonly bad?: number } = {},
) => {
  const { lag = 600, calls = [], bad } = options;
  let moment = unixMillis((noon + lag) * 1000);
  const clock = { ...systemClock, now: () => moment };
  const { folder, warehouse } = await openNew((place) => openAt(place, 'test', now, { clock }));
  const aside = bad === undefined ? [] : [{ line: 2, text: 'x', reason: 'odd', at: unixSeconds(bad) }];
  const land = async (window = hour, askedAfter = lag, rows = calls): Promise<void> => {
    moment = unixMillis((window.end + askedAfter) * 1000);
    const batch = await batchOfCalls(folder, window, rows);
    await warehouse.logs.landWindow({ ...batch, settled: window.end, quarantined: aside });
    moment = now;
  };
  await land();
  return { warehouse, land };
};

const completeIn =
  (warehouse: Warehouse, account = 'main') =>
  async (from: number, to: number) =>
    warehouse.keys.logComplete(account, interval(unixSeconds(from), unixSeconds(to)));

it('the evidence gives the reason why it is incomplete', async () => {
  const why = async (warehouse: Warehouse, from: number, to: number, account?: string): Promise<string> => {
    const found = await completeIn(warehouse, account)(from, to);
    return found.complete ? '' : found.why;
  };
  const { warehouse } = await pulled();
  const early = (await pulled({ lag: 2 * minute })).warehouse;
  const calls = [call('2024-05-01T11:40:00', { key: ' ' })];
  const odd = (await pulled({ calls, bad: noon - 10 * minute })).warehouse;
  const texts: [string, string][] = [
    ['it ends too early', await why(warehouse, noon - minute, noon + 1)],
    ['it begins too late', await why(warehouse, hour.start - 1, noon)],
    ['there is none', await why(warehouse, hour.start, noon, 'other')],
    ['it was requested too early', await why(early, hour.start, noon)],
    ['a call has no name', await why(odd, hour.start, noon)],
    ['a row is in quarantine', await why(odd, noon - 15 * minute, noon)],
  ];
  await expect(titled(texts)).toMatchFileSnapshot(approved('warehouse/log-evidence'));
});

it('the evidence is complete when late rows had arrived before the request', async () => {
  const { warehouse, land } = await pulled({ calls: [call('2024-05-01T11:30:00')] });
  const complete = completeIn(warehouse);
  expect(await complete(hour.start, noon)).toEqual({ complete: true });
  expect(await complete(noon - minute, noon)).toEqual({ complete: true });
  const why = expect.any(String) as string;
  expect(await complete(noon - minute, noon + 1)).toEqual({ complete: false, through: noon, why });
  expect(await complete(hour.start - 1, noon)).toEqual({ complete: false, why });
  expect(await complete(noon + 5, noon + 10)).toMatchObject({ complete: false });
  expect(await warehouse.keys.logComplete('other', hour)).toEqual({ complete: false, why });
  // The next hour comes too, and the two are one.
  await land(interval(noon, unixSeconds(noon + 3600)), 600, []);
  expect(await complete(hour.start, noon + 3600)).toEqual({ complete: true });
});

it('evidence requested too early is incomplete for any lag of the pull', async () => {
  const { warehouse, land } = await pulled({ lag: 2 * minute });
  const through = noon - 8 * minute;
  expect(await warehouse.keys.logComplete('main', hour)).toMatchObject({ complete: false, through });
  const early = interval(hour.start, unixSeconds(through));
  expect(await warehouse.keys.logComplete('main', early)).toEqual({ complete: true });
  // Pulled again later, as closed days are.
  await land(hour, 86_400);
  expect(await warehouse.keys.logComplete('main', hour)).toEqual({ complete: true });
});

it('a gap between pulls, a row in quarantine and calls without a name make the evidence incomplete', async () => {
  const bad = noon - 10 * minute;
  const nameless = call('2024-05-01T11:40:00', { key: ' ' });
  const refund = call('2024-05-01T11:05:00', { key: '', kind: 'refund' });
  const { warehouse, land } = await pulled({ calls: [refund, nameless], bad });
  const complete = completeIn(warehouse);
  expect(await complete(hour.start, noon)).toMatchObject({ complete: false, through: nameless.at });
  expect(await complete(nameless.at + 1, noon)).toMatchObject({ complete: false, through: bad });
  expect(await complete(bad + 1, noon)).toEqual({ complete: true });
  expect(await complete(hour.start, nameless.at)).toEqual({ complete: true });
  const later = noon + 2 * 3600;
  await land(interval(unixSeconds(later - 3600), unixSeconds(later)), 600, []);
  // The cursor does not pass over the hour between.
  expect(await complete(bad + 1, later - 3600)).toMatchObject({ complete: false, through: noon });
});

it('a gap to another source makes the evidence incomplete until that source agrees', async () => {
  const { warehouse } = await pulled();
  const complete = completeIn(warehouse);
  const early = interval(hour.start, unixSeconds(hour.start + 900));
  const gap = {
    source: 'statistics',
    range: early,
    gap: money('1'),
    unit: 'USD',
    verdict: 'truncated',
    text: 'The log is short.',
    notedAt: unixMillis(5),
  } as const;
  const compare = async (range: typeof early, verdict: string, comparedAt: number) =>
    warehouse.comparisons.put('main', [
      {
        source: 'statistics',
        range,
        ours: money('1'),
        theirs: money('2'),
        gap: money('1'),
        unit: 'USD',
        verdict,
        text: 'Two sums differ.',
        comparedAt: unixMillis(comparedAt),
      },
    ]);
  await warehouse.comparisons.noteGaps('main', [{ ...gap, state: 'open' }]);
  const short = { complete: false, why: expect.stringMatching(/reconcile: The log is short$/) as string };
  expect(await complete(hour.start, noon)).toEqual(short);
  // While it is open what comes after it is not noted by itself.
  expect(await complete(early.end, noon)).toEqual(short);
  await warehouse.comparisons.noteGaps('main', [{ ...gap, state: 'passed' }]);
  expect(await complete(early.end, noon)).toEqual({ complete: true });
  expect(await complete(early.end - 1, noon)).toEqual(short);
  await warehouse.comparisons.noteGaps('main', [{ ...gap, state: 'healed' }]);
  expect(await complete(hour.start, noon)).toEqual({ complete: true });

  await compare(interval(early.end, noon), 'unexplained', 10);
  expect(await complete(hour.start, noon)).toEqual({
    complete: false,
    through: early.end,
    why: expect.stringMatching(/reconcile: Two sums differ$/) as string,
  });
  await compare(interval(early.end, unixSeconds(noon - 1)), 'late data', 11);
  await compare(interval(early.end, unixSeconds(noon - 1)), 'equal', 12);
  expect(await complete(hour.start, noon - 1)).toEqual({ complete: true });
  expect(await complete(hour.start, noon)).toMatchObject({ complete: false });
  await compare(hour, 'rounding', 13);
  expect(await complete(hour.start, noon)).toEqual({ complete: true });
});

it('the inventory gives each id listed under a name at a moment or later', async () => {
  const { warehouse } = await openNew(openAt);
  const shown = (id: number) => key(id, { name: 'billing.g1' });
  await warehouse.snapshots.land(snapshotOf(100, [shown(1), key(2)]));
  await warehouse.snapshots.land(snapshotOf(200, [shown(1), shown(3), key(2)]));
  await warehouse.snapshots.land(snapshotOf(300, [shown(3), key(2, { name: 'billing.g1 ' })]));
  const ids = async (since: number) => warehouse.keys.idsNamed('main', 'billing.g1', unixMillis(since));
  expect(await ids(100)).toEqual([1, 2, 3]);
  expect(await ids(299)).toEqual([1, 2, 3]);
  // The third inventory no longer showed it under this name.
  expect(await ids(300)).toEqual([2, 3]);
  expect(await ids(1000)).toEqual([2, 3]);
  expect(await warehouse.keys.idsNamed('other', 'billing.g1', unixMillis(0))).toEqual([]);
  expect(await warehouse.keys.idsNamed('main', 'billing', unixMillis(0))).toEqual([]);
  const names = ['billing', 'billing.g1', ' billing.g1', 'key 2'];
  expect([...(await warehouse.keys.idsOf('main', names, unixMillis(299)))]).toEqual([
    ['billing', []],
    ['billing.g1', [1, 2, 3]],
    [' billing.g1', [1, 2, 3]],
    ['key 2', [2]],
  ]);
});

it('the inventory gives each name that a key was listed under at a moment or later, including renamed keys', async () => {
  const { warehouse } = await openNew(openAt);
  const { land } = warehouse.snapshots;
  await land(snapshotOf(100, [key(1, { name: 'billing.g1' }), key(2)]));
  await land(snapshotOf(200, [key(1, { name: 'billing-legacy' }), key(2)]));
  // The same name for two reasons apart is one name.
  await land(snapshotOf(300, [key(1, { name: 'billing-legacy', unlimitedQuota: false }), key(2)]));
  await land(snapshotOf(400, [key(2)]));
  await land(snapshotOf(500, [key(1, { name: ' billing' }), key(2)]));
  const evidence: KeyEvidence = warehouse.keys;
  const names = async (since: number, id = 1) =>
    (await evidence.namesOf('main', [id], unixMillis(since))).get(id);
  expect(await names(0)).toEqual(['billing.g1', 'billing-legacy', ' billing']);
  // What the newest inventory before it showed was so at the moment.
  expect(await names(199)).toEqual(['billing.g1', 'billing-legacy', ' billing']);
  expect(await names(200)).toEqual(['billing-legacy', ' billing']);
  expect(await names(450)).toEqual([' billing']);
  expect(await names(9000)).toEqual([' billing']);
  expect(await names(0, 2)).toEqual(['key 2']);
  expect(await names(0, 3)).toEqual([]);
  expect(await evidence.namesOf('other', [1], unixMillis(0))).toEqual(new Map([[1, []]]));
  expect(await evidence.namesOf('main', [2, 1, 2], unixMillis(450))).toEqual(
    new Map([
      [2, ['key 2']],
      [1, [' billing']],
    ]),
  );
});

it('a key whose name looks like a key is stored as its fingerprint, and its calls are found under either', async () => {
  const { folder, warehouse } = await openNew(openAt);
  const name = `sk-${'a1B2'.repeat(8)}`;
  const fingerprint = `sha256:${createHash('sha256').update(name).digest('hex')}`;
  await warehouse.logs.landWindow(
    await batchOfCalls(folder, january, [call('2024-01-10', { key: fingerprint })]),
  );
  await warehouse.snapshots.land(snapshotOf(1, [key(7, { name })]));
  for (const asked of [name, fingerprint]) {
    expect(await warehouse.keys.use('main', asked, january)).toMatchObject({ calls: 1 });
    expect(await warehouse.keys.idsNamed('main', asked, unixMillis(0))).toEqual([7]);
  }
});
