import { describe, expect, it } from 'vitest';
import { unixMillis, type GatewayClock } from '../../src/core/index.ts';
import { clockEffect } from '../../src/keys/plan/clock-skew.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const zone = 'UTC';
const at = unixMillis(Date.parse('2026-11-21T08:00:00Z'));

const clock = (offset: number): GatewayClock => ({
  at,
  offset,
  uncertainty: 500,
  since: at,
  jump: 0,
  stampsFrom: at,
});

describe('the effect of a skew', () => {
  it('is none where the clock is right or not known', () => {
    expect(clockEffect(undefined, { quiet: hour, zone })).toEqual({ effect: 'add', margin: 0 });
    expect(clockEffect(clock(900), { quiet: hour, zone })).toEqual({ effect: 'add', margin: 0 });
  });

  it('is a longer quiet time where it is small compared with the lag or with quiet (G16.4)', () => {
    expect(clockEffect(clock(5 * minute), { quiet: 10 * minute, zone })).toEqual({
      effect: 'add',
      margin: 5 * minute + 500,
    });
    expect(clockEffect(clock(-hour), { quiet: 7 * day, zone })).toEqual({
      effect: 'add',
      margin: hour + 500,
    });
  });

  it.each([
    [
      -hour,
      'the clock of the gateway is 1 hour behind the clock of this host (measured 2026-11-21 09:00 Europe/Berlin)',
    ],
    [90 * minute, 'the clock of the gateway is 90 minutes ahead of the clock of this host'],
  ])('suspends deletions where it is large: %d ms (G16.4)', (offset, text) => {
    const effect = clockEffect(clock(offset), { quiet: hour, zone: 'Europe/Berlin' });
    expect(effect.effect).toBe('suspend');
    expect('message' in effect ? effect.message : '').toContain(text);
  });

  it('names the clock of the log where that alone is behind', () => {
    const effect = clockEffect(clock(0), { quiet: hour, zone, logBehind: 2 * hour });
    expect('message' in effect ? effect.message : '').toContain(
      "the clock of the gateway's call log is at least 2 hours behind",
    );
    expect(clockEffect(undefined, { quiet: hour, zone, logBehind: 5 * minute })).toEqual({
      effect: 'add',
      margin: 5 * minute,
    });
  });
});
