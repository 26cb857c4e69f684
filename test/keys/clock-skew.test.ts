import { describe, expect, it } from 'vitest';
import { unixMillis, type GatewayClock } from '../../src/core/index.ts';
import { clockEffect, clockText } from '../../src/keys/index.ts';
import { approved, titled } from '../support/approved.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
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
    expect(clockEffect(undefined, { quiet: hour })).toEqual({ effect: 'add', margin: 0 });
    expect(clockEffect(clock(900), { quiet: hour })).toEqual({ effect: 'add', margin: 0 });
  });

  it('is a longer quiet time where it is small compared with the lag or with quiet (G16.4)', () => {
    expect(clockEffect(clock(5 * minute), { quiet: 10 * minute })).toEqual({
      effect: 'add',
      margin: 5 * minute + 500,
    });
    expect(clockEffect(clock(-hour), { quiet: 7 * day })).toEqual({
      effect: 'add',
      margin: hour + 500,
    });
  });

  it('suspends deletions where it is large, and names the clock: of the gateway, or of its log alone (G16.4)', async () => {
    const texts: [string, string][] = [];
    for (const [title, effect] of [
      ['one hour behind', clockEffect(clock(-hour), { quiet: hour })],
      ['90 minutes ahead', clockEffect(clock(90 * minute), { quiet: hour })],
      ['a log two hours behind', clockEffect(clock(0), { quiet: hour, logBehind: 2 * hour })],
    ] as const) {
      expect(effect.effect).toBe('suspend');
      texts.push([title, effect.effect === 'suspend' ? clockText(effect.problem, 'Europe/Berlin') : '']);
    }
    await expect(titled(texts)).toMatchFileSnapshot(approved('keys/clock-skew'));
  });

  it('of the log alone is added where it is small', () => {
    expect(clockEffect(undefined, { quiet: hour, logBehind: 5 * minute })).toEqual({
      effect: 'add',
      margin: 5 * minute,
    });
  });
});
