import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalText, fourDigits, moneyText, parseUsd, rowMoneyText } from '../../src/sandbox/decimal.ts';
import { exact, toJson } from '../../src/sandbox/exact-json.ts';
import { naiveText, offsetAt, rfc3339Text, startOfLocalDay } from '../../src/sandbox/time-zone.ts';

const grains = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const rowGrains = fc.maxSafeInteger();

describe('the money of the sandbox', () => {
  test('has the same value as text and as grains', () => {
    fc.assert(fc.property(grains, (value) => parseUsd(moneyText(value, 'USD')) === value));
    fc.assert(fc.property(grains, (value) => parseUsd(moneyText(value, 'CNY')) === 7n * value));
    fc.assert(fc.property(grains, (value) => parseUsd(moneyText(value, 'units')) === 500_000n * value));
  });

  test('is written identically by the fast path for one row', () => {
    fc.assert(
      fc.property(
        fc.oneof(rowGrains, fc.integer({ min: -300, max: 300 }), fc.constant(12 * 1e8)),
        fc.constantFrom('USD', 'CNY', 'units'),
        (value, unit) => {
          expect(rowMoneyText(value, unit)).toBe(moneyText(BigInt(value), unit));
        },
      ),
    );
  });

  test('adds up identically as text and as grains', () => {
    fc.assert(
      fc.property(fc.array(rowGrains), (rows) => {
        const sum = rows.reduce((total, row) => total + BigInt(row), 0n);
        expect(rows.reduce((total, row) => total + parseUsd(rowMoneyText(row, 'USD')), 0n)).toBe(sum);
      }),
    );
  });

  test('matches the examples', () => {
    expect([0n, 1n, -1n, 10n ** 8n, -150_000_000n].map((value) => moneyText(value, 'USD'))).toEqual([
      '0',
      '0.00000001',
      '-0.00000001',
      '1',
      '-1.5',
    ]);
    expect([0n, 4_999n, 5_000n, -4_999n, -5_000n, 123_456_789n].map((value) => fourDigits(value))).toEqual([
      '0.0000',
      '0.0000',
      '0.0001',
      '0.0000',
      '-0.0001',
      '1.2346',
    ]);
    expect(fourDigits(10n ** 8n, 'CNY')).toBe('7.0000');
    expect(['1', '1.5', '1e-8', '2.5E+2', '0.000000019'].map(parseUsd)).toEqual([
      10n ** 8n,
      150_000_000n,
      1n,
      25_000_000_000n,
      1n,
    ]);
    expect(() => parseUsd('one')).toThrow('not a number');
    expect(decimalText(-5n, 2)).toBe('-0.05');
  });

  test('keeps every digit in JSON', () => {
    expect(
      toJson({ a: exact('1234567890.12345678'), b: [1, 'x"', null, true], c: { d: exact('-0.1') } }),
    ).toBe('{"a":1234567890.12345678,"b":[1,"x\\"",null,true],"c":{"d":-0.1}}');
    expect(() => exact('1e5')).toThrow('not a JSON number');
  });
});

describe('the zones of the sandbox', () => {
  const moment = fc.integer({ min: 1_600_000_000, max: 1_900_000_000 });
  const zone = fc.constantFrom('UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York');

  test('give instants in RFC 3339 and local times without an offset', () => {
    fc.assert(
      fc.property(moment, zone, (seconds, name) => {
        expect(Date.parse(rfc3339Text(name, seconds))).toBe(seconds * 1000);
        expect(Date.parse(`${naiveText(name, seconds).replace(' ', 'T')}Z`) / 1000 - seconds).toBe(
          offsetAt(name, seconds),
        );
      }),
    );
  });

  test('start a local day at local midnight', () => {
    fc.assert(
      fc.property(fc.integer({ min: 18_000, max: 22_000 }), zone, (day, name) => {
        expect(naiveText(name, startOfLocalDay(name, day))).toBe(
          `${new Date(day * 86_400_000).toISOString().slice(0, 10)} 00:00:00`,
        );
      }),
    );
  });
});
