import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMoney,
  interval,
  money,
  subtractMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
} from '../../../src/core/index.ts';
import { type LogBatch, type Restated, type Warehouse } from '../../../src/warehouse/index.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { batchOf, openInMemory, optionsIn, type TestFolder, openNew } from '../support.ts';
import { few } from '../../support/storm.ts';

const seconds = unixSeconds;
const range = (start: number, end: number) => interval(seconds(start), seconds(end));
const whole = range(0, 4_000_000_000);

const withClock = async () => {
  const clock = manualClock(1_000_000_000);
  return { clock, ...(await openNew(async (folder) => openWarehouse({ ...optionsIn(folder), clock }))) };
};

/** A batch of the window; rows are `second,amount` lines, a negative amount being a refund. */
const landIn = async (
  folder: TestFolder,
  warehouse: Warehouse,
  window: LogBatch['window'],
  rows: readonly (readonly [at: number, amount: string])[],
  change: Partial<LogBatch> = {},
) =>
  warehouse.logs.landWindow(
    await batchOf(
      folder,
      rows.map(([at, amount]) => `${at},m,k,1,${amount}`),
      { window, asked: window, ...change },
    ),
  );

describe('a restatement', () => {
  it('is recorded by quarter hour and kind with the old and new sums', async () => {
    const { clock, folder, warehouse } = await withClock();
    const first = await landIn(folder, warehouse, range(900, 2700), [
      [900, '1'],
      [901, '2.5'],
      [1800, '4'],
    ]);
    expect(first.restated).toBeUndefined();
    const mailed = clock.now();
    clock.advance(1000);
    const again = await landIn(folder, warehouse, range(900, 2700), [
      [900, '1'],
      [901, '2.5'],
      [902, '0.25'],
      [903, '-0.5'],
      [1800, '4'],
    ]);
    expect(again.restated).toBe(1);
    const changed = await warehouse.restatements.since('main', mailed, whole);
    expect(changed).toEqual({
      quarters: [
        {
          quarter: 900,
          kind: 'consumption',
          old: { calls: 2, amount: '3.5' },
          new: { calls: 3, amount: '3.75' },
          changedAt: clock.now(),
        },
        {
          quarter: 900,
          kind: 'refund',
          old: { calls: 0, amount: '0' },
          new: { calls: 1, amount: '0.5' },
          changedAt: clock.now(),
        },
      ],
      old: { consumption: '3.5', refunds: '0', net: '3.5', calls: 2 },
      new: { consumption: '3.75', refunds: '0.5', net: '3.25', calls: 3 },
    });
    const none: Restated = {
      quarters: [],
      old: { consumption: money('0'), refunds: money('0'), net: money('0'), calls: 0 },
      new: { consumption: money('0'), refunds: money('0'), net: money('0'), calls: 0 },
    };
    expect(await warehouse.restatements.since('main', clock.now(), whole)).toEqual(none);
    expect(await warehouse.restatements.since('main', mailed, range(1800, 2700))).toEqual(none);
    expect(await warehouse.restatements.since('other', mailed, whole)).toEqual(none);
  });

  it.each<[string, readonly (readonly [at: number, amount: string])[]]>([
    [
      'changes a row',
      [
        [900, '0.75'],
        [1800, '4'],
      ],
    ],
    [
      'adds a row',
      [
        [900, '1'],
        [1000, '-0.25'],
        [1800, '4'],
      ],
    ],
  ])('has the same difference when a correction %s (G16.2.open)', async (_, corrected) => {
    const { clock, folder, warehouse } = await withClock();
    await landIn(folder, warehouse, range(900, 2700), [
      [900, '1'],
      [1800, '4'],
    ]);
    const mailed = clock.now();
    clock.advance(1000);
    expect((await landIn(folder, warehouse, range(900, 2700), corrected)).restated).toBe(1);
    const changed = await warehouse.restatements.since('main', mailed, whole);
    expect(changed.quarters.every(({ quarter }) => quarter === 900)).toBe(true);
    expect(subtractMoney(changed.new.net, changed.old.net)).toBe('-0.25');
  });

  it('excludes unsettled time and time landed under a fast clock', async () => {
    const { clock, folder, warehouse } = await withClock();
    await landIn(folder, warehouse, range(900, 1800), [[950, '1']], { settled: seconds(1000) });
    const late = await landIn(folder, warehouse, range(900, 1800), [
      [950, '1'],
      [1100, '1'],
    ]);
    expect(late.restated).toBeUndefined();
    const right = clock.now();
    clock.advance(86_400_000);
    await landIn(folder, warehouse, range(1800, 2700), []);
    clock.set(right);
    expect((await landIn(folder, warehouse, range(1800, 2700), [[1900, '1']])).restated).toBeUndefined();
  });

  it('is given in currency when amounts are units', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const amounts = { form: 'units' as const, unitsPerCurrency: 500_000, decimalsWritten: false };
    await landIn(folder, warehouse, range(900, 1800), [[900, '1000']], { amounts });
    await landIn(folder, warehouse, range(900, 1800), [[900, '2000']], { amounts });
    const changed = await warehouse.restatements.since('main', unixMillis(0), whole);
    expect(changed).toMatchObject({ old: { net: '0.002' }, new: { net: '0.004' } });
  });

  it('is not recorded when the landing fails', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await landIn(folder, warehouse, range(900, 1800), [[900, '1']]);
    const broken = landIn(folder, warehouse, range(900, 1800), [[901, '2']], {
      total: { amount: money('3'), decimals: 2 },
    });
    await expect(broken).rejects.toMatchObject({ code: 'export-truncated' });
    expect((await warehouse.restatements.since('main', unixMillis(0), whole)).quarters).toEqual([]);
  });
});

