import { describe, expect, it } from 'vitest';
import {
  afterReading,
  afterStamps,
  stampClock,
  unixMillis,
  type MeasuredClock,
  type OwnStamps,
} from '../../src/core/index.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = unixMillis(Date.parse('2026-11-21T08:00:00Z'));
const later = unixMillis(start + hour);

const measured = (offset: number, at = start) => ({ at, offset, uncertainty: 500 });
const clockOf = (offset: number): MeasuredClock => afterReading(undefined, measured(offset)).clock;
const around = (offset: number) => ({ low: offset - 500, high: offset + 500 });
const stamps = (list?: number, log?: number): OwnStamps => ({
  ...(list === undefined ? {} : { list: around(list) }),
  ...(log === undefined ? {} : { log: around(log) }),
});

describe('the Date header', () => {
  it.each<readonly [string, number, OwnStamps]>([
    ['no key of our own is listed', 3 * hour, stamps(undefined, 0)],
    ['the list differs by minutes', 9 * minute, stamps(0, 0)],
    ['the log agrees with it', 3 * hour, stamps(0, 3 * hour)],
    ['the creation took minutes', 3 * hour, { list: { low: -3 * minute, high: 0 }, log: around(0) }],
  ])('is used where %s', (_which, offset, own) => {
    expect(afterStamps(clockOf(offset), own, later)).toBeUndefined();
  });

  it.each<readonly [string, OwnStamps]>([
    ['it is behind the list, and no call is logged', stamps(0)],
    ['the log agrees with neither', stamps(0, hour)],
  ])('is used, and nothing is concluded, where %s', (_which, own) => {
    const after = afterStamps(clockOf(-3 * hour), own, later);
    expect(after?.dateError).toMatchObject({ error: 0, isConfirmed: false });
    expect(after && afterStamps(after, own, later)).toBeUndefined();
    expect(after && afterStamps(after, stamps(0, 0), later)?.dateError).toMatchObject({
      error: -3 * hour,
      isConfirmed: true,
    });
    expect(after && afterStamps(after, stamps(0, -3 * hour), later)).toMatchObject({ dateError: undefined });
  });

  it.each([3 * hour, -3 * hour])('is replaced where list and log contradict it by %d ms', (offset) => {
    const after = afterStamps(clockOf(offset), stamps(0, 0), later);
    expect(after && stampClock(after)).toMatchObject({
      offset: 0,
      since: later,
      jump: 3 * hour,
      date: { offset, isConfirmed: true },
    });
  });

  it('is replaced where it is ahead of the list, and confirmed by the first call in the log', () => {
    const before = clockOf(3 * hour);
    const found = afterStamps(before, stamps(0), later);
    expect(found?.dateError).toEqual({ error: 3 * hour, isConfirmed: false, foundAt: later });
    expect(found && afterStamps(found, stamps(0), unixMillis(later + hour))).toBeUndefined();
    const confirmed = found && afterStamps(found, stamps(0, 0), unixMillis(later + hour));
    expect(confirmed?.dateError).toEqual({ error: 3 * hour, isConfirmed: true, foundAt: later });
    // The log can also show that the list alone is wrong.
    const right = found && afterStamps(found, stamps(0, 3 * hour), unixMillis(later + hour));
    expect(right).toMatchObject({ offset: 3 * hour, since: later + 4 * hour, dateError: undefined });
  });

  it('that was wrong is trusted after a jump only where it agrees with the local clock', () => {
    const wrong = afterStamps(clockOf(3 * hour), stamps(0, 0), later);
    const then = unixMillis(later + hour);
    const still = afterReading(wrong, measured(2 * hour, then)).clock;
    expect(stampClock(still)).toMatchObject({ offset: 2 * hour, date: { isConfirmed: false } });
    expect(afterStamps(still, stamps(2 * hour, 2 * hour), then)?.dateError).toBeUndefined();
    expect(afterStamps(still, stamps(0, 0), then)?.dateError).toMatchObject({
      error: 2 * hour,
      isConfirmed: true,
    });
    expect(afterReading(still, measured(0, unixMillis(then + hour))).clock.dateError).toBeUndefined();
  });

  it('is used again once it jumps, and what was stamped since counts from the time of the stamps', () => {
    const wrong = afterStamps(clockOf(3 * hour), stamps(0, 0), later);
    const same = afterReading(wrong, measured(3 * hour, later));
    expect(stampClock(same.clock).offset).toBe(0);
    const { clock, suspectFrom } = afterReading(same.clock, measured(0, unixMillis(later + hour)));
    expect(stampClock(clock)).toMatchObject({ offset: 0, since: later + hour });
    expect(suspectFrom).toBe(later - 3 * hour);
  });
});
