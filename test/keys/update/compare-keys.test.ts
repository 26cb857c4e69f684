import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareMoney, money, subtractMoney, unixSeconds, zero } from '../../../src/core/index.ts';
import type { ApiKey } from '../../../src/gateway/index.ts';
import { compareKeys } from '../../../src/keys/update/compare-keys.ts';
import { runs } from '../../support/storm.ts';
import { surveyed } from '../plan/survey.ts';

const cases = { numRuns: runs(300) };
const at = unixSeconds(1_800_000_000);

const cents = fc.integer({ min: 0, max: 1_000_000 }).map((value) => money(`${value}e-4`));
const expiries = fc.oneof(
  fc.constant('never' as const),
  fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map((value) => unixSeconds(value)),
);
const keys: fc.Arbitrary<ApiKey> = fc.record({
  id: fc.integer({ min: 1, max: 9 }),
  name: fc.constantFrom('a.g1', 'a.g2', 'b'),
  keyMask: fc.constantFrom(undefined, 'sk-a**b', 'sk-c**d'),
  status: fc.constantFrom(undefined, 1, 2, 3, 4),
  remainQuota: cents,
  unlimitedQuota: fc.boolean(),
  expiredTime: expiries,
  group: fc.constantFrom(undefined, 'default', 'vip'),
  createdTime: fc.constantFrom(undefined, unixSeconds(1_700_000_000)),
  rest: fc.dictionary(fc.constantFrom('model_limits', 'allow_ips', 'rpm'), fc.constantFrom('""', '"x"', '5')),
});

const asRead = (key: ApiKey) => ({
  sent: true,
  shown: key.remainQuota,
  slack: zero,
  millis: 100,
});

/** Each field with its name at the gateway. */
const fields = {
  id: 'id',
  name: 'name',
  keyMask: 'key_mask',
  expiredTime: 'expired_time',
  group: 'group',
  unlimitedQuota: 'unlimited_quota',
  createdTime: 'created_time',
} as const;

describe('two readings of a key', () => {
  it('that are the same show no harm', () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(compareKeys(key, { ...key, rest: { ...key.rest } }, {}, asRead(key), at)).toEqual({
          missing: [],
          harmed: [],
          spent: '0',
          refunded: '0',
        });
      }),
      cases,
    );
  });

  it('differ exactly in the fields that are named', () => {
    fc.assert(
      fc.property(
        keys,
        keys,
        fc.subarray(Object.keys(fields) as (keyof typeof fields)[]),
        (key, other, picked) => {
          const after = { ...key, ...Object.fromEntries(picked.map((field) => [field, other[field]])) };
          const { harmed } = compareKeys(key, after, {}, asRead(key), at);
          const due = picked.filter((field) => other[field] !== key[field]).map((field) => fields[field]);
          expect(harmed.map(({ field }) => field).sort()).toEqual(due.sort());
        },
      ),
      cases,
    );
  });

  it('of a limited key differ in what was spent or refunded, to the last digit; a zeroed quota or another unit is harm', () => {
    fc.assert(
      fc.property(keys, fc.oneof(cents, fc.constant(zero)), (any, remainQuota) => {
        const key = { ...any, unlimitedQuota: false };
        const after = { ...key, remainQuota };
        const found = compareKeys(key, after, {}, asRead(key), at);
        const fell = subtractMoney(key.remainQuota, remainQuota);
        const zeroed =
          compareMoney(key.remainQuota, money('1')) > 0 &&
          Number(remainQuota) * 1e5 <= Number(key.remainQuota);
        const grown = Number(key.remainQuota) > 0 && Number(remainQuota) >= Number(key.remainQuota) * 1e5;
        const fits = !grown && !zeroed;
        expect(found.harmed.map(({ field }) => field)).toEqual(fits ? [] : ['remain_quota']);
        if (fits) expect(subtractMoney(found.spent, found.refunded)).toBe(fell);
        if (fits) expect([found.spent, found.refunded]).toContain('0');
      }),
      cases,
    );
  });

  it('with unknown fields show harm for any change, except for counters and clocks that advance', () => {
    const rest = { used_quota: '5', accessed_time: '100', allow_ips: '"10.0.0.1"', rpm: '5' };
    const { key } = surveyed('a', { key: { rest } });
    const named = (now: ApiKey['rest']) =>
      compareKeys(key, { ...key, rest: now }, {}, asRead(key), at).harmed.map(({ message }) => message);
    expect(named({ ...key.rest, used_quota: '6', accessed_time: '101' })).toEqual([]);
    expect(named({ ...key.rest, used_quota: '0' })).toEqual(['used_quota']);
    expect(named({ ...key.rest, rpm: '6' })).toEqual(['rpm']);
    expect(named({ used_quota: '5', accessed_time: '100', rpm: '5' })).toEqual(['allow_ips']);
    expect(named({ ...key.rest, new_field: '1' })).toEqual(['new_field']);
  });

  it('may differ in a status that the gateway derives itself, never in one that a person set', () => {
    const past = unixSeconds(at - 1);
    const key = (status: number, expiredTime: ApiKey['expiredTime'], left: string): ApiKey =>
      surveyed('a', { id: 1, key: { status, expiredTime, remainQuota: money(left) } }).key;
    const harmed = (before: ApiKey, after: ApiKey): readonly string[] =>
      compareKeys(before, after, { expiredTime: after.expiredTime }, asRead(before), at).harmed.map(
        ({ field }) => field,
      );
    expect(harmed(key(1, 'never', '5'), key(3, past, '5'))).toEqual([]);
    expect(harmed(key(3, past, '5'), key(1, 'never', '5'))).toEqual([]);
    expect(harmed(key(1, 'never', '0'), key(4, 'never', '0'))).toEqual([]);
    expect(harmed(key(1, 'never', '5'), key(3, 'never', '5'))).toEqual(['status']);
    expect(harmed(key(1, 'never', '5'), key(4, 'never', '5'))).toEqual(['status']);
    expect(harmed(key(2, 'never', '5'), key(1, 'never', '5'))).toEqual(['status']);
    expect(harmed(key(1, past, '5'), key(2, past, '5'))).toEqual(['status']);
  });
});
