import { expect, it } from 'vitest';
import { interval, toSeconds, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { openWarehouse } from '../../../src/warehouse/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { batchOfCalls } from '../archive/archive-support.ts';
import { optionsIn, testFolder } from '../support.ts';

const hour = 3_600_000;
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
