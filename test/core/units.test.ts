import { describe, expect, it } from 'vitest';
import {
  contains,
  describeError,
  fault,
  interval,
  isFault,
  systemCode,
  toMillis,
  toSeconds,
  unixMillis,
  unixSeconds,
} from '../../src/core/index.ts';

describe('a branded unit', () => {
  it('does not accept seconds as milliseconds', () => {
    const seconds = unixSeconds(1_700_000_000);
    const millis = unixMillis(1_700_000_000_999);
    // @ts-expect-error seconds are not milliseconds
    expect(toSeconds(seconds)).toBe(1_700_000);
    // @ts-expect-error an interval has one unit
    expect(() => interval(millis, seconds)).toThrow(RangeError);
    // @ts-expect-error a bare number has no unit
    expect(toMillis(1)).toBe(1000);
    expect(toSeconds(millis)).toBe(1_700_000_000);
  });

  it('accepts only whole numbers', () => {
    expect(() => unixSeconds(1.5)).toThrow(RangeError);
    expect(() => unixMillis(Number.NaN)).toThrow(RangeError);
  });

  it('forms half-open intervals', () => {
    const range = interval(unixSeconds(10), unixSeconds(20));
    expect([
      contains(range, unixSeconds(10)),
      contains(range, unixSeconds(19)),
      contains(range, unixSeconds(20)),
    ]).toEqual([true, true, false]);
  });
});

describe('a fault', () => {
  it('says what happened and what to do', () => {
    const error = fault('disk-full', 'no space left');
    expect(isFault(error)).toBe(true);
    expect(describeError(error)).toMatch(/^no space left\n {2}what to do: free space/);
    expect(describeError(new TypeError('a bug'))).toContain('test/core/units.test');
  });

  it('finds the system code in its causes', () => {
    const system = Object.assign(new Error('full'), { code: 'ENOSPC' });
    expect(systemCode(fault('disk-full', 'x', { cause: new Error('y', { cause: system }) }))).toBe('ENOSPC');
    expect(systemCode(new Error('plain'))).toBeUndefined();
  });
});
