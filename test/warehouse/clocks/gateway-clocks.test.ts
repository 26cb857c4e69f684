import { expect, it } from 'vitest';
import { interval, toSeconds, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { batchOfCalls } from '../archive/archive-support.ts';
import { optionsIn, testFolder } from '../support.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-11-21T08:00:00Z');

it('a landing proves nothing about times after the gateway’s clock, which survives a restart', async () => {
  await using folder = await testFolder();
  const clock = manualClock(start);
  const options = { ...optionsIn(folder), clock };
  const landed = async (warehouse: Awaited<ReturnType<typeof openWarehouse>>, until: number) => {
    const range = interval(unixSeconds(toSeconds(unixMillis(start)) - 86_400), toSeconds(unixMillis(until)));
    const batch = await batchOfCalls(folder, range, []);
    await warehouse.logs.landWindow({ ...batch, settled: range.end });
    return (await warehouse.logs.cursor('main')) ?? 0;
  };
  {
    await using warehouse = await openWarehouse(options);
    await warehouse.clocks.note('main', { at: clock.now(), offset: -hour, uncertainty: 500 });
    // Asked for by our own clock: an hour of it is yet to come at the gateway.
    expect(await landed(warehouse, start - 600_000)).toBe((start - hour) / 1000 - 600);
    const end = toSeconds(warehouse.clocks.now('main'));
    const asked = interval(unixSeconds(end - 3600), end);
    expect(await warehouse.keys.logComplete('main', asked)).toMatchObject({ through: end - 600 });
  }
  await using warehouse = await openWarehouse(options);
  expect(warehouse.clocks.now('main')).toBe(start - hour);
  // The clock is set right, and then back by two hours: what was stamped since may come twice.
  clock.advance(hour);
  await warehouse.clocks.note('main', { at: clock.now(), offset: 0, uncertainty: 500 });
  expect(await landed(warehouse, start + hour - 600_000)).toBe((start + hour) / 1000 - 600);
  clock.advance(60_000);
  await warehouse.clocks.note('main', { at: clock.now(), offset: -2 * hour, uncertainty: 500 });
  expect(await warehouse.logs.cursor('main')).toBe((start - hour) / 1000 - 600);
});

it('a landing is judged at one moment, however long it takes to read both clocks', async () => {
  await using folder = await testFolder();
  let readings = 0;
  const clock = { ...manualClock(start), now: () => unixMillis(start + (readings += 1)) };
  await using warehouse = await openWarehouse({ ...optionsIn(folder), clock });
  const range = interval(unixSeconds(start / 1000 - 3600), unixSeconds(start / 1000 + 3600));
  await warehouse.logs.landWindow({ ...(await batchOfCalls(folder, range, [])), settled: range.end });
  expect(await warehouse.logs.cursor('main')).toBe(range.end);
});

it('windows that a Date header ahead of the stamps has landed early are pulled again, others are not', async () => {
  await using folder = await testFolder();
  const clock = manualClock(start);
  const options = { ...optionsIn(folder), clock };
  const at = (hours: number) => unixSeconds((start + hours * hour) / 1000);
  const stamps = { list: { low: -500, high: 500 }, log: { low: -500, high: 500 } };
  {
    await using warehouse = await openWarehouse(options);
    const land = async (from: number, to: number) => {
      const batch = await batchOfCalls(folder, interval(at(from), at(to)), []);
      await warehouse.logs.landWindow({ ...batch, settled: at(to) });
    };
    await warehouse.clocks.note('main', { at: clock.now(), offset: 3 * hour, uncertainty: 500 });
    await land(-24, 2);
    clock.advance(5 * hour);
    await land(2, 7);
    // What came too early in the first of them is pulled again by then.
    await land(-1, 3);
    await land(7, 8);
    clock.advance(minute);
    expect(await warehouse.clocks.compare('main', stamps)).toBe(true);
    expect(await warehouse.clocks.compare('main', stamps)).toBe(false);
    expect(warehouse.clocks.now('main')).toBe(clock.now());
    expect(await warehouse.logs.cursor('main')).toBe(at(5) - 600);
  }
  await using warehouse = await openWarehouse(options);
  expect(warehouse.clocks.of('main')).toMatchObject({
    offset: 0,
    date: { offset: 3 * hour, isConfirmed: true },
  });
});
