import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../src/core/index.ts';
import type { Gateway } from '../../src/gateway/index.ts';
import { json, ok, scriptedGateway, spec } from './support/scripted-gateway.ts';

/** One way to read a resource: the data around its fields, the place that errors name, and what the client makes of it. */
type Reading = {
  readonly data: (fields: string) => string;
  readonly place: string;
  readonly read: (gateway: Gateway) => Promise<object | undefined>;
};

const whole = (read: Reading['read']): Reading => ({ data: (fields) => fields, place: 'data.', read });

const profile = 'the account profile';
const statistics = 'the call statistics';
const key = 'an API key';
const page = 'a key page';
const created = 'a created key';

const resources: Readonly<Record<string, readonly Reading[]>> = {
  [profile]: [whole((gateway) => gateway.profile())],
  [statistics]: [whole((gateway) => gateway.statistics({ start: unixSeconds(1), end: unixSeconds(2) }))],
  [key]: [
    whole((gateway) => gateway.readKey(7)),
    {
      data: (fields) => `{"items":[${fields}],"page":1,"page_size":100,"total":1}`,
      place: 'data.items[0].',
      read: async (gateway) => (await gateway.keyPage({ page: 1, pageSize: 100 })).items[0],
    },
  ],
  [page]: [whole((gateway) => gateway.keyPage({ page: 1, pageSize: 100 }))],
  [created]: [
    whole(async (gateway) => {
      const made = await gateway.createKey(spec);
      return { ...made, key: made.key.reveal() };
    }),
  ],
};

/** Id, resource, JSON as served, name and value in the client, JSON of a wrong type, and the value when it is missing. */
type Field = readonly [
  id: string,
  resource: string,
  served: string,
  property: string,
  value: unknown,
  wrong: string,
  missing: unknown,
];

const error = Symbol('an error that names the field');

const fields: readonly Field[] = [
  ['G4.1.username', profile, '"acme"', 'username', 'acme', '5', error],
  ['G4.1.display_name', profile, '"Acme & Söhne"', 'displayName', 'Acme & Söhne', '5', undefined],
  ['G4.1.balance', profile, '"12345678901234567.1201"', 'balance', '12345678901234567.1201', 'true', error],
  ['G4.1.used_quota', profile, '"3.0001"', 'usedQuota', '3.0001', '"many"', error],
  ['G4.1.request_count', profile, '9007199254740991', 'requestCount', 9007199254740991, '"12"', undefined],
  ['G4.1.group', profile, '"vip"', 'group', 'vip', '1', undefined],
  ['G4.1.level', profile, '3', 'level', 3, '"three"', undefined],

  ['G5.2.quota', statistics, '12.300000000000000001', 'quota', '12.300000000000000001', 'true', error],
  ['G5.2.rpm', statistics, '1', 'rpm', '1', '"fast"', undefined],
  ['G5.2.tpm', statistics, '2.5e3', 'tpm', '2500', '[]', undefined],
  ['G5.2.mpm', statistics, '0.00000004', 'mpm', '0.00000004', '{}', undefined],

  ['G8.1.id', key, '9007199254740991', 'id', 9007199254740991, '"7"', error],
  ['G8.1.name', key, '"钥 <b>,\\n=1"', 'name', '钥 <b>,\n=1', '7', error],
  ['G8.1.key_mask', key, '"sk-a***z"', 'keyMask', 'sk-a***z', '7', undefined],
  ['G8.1.status', key, '4', 'status', 4, '"enabled"', undefined],
  [
    'G8.1.remain_quota',
    key,
    '"90071992547409931.1234"',
    'remainQuota',
    '90071992547409931.1234',
    'true',
    error,
  ],
  ['G8.1.unlimited_quota', key, 'true', 'unlimitedQuota', true, '1', error],
  ['G8.1.expired_time', key, '1900000000', 'expiredTime', 1_900_000_000, '"never"', error],
  ['G8.1.group', key, '"default"', 'group', 'default', '1', undefined],
  ['G8.1.created_time', key, '1760000000', 'createdTime', 1_760_000_000, '"2025-10-09"', undefined],

  ['G8.3.data.items', page, '[]', 'items', [], '{}', []],
  ['G8.3.data.page', page, '2', 'page', 2, '"2"', undefined],
  ['G8.3.data.page_size', page, '5', 'pageSize', 5, '2.5', undefined],
  ['G8.3.data.total', page, '6', 'total', 6, '"6"', undefined],

  ['G8.8.id', created, '9', 'id', 9, '"9"', error],
  ['G8.8.key', created, '"sk-plaintext-of-the-key"', 'key', 'sk-plaintext-of-the-key', '5', error],
];

const nameOf = (id: string): string => id.split('.').at(-1) ?? '';

