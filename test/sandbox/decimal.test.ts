import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalText, fourDigits, moneyText, parseUsd, rowMoneyText } from '../../src/sandbox/decimal.ts';
import { exact, toJson } from '../../src/sandbox/exact-json.ts';
import { naiveText, offsetAt, rfc3339Text, startOfLocalDay } from '../../src/sandbox/time-zone.ts';
import { toAggregates } from '../../src/sandbox/traffic/cells.ts';
import { plainRow } from '../../src/sandbox/traffic/row.ts';

test('the money of the sandbox has the same value as text and as grains, and one row is written by the fast path', () => {
  const grains = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  const units = [
    ['USD', 1n],
    ['CNY', 7n],
    ['units', 500_000n],
  ] as const;
  fc.assert(
    fc.property(grains, (value) =>
      units.every(([unit, rate]) => parseUsd(moneyText(value, unit)) === rate * value),
    ),
  );
  const row = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }), fc.constant(12 * 1e8));
  fc.assert(
    fc.property(row, (value) =>
      units.every(([unit]) => rowMoneyText(value, unit) === moneyText(BigInt(value), unit)),
    ),
  );
});

test('the money of the sandbox matches the examples', () => {
  const grains = [0n, 1n, -1n, 10n ** 8n, -150_000_000n];
  expect(grains.map((value) => moneyText(value, 'USD')).join()).toBe('0,0.00000001,-0.00000001,1,-1.5');
  const rounded = [4_999n, 5_000n, -4_999n, -5_000n, 123_456_789n].map((value) => fourDigits(value));
  expect(rounded.join()).toBe('0.0000,0.0001,0.0000,-0.0001,1.2346');
  expect(fourDigits(10n ** 8n, 'CNY')).toBe('7.0000');
  expect(['1', '1e-8', '2.5E+2', '0.000000019'].map(parseUsd)).toEqual([10n ** 8n, 1n, 25n * 10n ** 9n, 1n]);
  expect(() => parseUsd('one')).toThrow('not a number');
  expect(decimalText(-5n, 2)).toBe('-0.05');
});

test('the sandbox keeps every digit in JSON', () => {
  const value = { a: exact('1234567890.12345678'), b: [1, 'x"', null, true], c: { d: exact('-0.1') } };
  expect(toJson(value)).toBe('{"a":1234567890.12345678,"b":[1,"x\\"",null,true],"c":{"d":-0.1}}');
  expect(() => exact('1e5')).toThrow('not a JSON number');
});

test('the sandbox adds the grains of an hour exactly, also above the whole numbers that a double holds', () => {
  const grains = [0, 1, 2, 3, 4].map((less) => Number.MAX_SAFE_INTEGER - less);
  const rows = grains.map((size, at) => plainRow('consumption', 7_200 + at, { grains: size }));
  expect(toAggregates([...rows, plainRow('refund', 7_300, { grains: -7 })])).toMatchObject([
    { hour: 7_200, calls: 5, consumption: 5n * (2n ** 53n - 1n) - 10n, refunds: -7n },
  ]);
});

test('the zones of the sandbox give instants in RFC 3339, local times without an offset, and days that start at local midnight', () => {
  const moment = fc.integer({ min: 1_600_000_000, max: 1_900_000_000 });
  const zone = fc.constantFrom('UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York');
  fc.assert(
    fc.property(moment, zone, (seconds, name) => {
      expect(Date.parse(rfc3339Text(name, seconds))).toBe(seconds * 1000);
      const local = Date.parse(`${naiveText(name, seconds).replace(' ', 'T')}Z`) / 1000;
      expect(local - seconds).toBe(offsetAt(name, seconds));
      const day = Math.floor(seconds / 86_400);
      const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
      expect(naiveText(name, startOfLocalDay(name, day))).toBe(`${date} 00:00:00`);
    }),
  );
});
