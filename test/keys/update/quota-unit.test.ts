import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareMoney, money, subtractMoney, type Money } from '../../../src/core/index.ts';
import { unitOf } from '../../../src/keys/update/probe-unit.ts';
import {
  parseQuotaUnit,
  quotaUnitText,
  showsUnits,
  writtenQuota,
  type QuotaUnit,
} from '../../../src/keys/update/quota-unit.ts';
import { runs } from '../../support/storm.ts';

const cases = { numRuns: runs(200) };

const decimalOf = (digits: bigint, places: number): Money => {
  const text = digits.toString().padStart(places + 1, '0');
  return money(places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`);
};

const amounts = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.integer({ min: 0, max: 8 }))
  .map(([digits, places]) => decimalOf(digits, places));

const units: fc.Arbitrary<QuotaUnit> = fc.oneof(
  fc.constant<QuotaUnit>({ kind: 'currency' }),
  fc
    .oneof(fc.constantFrom(500_000, 1000, 100, 7), fc.integer({ min: 2, max: 5_000_000 }))
    .map((factor): QuotaUnit => ({ kind: 'units', perCurrency: money(String(factor)) })),
);

/** What a gateway shows of a number, in whole ten-thousandths by bigint, half away from zero. */
const gatewayShows = (number: Money, unit: QuotaUnit): Money => {
  if (unit.kind === 'currency') return number;
  const factor = BigInt(unit.perCurrency);
  return decimalOf((BigInt(number) * 10_000n * 2n + factor) / (factor * 2n), 4);
};

const step = money('0.0001');

describe('an amount written in a unit', () => {
  it('is read back unchanged, or rejected, or replaced by the next lower one', () => {
    fc.assert(
      fc.property(amounts, units, (amount, unit) => {
        const down = writtenQuota(amount, unit, 'down');
        const read = gatewayShows(down.number, unit);
        if (unit.kind === 'units') expect(down.number).toMatch(/^\d+$/);
        // Where a unit is no part of what is shown, the last digit may be rounded up.
        expect(compareMoney(subtractMoney(read, down.shown), step)).toBeLessThanOrEqual(0);
        expect(compareMoney(subtractMoney(down.shown, read), step)).toBeLessThanOrEqual(0);
        expect(compareMoney(down.shown, subtractMoney(amount, money('-0.0001')))).toBeLessThanOrEqual(0);
        if (down.exact) {
          expect(read).toBe(amount);
          expect(writtenQuota(amount, unit, 'refuse')).toEqual(down);
        } else
          expect(() => writtenQuota(amount, unit, 'refuse')).toThrow(
            expect.objectContaining({ code: 'key-quota-inexact' }),
          );
      }),
      cases,
    );
  });

  it('never loses more than a unit or the last digit that is shown', () => {
    fc.assert(
      fc.property(amounts, units, (amount, unit) => {
        const { number } = writtenQuota(amount, unit, 'down');
        const perCurrency = unit.kind === 'currency' ? 1n : BigInt(unit.perCurrency);
        const places = (text: Money): number => text.split('.')[1]?.length ?? 0;
        const scale = 10n ** 8n;
        const asGrains = (text: Money): bigint =>
          BigInt(text.replace('.', '')) * 10n ** BigInt(8 - places(text));
        // number / perCurrency and amount, both times scale and perCurrency.
        const lost = asGrains(amount) * perCurrency - asGrains(number);
        expect(lost).toBeGreaterThanOrEqual(0n);
        const maxLost = (scale / 10_000n) * perCurrency + (unit.kind === 'units' ? scale : 0n);
        expect(lost).toBeLessThan(maxLost);
      }),
      cases,
    );
  });

  it('below zero is written as zero', () => {
    const units500k: QuotaUnit = { kind: 'units', perCurrency: money('500000') };
    for (const unit of [{ kind: 'currency' }, units500k] as const)
      expect(writtenQuota(money('-0.0012'), unit, 'down')).toEqual({ number: '0', shown: '0', exact: false });
  });
});

describe('a unit', () => {
  it('is learned to the last unit from the readings of two numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 2_000_000 }), (factor) => {
        const unit: QuotaUnit = { kind: 'units', perCurrency: money(String(factor)) };
        const first = gatewayShows(money('1'), unit);
        const next = money(first === '0' ? '100000000' : '1000000');
        const samples = [money('1'), next].map((written) => ({ written, read: gatewayShows(written, unit) }));
        const learned = unitOf(samples);
        // Round factors are exact; of others a few parts in a million may be missing, and are seen when they matter.
        expect(learned?.kind).toBe('units');
        if (factor <= 10_000 || factor === 500_000) expect(learned).toEqual(unit);
        for (const { written, read } of samples)
          expect(learned?.kind === 'units' && showsUnits(written, read, learned.perCurrency)).toBe(true);
      }),
      cases,
    );
    const reported = (first: string, second: string) =>
      unitOf([
        { written: money('1'), read: money(first) },
        { written: money('100000000'), read: money(second) },
      ]);
    expect(reported('0', '200')).toEqual({ kind: 'units', perCurrency: '500000' });
    expect(reported('1', '100000000')).toEqual({ kind: 'currency' });
    for (const odd of [
      reported('0', '0'),
      reported('7', '700000000'),
      reported('7', '7'),
      reported('1', '200'),
    ])
      expect(odd).toBeUndefined();
  });

  it('is printed and parsed again', () => {
    fc.assert(
      fc.property(units, (unit) => {
        expect(parseQuotaUnit(quotaUnitText(unit))).toEqual(unit);
      }),
      cases,
    );
    for (const text of ['', 'open: neither', 'units:', 'units:0', 'units:-1', 'units:1.5', 'Currency'])
      expect(parseQuotaUnit(text)).toBeUndefined();
  });
});
