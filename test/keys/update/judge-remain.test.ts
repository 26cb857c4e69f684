import { describe, expect, it } from 'vitest';
import { money, zero } from '../../../src/core/index.ts';
import {
  judgeRemain,
  remainToPutBack,
  type RemainReading,
  type RemainVerdict,
} from '../../../src/keys/update/judge-remain.ts';

const minute = 60_000;

/** What was left before, what was written (nothing where it was left out) and what is left. */
const reading = (
  before: string,
  written: string | undefined,
  after: string,
  more: Partial<RemainReading> = {},
): RemainReading => ({
  before: money(before),
  after: money(after),
  wanted: false,
  sent: written !== undefined,
  shown: money(written ?? before),
  slack: zero,
  wasLimited: true,
  othersHarmed: false,
  millis: 300,
  ...more,
});

type Row = readonly [message: string, given: RemainReading, verdict: RemainVerdict];

const wanted = { wanted: true } as const;

const table: readonly Row[] = [
  ['as it was', reading('10', '10', '10'), 'fits'],
  ['nearly all of it', reading('10', '10', '0.01'), 'fits'],
  ['all of it, and more than that', reading('10', '10', '-0.2'), 'fits'],
  ['it had nothing left', reading('0', '0', '0'), 'fits'],
  ['it had less than nothing left', reading('-0.3', '0', '0'), 'fits'],
  ['a field that was zeroed', reading('10', '10', '0'), 'harmed'],
  ['a unit that takes it for next to nothing', reading('100000', '100000', '0.2'), 'harmed'],
  ['zero, after long', reading('10', '10', '0', { millis: minute }), 'fits'],
  ['a little more than was there: a refund', reading('10', '10', '10.0001'), 'fits'],
  ['a refund of what was spent for long', reading('0.5', '0.5', '900'), 'fits'],
  ['a refund to a key that had nothing left', reading('0', '0', '40'), 'fits'],
  ['a refund to a key that had less than nothing left', reading('-0.3', '0', '3'), 'fits'],
  ['a unit that makes more of it', reading('10', '10', '5000000'), 'harmed'],
  ['the last digit, rounded up', reading('10.00005', '10', '10.0001', { slack: money('0.0001') }), 'fits'],

  ['left out, as it was', reading('10', undefined, '10'), 'fits'],
  ['left out, all spent', reading('10', undefined, '0'), 'fits'],
  ['left out, zeroed with other fields', reading('10', undefined, '0', { othersHarmed: true }), 'harmed'],
  ['left out, spent while others were harmed', reading('10', undefined, '9', { othersHarmed: true }), 'fits'],
  ['left out, refunded', reading('10', undefined, '11'), 'fits'],
  ['left out, and of another unit', reading('10', undefined, '5000000'), 'harmed'],

  ['lowered', reading('100', '0.5', '0.5', wanted), 'fits'],
  ['lowered and all spent', reading('100', '0.5', '0', wanted), 'fits'],
  ['lowered to nothing', reading('100', '0', '0', wanted), 'fits'],
  ['lowered and zeroed', reading('100', '50', '0', wanted), 'harmed'],
  ['lowered and next to nothing', reading('100', '50', '0.0001', { ...wanted, millis: 800 }), 'harmed'],
  ['lowered and refunded', reading('100', '50', '50.05', wanted), 'fits'],
  ['lowered and refunded, half way back', reading('100', '50', '75', wanted), 'fits'],
  ['lowered, not yet, and more than half spent', reading('100', '50', '75.0001', wanted), 'unwritten'],
  ['lowered, not yet, and refunded', reading('100', '50', '100.05', wanted), 'unwritten'],
  ['lowered to a little, not yet, and refunded', reading('1000', '0.001', '1000.05', wanted), 'unwritten'],
  ['lowered to nothing, and refunded', reading('100', '0', '0.05', wanted), 'fits'],
  ['lowered to nothing, not yet, and refunded', reading('100', '0', '100.05', wanted), 'unwritten'],
  ['lowered, not yet', reading('100', '0.5', '100', wanted), 'unwritten'],
  ['lowered, and there is more', reading('100', '0.5', '250000', wanted), 'harmed'],

  ['raised', reading('1', '3', '3', wanted), 'fits'],
  ['raised and spent', reading('1', '3', '1.5', wanted), 'fits'],
  ['raised, not yet', reading('1', '3', '1', wanted), 'unwritten'],
  ['raised from nothing, not yet', reading('0', '3', '0', wanted), 'unwritten'],
  ['raised, and zeroed', reading('1', '3', '0', wanted), 'harmed'],
  ['raised and refunded', reading('1', '3', '3.5', wanted), 'fits'],
  ['raised, and of another unit', reading('1', '3', '1500000', wanted), 'harmed'],

  ['limited, and not yet', reading('5', '10', '5', { ...wanted, wasLimited: false }), 'unwritten'],
  ['wanted as it was, and refunded', reading('50', '50', '50.05', wanted), 'fits'],
];

describe('the remaining quota of a limited key after an update', () => {
  it.each(table)('is judged correctly: %s', (_words, given, verdict) => {
    expect(judgeRemain(given)).toBe(verdict);
  });
});

describe('the restored quota', () => {
  const back = (given: RemainReading) => remainToPutBack(given, judgeRemain(given) === 'harmed');

  it('is never more than the previous, the requested and the remaining amount', () => {
    expect(back(reading('10', '10', '0'))).toBe('10');
    expect(back(reading('10', '10', '12'))).toBe('10');
    expect(back(reading('10', undefined, '12'))).toBe('10');
    // Another field was harmed: what was spent stays spent.
    expect(back(reading('10', '10', '9.9'))).toBe('9.9');
    expect(back(reading('100', '0.5', '0.1', wanted))).toBe('0.1');
    expect(back(reading('100', '0.5', '99', wanted))).toBe('0.5');
    expect(back(reading('100', '0.5', '250000', wanted))).toBe('0.5');
    expect(back(reading('100', '50', '0', wanted))).toBe('50');
  });
});
