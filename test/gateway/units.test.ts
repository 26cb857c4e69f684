import { describe, expect, it } from 'vitest';
import {
  createSecretRegistry,
  money,
  silentLog,
  unixMillis,
  unixSeconds,
  type Measurement,
} from '../../src/core/index.ts';
import { createGateway, type Gateway } from '../../src/gateway/index.ts';
import { createHttp } from '../../src/http/index.ts';
import { openGatewayFixture } from '../support/gateway-fixture.ts';
import fc from 'fast-check';
import { apiKey } from '../../src/gateway/admin/api-key.ts';
import { callStatistics } from '../../src/gateway/admin/call-statistics.ts';
import { parseJson } from '../../src/gateway/json.ts';
import { keyUpdateBody, newKeyBody } from '../../src/gateway/admin/key-spec.ts';

/** Never called: what does not compile here is the test; `npm run types` fails when one of these lines does. */
const wrongUnits = (gateway: Gateway): readonly (() => Promise<unknown>)[] => {
  const seconds = { start: unixSeconds(1), end: unixSeconds(2) };
  const millis = { start: unixMillis(1), end: unixMillis(2) };
  const logs = { columns: [], currency: 'USD' as const };
  const usage = { groupBy: 'model', metric: 'spend', granularity: 'day' as const, topN: 20 };
  const spec = { name: 'a', remainQuota: money('1'), unlimitedQuota: false, group: '' };
  return [
    () => gateway.statistics(seconds),
    // @ts-expect-error -- statistics take seconds
    () => gateway.statistics(millis),
    () => gateway.exportLogs({ ...seconds, ...logs }),
    // @ts-expect-error -- the log export takes seconds
    () => gateway.exportLogs({ ...millis, ...logs }),
    // @ts-expect-error -- a plain number is no moment
    () => gateway.exportLogs({ start: 1, end: 2, ...logs }),
    // @ts-expect-error -- the log export always names its currency
    () => gateway.exportLogs({ ...seconds, columns: [] }),
    () => gateway.exportUsage({ ...millis, ...usage }),
    // @ts-expect-error -- the usage export takes milliseconds
    () => gateway.exportUsage({ ...seconds, ...usage }),
    // @ts-expect-error -- the granularities are hour, day and week
    () => gateway.exportUsage({ ...millis, ...usage, granularity: 'month' }),
    () => gateway.createKey({ ...spec, expiredTime: unixSeconds(1) }),
    // @ts-expect-error -- keys expire at seconds
    () => gateway.createKey({ ...spec, expiredTime: unixMillis(1) }),
    // @ts-expect-error -- money is no float
    () => gateway.createKey({ ...spec, expiredTime: 'never', remainQuota: 0.1 }),
    // @ts-expect-error -- no part of a key may be left out
    () => gateway.updateKey({ id: 1, name: 'a' }),
  ];
};

describe('units', () => {
  it('are distinguished by the compiler (G1.6, G7.2)', () => {
    expect(wrongUnits).toBeTypeOf('function');
  });
});

it('a call is measured under the template of its path, without the ID of a key', async () => {
  await using fixture = await openGatewayFixture();
  const measured: Measurement[] = [];
  const secrets = createSecretRegistry();
  await using http = createHttp({
    userAgent: 'tollkeeper/test',
    env: {},
    timeouts: { connect: 5000, headers: 20_000, idle: 20_000, total: 60_000 },
  });
  const gateway = createGateway({
    baseUrl: fixture.sandbox.baseUrl,
    adminKey: secrets.register(fixture.sandbox.adminKey),
    http,
    clock: fixture.clock,
    random: () => 0,
    log: silentLog,
    secrets,
    measure: (one) => void measured.push(one),
  });
  const [key] = await gateway.listKeys();
  if (key === undefined) throw new Error('the sandbox has no key');
  await gateway.readKey(key.id);
  await gateway.readKey(987_654_321).catch(() => undefined);
  await gateway.deleteKey(key.id);
  const { origin } = new URL(fixture.sandbox.baseUrl);
  const call = { what: 'gateway-call', origin, status: 200, outcome: 'ok' };
  expect(measured).toMatchObject([
    { ...call, endpoint: 'GET /api/token/' },
    { ...call, endpoint: 'GET /api/token/{id}' },
    { endpoint: 'GET /api/token/{id}', outcome: expect.stringMatching(/^gateway-/) },
    { ...call, endpoint: 'DELETE /api/token/{id}' },
  ]);
});

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

  it('are written without an exponent', () => {
    const spec = { name: 'a', unlimitedQuota: false, expiredTime: unixSeconds(2_000_000_000), group: 'g' };
    for (const text of ['0.00000001', '1e21', '123456789012345678901234567890'])
      expect(newKeyBody({ ...spec, remainQuota: money(text) })).toContain(`"remain_quota":${money(text)},`);
  });
});
