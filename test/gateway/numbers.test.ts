import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMoney, money, unixSeconds, zero } from '../../src/core/index.ts';
import { apiKey } from '../../src/gateway/admin/api-key.ts';
import { callStatistics } from '../../src/gateway/admin/call-statistics.ts';
import { parseJson } from '../../src/gateway/json.ts';
import { keyUpdateBody, newKeyBody } from '../../src/gateway/admin/key-spec.ts';

const digits = (from: number, to: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: from, maxLength: to }).map((list) => list.join(''));

/** Decimals far beyond what a float holds, in the forms JSON allows. */
const decimalText = fc
  .tuple(fc.constantFrom('', '-'), fc.integer({ min: 1, max: 9 }), digits(0, 25), digits(0, 25))
  .map(([sign, first, whole, fraction]) => `${sign}${first}${whole}${fraction === '' ? '' : `.${fraction}`}`);

/** Exact by another road: digits as an integer and a scale. */
const scaled = (text: string): { units: bigint; scale: number } => {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
};
const same = (left: string, right: string): boolean => {
  const one = scaled(left);
  const other = scaled(right);
  return one.units * 10n ** BigInt(other.scale) === other.units * 10n ** BigInt(one.scale);
};

describe('numbers', () => {
  it('keep their digits when parsed from JSON, as numbers and as strings', () => {
    fc.assert(
      fc.property(decimalText, fc.boolean(), (text, asString) => {
        const read = callStatistics.parse(parseJson(`{"quota":${asString ? `"${text}"` : text}}`));
        expect(same(read.quota, text)).toBe(true);
      }),
    );
  });

  it('keep their digits when written to JSON, including unknown fields', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (quota, other) => {
        const read = apiKey.parse(
          parseJson(
            `{"id":1,"name":"a","remain_quota":${quota},"unlimited_quota":false,"expired_time":-1,"ratio":${other}}`,
          ),
        );
        expect(read.rest).toEqual({ ratio: other });
        const body = keyUpdateBody({
          id: read.id,
          name: read.name,
          remainQuota: read.remainQuota,
          unlimitedQuota: read.unlimitedQuota,
          expiredTime: read.expiredTime,
          group: '',
          rest: read.rest,
        });
        const sent = /"remain_quota":([^,]+),/.exec(body)?.[1] ?? '';
        expect(same(sent, quota)).toBe(true);
        expect(body).toContain(`"ratio":${other},`);
      }),
    );
  });

  it('stay exact where a float would not', () => {
    const read = callStatistics.parse(parseJson('{"quota":90071992547409930.1000000000000000055}'));
    expect(read.quota).toBe('90071992547409930.1000000000000000055');
    expect(String(Number(read.quota))).not.toBe(read.quota);
    expect(callStatistics.parse(parseJson('{"quota":1.5E-7}')).quota).toBe('0.00000015');
    let sum = zero;
    for (let count = 0; count < 10; count += 1)
      sum = addMoney(sum, callStatistics.parse(parseJson('{"quota":0.1}')).quota);
    expect(sum).toBe('1');
  });

  it('are written without an exponent', () => {
    const spec = { name: 'a', unlimitedQuota: false, expiredTime: unixSeconds(2_000_000_000), group: 'g' };
    for (const text of ['0.00000001', '1e21', '123456789012345678901234567890'])
      expect(newKeyBody({ ...spec, remainQuota: money(text) })).toContain(`"remain_quota":${money(text)},`);
  });
});
