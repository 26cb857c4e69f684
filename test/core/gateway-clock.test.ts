import { describe, expect, it } from 'vitest';
import { afterReading, clockOffset, readClock, unixMillis } from '../../src/core/index.ts';
import type { ClockReading } from '../../src/core/index.ts';

const start = Date.parse('2026-11-21T08:00:00Z');
const minute = 60_000;

const reading = (at: number, offset: number, more: Partial<ClockReading> = {}): ClockReading => ({
  at: unixMillis(start + at),
  offset,
  uncertainty: 600,
  ...more,
});

describe('a reading of the Date header', () => {
  it('has half of the round trip and half of a second as uncertainty', () => {
    const date = new Date(start - 3_600_000).toUTCString();
    expect(readClock({ date }, unixMillis(start), unixMillis(start + 400), 7)).toEqual({
      at: start + 400,
      uptime: 7,
      offset: -3_600_000 + 300,
      uncertainty: 700,
    });
  });

  it.each([
    ['without a Date', {}, 0],
    ['with a Date that is none', { date: 'yesterday' }, 0],
    ['out of a cache', { date: new Date(start).toUTCString(), age: '30' }, 0],
    ['during which our clock was set back', { date: new Date(start).toUTCString() }, -1],
  ])('is none of an answer %s', (_which, headers, took) => {
    expect(readClock(headers, unixMillis(start), unixMillis(start + took), undefined)).toBeUndefined();
  });
});

describe('what is known of a clock', () => {
  const first = afterReading(undefined, reading(0, 200)).clock;

  it('is that it is right while the measurement allows it', () => {
    expect(clockOffset(undefined)).toBe(0);
    expect(clockOffset(first)).toBe(0);
    expect(clockOffset(reading(0, -90_000))).toBe(-90_000);
  });

  it('stays the same while the clocks drift as clocks do', () => {
    const { clock, suspectFrom } = afterReading(first, reading(60 * minute, 900));
    expect(clock).toMatchObject({ since: first.since, jump: 0, offset: 900 });
    expect(suspectFrom).toBeUndefined();
  });

  it('begins again where the gateway was set back, and suspects what was stamped twice', () => {
    const { clock, suspectFrom } = afterReading(first, reading(5 * minute, -60 * minute));
    expect(clock).toMatchObject({ since: start - 55 * minute, jump: 60 * minute + 200 });
    expect(suspectFrom).toBe(start - 60 * minute);
  });

  it('begins again where both clocks were set alike, which the uptime of the machine shows', () => {
    const before = afterReading(undefined, reading(0, 0, { uptime: 1000 })).clock;
    const alike = reading(90 * minute, 0, { uptime: 1000 + 30 * minute });
    expect(afterReading(before, alike).clock).toMatchObject({ since: alike.at, jump: 60 * minute });
    const restarted = reading(90 * minute, 0, { uptime: 10 });
    expect(afterReading(before, restarted).clock.since).toBe(before.since);
  });

  it('keeps a quick measurement of just before in the place of a slow one', () => {
    const slow = reading(minute, 8000, { uncertainty: 10_000 });
    expect(afterReading(first, slow).clock).toMatchObject({ offset: 200, uncertainty: 600, at: slow.at });
  });
});
