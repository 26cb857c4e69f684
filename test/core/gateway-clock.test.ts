import { describe, expect, it } from 'vitest';
import { afterReading, clockOffset, readClock, unixMillis, type ClockReading } from '../../src/core/index.ts';

const start = Date.parse('2026-11-21T08:00:00Z');
const minute = 60_000;

const reading = (at: number, offset: number, more: Partial<ClockReading> = {}): ClockReading => ({
  at: unixMillis(start + at),
  offset,
  uncertainty: 600,
  ...more,
});

describe('a reading of the Date header', () => {
  it('has an uncertainty of half the round trip plus half a second', () => {
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
  ])('is not taken from a response %s', (_which, headers, took) => {
    expect(readClock(headers, unixMillis(start), unixMillis(start + took), undefined)).toBeUndefined();
  });
});

describe('the estimate of a gateway clock', () => {
  const first = afterReading(undefined, reading(0, 200)).clock;

  it('assumes no offset while the measurement allows it', () => {
    expect(clockOffset(undefined)).toBe(0);
    expect(clockOffset(first)).toBe(0);
    expect(clockOffset(reading(0, -90_000))).toBe(-90_000);
  });

  it('is kept while the clocks drift normally', () => {
    const { clock, suspectFrom } = afterReading(first, reading(60 * minute, 900));
    expect(clock).toMatchObject({ since: first.since, jump: 0, offset: 900 });
    expect(suspectFrom).toBeUndefined();
  });

  it('restarts when the gateway clock is set back, and suspects timestamps that occur twice', () => {
    const { clock, suspectFrom } = afterReading(first, reading(5 * minute, -60 * minute));
    expect(clock).toMatchObject({ since: start - 55 * minute, jump: 60 * minute + 200 });
    expect(suspectFrom).toBe(start - 60 * minute);
  });

  it('restarts when both clocks are changed alike, as the uptime of the machine shows', () => {
    const before = afterReading(undefined, reading(0, 0, { uptime: 1000 })).clock;
    const alike = reading(90 * minute, 0, { uptime: 1000 + 30 * minute });
    expect(afterReading(before, alike).clock).toMatchObject({ since: alike.at, jump: 60 * minute });
    const restarted = reading(90 * minute, 0, { uptime: 10 });
    expect(afterReading(before, restarted).clock.since).toBe(before.since);
  });

  it('prefers a recent fast measurement to a slow one', () => {
    const slow = reading(minute, 8000, { uncertainty: 10_000 });
    expect(afterReading(first, slow).clock).toMatchObject({ offset: 200, uncertainty: 600, at: slow.at });
  });
});