it('old sums plus changes equal the new sums for any windows in any order', async () => {
  const { clock, folder, warehouse } = await withClock();
  const row = fc.tuple(
    fc.integer({ min: 0, max: 5399 }),
    fc.integer({ min: -50, max: 200 }).map((cents) => (cents / 100).toFixed(2)),
  );
  const landing = fc.record({
    start: fc.integer({ min: 0, max: 5000 }),
    length: fc.integer({ min: 1, max: 5400 }),
    rows: fc.array(row, { maxLength: 12 }),
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(landing, { minLength: 1, maxLength: 6 }), fc.nat(), async (landings, pick) => {
      runs += 1;
      const account = `run-${runs}`;
      const mailedAfter = pick % landings.length;
      let mailed = unixMillis(0);
      let before = await warehouse.spend(account, whole);
      /** What comes for the first time after the mail. */
      let fresh = money('0');
      const landed: boolean[] = [];
      for (const [index, { start, length, rows }] of landings.entries()) {
        clock.advance(1000);
        const window = range(start, Math.min(start + length, 5400));
        // An export without a row takes nothing away, and is refused.
        const inside = [
          ...rows.filter(([at]) => at >= window.start && at < window.end),
          [start, '0.01'] as const,
        ];
        await landIn(folder, warehouse, window, inside, { account });
        if (index > mailedAfter)
          fresh = addMoney(
            fresh,
            sumMoney(inside.filter(([at]) => landed[at] !== true).map(([, amount]) => money(amount))),
          );
        for (let at: number = window.start; at < window.end; at += 1) landed[at] = true;
        if (index === mailedAfter) {
          mailed = clock.now();
          before = await warehouse.spend(account, whole);
        }
      }
      const after = await warehouse.spend(account, whole);
      const changed = await warehouse.restatements.since(account, mailed, whole);
      const difference = subtractMoney(changed.new.net, changed.old.net);
      expect(addMoney(addMoney(before.net, difference), fresh)).toBe(after.net);
      for (const quarter of changed.quarters) expect(quarter.old).not.toEqual(quarter.new);
    }),
    { numRuns: few(10, 60) },
  );
});