/** The resource as served, with one field in another form, or without it. */
const servedWith = (resource: string, changed: string, value?: string): string =>
  `{${fields
    .filter(([, of]) => of === resource)
    .map(([id, , served]) => [nameOf(id), id === changed ? value : served] as const)
    .filter(([, served]) => served !== undefined)
    .map(([name, served]) => `"${name}":${served}`)
    .join(',')}}`;

const readServed = async ({ data, read }: Reading, served: string) => {
  const { gateway } = await scriptedGateway([json(`{"success":true,"message":"","data":${data(served)}}`)]);
  return read(gateway);
};

const unreadable = (place: string, id: string) => ({
  code: 'gateway-answer-unreadable',
  message: expect.stringContaining(`: ${place}${nameOf(id)}: `) as unknown,
});

describe.each(fields)('%s of %s', (id, resource, served, property, value, wrong, missing) => {
  const readings = resources[resource] ?? [];

  it('is read as served, to the last digit (G5.2, G8.8)', async () => {
    expect(readings).not.toEqual([]);
    for (const reading of readings)
      expect(await readServed(reading, servedWith(resource, id, served))).toHaveProperty(property, value);
  });

  it('is unknown, or an error that names it, when it is missing or null', async () => {
    for (const reading of readings)
      for (const absent of [undefined, 'null']) {
        const read = readServed(reading, servedWith(resource, id, absent));
        if (missing === error) await expect(read).rejects.toMatchObject(unreadable(reading.place, id));
        else expect(await read).toHaveProperty(property, missing);
      }
  });

  it('is an error that names it when it has a wrong type', async () => {
    for (const reading of readings)
      await expect(readServed(reading, servedWith(resource, id, wrong))).rejects.toMatchObject(
        unreadable(reading.place, id),
      );
  });
});

describe('an API key', () => {
  it.each([
    ['never expires', 'G8.1', '{"expired_time":-1}', { expiredTime: 'never' }],
    ['has its quota as a number', 'G8.10', '{"remain_quota":12.3400}', { remainQuota: '12.34' }],
    ['has a status without a known meaning', 'G8.2', '{"status":17}', { status: 17 }],
    ['has other fields', 'G8.6.open', '{"ips":["::1"]}', { rest: { ips: '["::1"]' } }],
  ])('is read when it %s (%s)', async (_what, _id, changes, expected) => {
    const served = { id: 7, name: 'a', remain_quota: '5.0000', unlimited_quota: false, expired_time: 9 };
    const changed: unknown = { ...served, ...(JSON.parse(changes) as object) };
    const { gateway } = await scriptedGateway([ok(changed)]);
    expect(await gateway.readKey(7)).toMatchObject(expected);
  });
});

it('the account profile never contains credentials, should the gateway serve some (G4.2)', async () => {
  const never = { password: 'p', access_token: 't', session: 's', id_number: 'i' };
  const { gateway } = await scriptedGateway([
    ok({ username: 'a', balance: '1.0000', used_quota: '2.0000', ...never, tier: 'gold' }),
  ]);
  const found = await gateway.profile();
  expect(found.rest).toEqual({ tier: '"gold"' });
  for (const name of Object.keys(never)) expect(JSON.stringify(found)).not.toContain(name);
});

describe('the envelope of an answer (G3.1)', () => {
  const data = '{"username":"a","balance":"1.0000","used_quota":"2.0000"}';
  const read = async (envelope: string) => (await scriptedGateway([json(envelope)])).gateway.profile();

  it.each([
    ['G3.1.success', `{"success":true,"message":"","data":${data}}`],
    ['G3.1.message', `{"success":true,"data":${data}}`],
    ['G3.1.message', `{"success":true,"message":5,"data":${data}}`],
    ['G3.1.data', `{"success":true,"message":"saved","data":${data}}`],
  ])('is opened: %s in %s', async (_id, envelope) => {
    expect(await read(envelope)).toMatchObject({ username: 'a', balance: '1', usedQuota: '2' });
  });

  it.each([
    ['G3.1.success', `{"success":false,"message":"no","data":${data}}`, 'gateway-refused', '“no”'],
    ['G3.1.success', `{"message":"","data":${data}}`, 'gateway-answer-unreadable', 'no envelope with'],
    ['G3.1.success', `{"success":"true","data":${data}}`, 'gateway-answer-unreadable', 'no envelope with'],
    ['G3.1.message', '{"success":false,"message":"余额不足","data":null}', 'gateway-refused', '“余额不足”'],
    ['G3.1.data', '{"success":true,"message":""}', 'gateway-answer-unreadable', ': data: '],
    ['G3.1.data', '{"success":true,"message":"","data":[]}', 'gateway-answer-unreadable', ': data'],
  ])('is an error that says why it is not: %s in %s', async (_id, envelope, code, message) => {
    await expect(read(envelope)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as unknown,
    });
  });
});
