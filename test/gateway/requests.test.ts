import { describe, expect, it } from 'vitest';
import { money, toSeconds, unixMillis, unixSeconds } from '../../src/core/index.ts';
import type { Gateway } from '../../src/gateway/index.ts';
import {
  adminKey,
  ok,
  csv,
  json,
  scriptedGateway,
  spec as plain,
  type Answer,
} from './support/scripted-gateway.ts';

type Call = (gateway: Gateway) => Promise<unknown>;

const range = { start: unixSeconds(1_760_000_000), end: unixSeconds(1_760_003_600) };
const millis = { start: unixMillis(1_760_000_000_000), end: unixMillis(1_760_086_400_000) };
const spec = {
  name: 'prod "b", 钥',
  remainQuota: money('12345678901234567.00000001'),
  unlimitedQuota: false,
  expiredTime: unixSeconds(1_900_000_000),
  group: 'vip',
};
const filters = { modelName: 'a&b=c', vendorId: 3 };
const usage = { groupBy: 'model', metric: 'spend', granularity: 'day' as const, topN: 1000 };

const calls = {
  profile: (gateway) => gateway.profile(),
  statistics: (gateway) => gateway.statistics({ ...range, ...filters, tokenName: 'prod a' }),
  unfilteredStatistics: (gateway) => gateway.statistics(range),
  logs: (gateway) =>
    gateway.exportLogs({
      ...range,
      ...filters,
      status: 'error',
      columns: ['created_at', 'quota'],
      currency: 'CNY',
    }),
  unfilteredLogs: (gateway) => gateway.exportLogs({ ...range, columns: [], currency: 'USD' }),
  usage: (gateway) => gateway.exportUsage({ ...millis, ...usage, modelName: 'm' }),
  unfilteredUsage: (gateway) =>
    gateway.exportUsage({ ...millis, ...usage, groupBy: 'token', granularity: 'week', topN: 20 }),
  hourlyUsage: (gateway) =>
    gateway.exportUsage({ ...millis, ...usage, groupBy: 'vendor', metric: 'count', granularity: 'hour' }),
  page: (gateway) => gateway.keyPage({ page: 2, pageSize: 50 }),
  readKey: (gateway) => gateway.readKey(7),
  createKey: (gateway) => gateway.createKey(spec),
  unlimitedKey: (gateway) =>
    gateway.createKey({ ...spec, unlimitedQuota: true, expiredTime: 'never', group: '' }),
  updateKey: (gateway) => gateway.updateKey({ ...spec, id: 7 }),
  patchKey: (gateway) => gateway.patchKey({ id: 7 }),
  deleteKey: (gateway) => gateway.deleteKey(7),
} as const satisfies Record<string, Call>;

/** What reaches the gateway; whether its answer can be read is tested elsewhere. */
const sent = async (name: keyof typeof calls) => {
  const scripted = await scriptedGateway(({ path }) =>
    path.endsWith('stream-export') ? csv('a\n') : ok({ id: 1, key: 'sk-0123456789abcdef' }),
  );
  await calls[name](scripted.gateway).catch(() => undefined);
  expect(scripted.seen).toHaveLength(1);
  const [request] = scripted.seen;
  if (request === undefined) throw new Error('no request');
  return request;
};

const nameOf = (id: string): string => id.split('.').at(-1) ?? '';

describe('a request of the client', () => {
  it.each([
    ['G4.1', 'profile', 'GET', '/api/user/self', []],
    ['G5.1', 'unfilteredStatistics', 'GET', '/api/log/self/stat', ['start_timestamp', 'end_timestamp']],
    [
      'G6.1',
      'unfilteredLogs',
      'GET',
      '/api/log/self/stream-export',
      ['start_timestamp', 'end_timestamp', 'columns', 'currency'],
    ],
    [
      'G7.1',
      'unfilteredUsage',
      'GET',
      '/api/data/self/pivot/stream-export',
      ['start_timestamp', 'end_timestamp', 'group_by', 'metric', 'granularity', 'top_n'],
    ],
    ['G8.3', 'page', 'GET', '/api/token/', ['p', 'page_size']],
    ['G8.6, G8.6.id', 'readKey', 'GET', '/api/token/7', []],
    ['G8.7', 'createKey', 'POST', '/api/token/', []],
    ['G8.12', 'updateKey', 'PUT', '/api/token/', []],
    ['G8.14, G8.14.id', 'deleteKey', 'DELETE', '/api/token/7', []],
  ] as const)(
    'has the method, path and parameters of its endpoint: %s',
    async (_id, name, method, path, parameters) => {
      const request = await sent(name);
      expect([request.method, request.path]).toEqual([method, path]);
      expect(new Set(Object.keys(request.query))).toEqual(new Set(parameters));
    },
  );

  it.each(Object.keys(calls) as readonly (keyof typeof calls)[])(
    'carries the key in Authorization, and no version header: %s (G2.1, G2.1.Authorization, G17.2.open)',
    async (name) => {
      const { headers } = await sent(name);
      expect(headers).toMatchObject({
        authorization: `Bearer ${adminKey}`,
        'user-agent': 'tollkeeper/0.0.0-test',
      });
      expect(Object.keys(headers).filter((header) => header.includes('version'))).toEqual([]);
    },
  );

  it.each([
    ['profile', false],
    ['page', false],
    ['deleteKey', false],
    ['createKey', true],
    ['updateKey', true],
    ['patchKey', true],
  ] as const)(
    'has a body in JSON and says so, or none: %s (G1.4, G1.4.Content-Type)',
    async (name, hasBody) => {
      const { headers, body } = await sent(name);
      expect(headers.accept).toBe('application/json');
      expect(headers['content-type']).toBe(hasBody ? 'application/json' : undefined);
      if (hasBody) expect(JSON.parse(body)).toBeTypeOf('object');
      else expect(body).toBe('');
    },
  );

  it.each([
    ['G5.1.start_timestamp', 'statistics', '1760000000'],
    ['G5.1.end_timestamp', 'statistics', '1760003600'],
    ['G5.1.model_name', 'statistics', 'a&b=c'],
    ['G5.1.model_name', 'unfilteredStatistics', undefined],
    ['G5.1.token_name', 'statistics', 'prod a'],
    ['G5.1.token_name', 'unfilteredStatistics', undefined],
    ['G5.1.vendor_id', 'statistics', '3'],
    ['G5.1.vendor_id', 'unfilteredStatistics', undefined],
    ['G6.1.start_timestamp', 'logs', '1760000000'],
    ['G6.1.end_timestamp', 'logs', '1760003600'],
    ['G6.1.model_name', 'logs', 'a&b=c'],
    ['G6.1.model_name', 'unfilteredLogs', undefined],
    ['G6.1.vendor_id', 'logs', '3'],
    ['G6.1.vendor_id', 'unfilteredLogs', undefined],
    ['G6.1.status', 'logs', 'error'],
    ['G6.1.status', 'unfilteredLogs', undefined],
    ['G6.1.columns', 'logs', 'created_at,quota'],
    ['G6.1.columns', 'unfilteredLogs', ''],
    ['G6.1.currency', 'logs', 'CNY'],
    ['G6.1.currency', 'unfilteredLogs', 'USD'],
    ['G7.1.start_timestamp', 'usage', '1760000000000'],
    ['G7.1.end_timestamp', 'usage', '1760086400000'],
    ['G7.1.group_by', 'usage', 'model'],
    ['G7.1.group_by', 'unfilteredUsage', 'token'],
    ['G7.1.metric', 'usage', 'spend'],
    ['G7.1.granularity', 'hourlyUsage', 'hour'],
    ['G7.1.granularity', 'usage', 'day'],
    ['G7.1.granularity', 'unfilteredUsage', 'week'],
    ['G7.1.top_n', 'usage', '1000'],
    ['G7.1.top_n', 'unfilteredUsage', '20'],
    ['G7.1.model_name', 'usage', 'm'],
    ['G7.1.model_name', 'unfilteredUsage', undefined],
    ['G8.3.p', 'page', '2'],
    ['G8.3.page_size', 'page', '50'],
  ] as const)('has the parameter %s: %s sends %s', async (id, name, value) => {
    expect((await sent(name)).query[nameOf(id)]).toBe(value);
  });

  it('passes on a dimension and a metric that the contract does not name (G7.4.open)', async () => {
    expect((await sent('hourlyUsage')).query).toMatchObject({ group_by: 'vendor', metric: 'count' });
  });

  it.each([
    ['G8.7.name', 'createKey', '"prod \\"b\\", 钥"'],
    ['G8.7.remain_quota', 'createKey', '12345678901234567.00000001'],
    ['G8.7.unlimited_quota', 'createKey', 'false'],
    ['G8.7.unlimited_quota', 'unlimitedKey', 'true'],
    ['G8.7.expired_time', 'createKey', '1900000000'],
    ['G8.7.expired_time', 'unlimitedKey', '-1'],
    ['G8.7.group', 'createKey', '"vip"'],
    ['G8.7.group', 'unlimitedKey', '""'],
    ['G8.12.id', 'updateKey', '7'],
    ['G8.12.id', 'patchKey', '7'],
    ['G8.12.name', 'updateKey', '"prod \\"b\\", 钥"'],
    ['G8.12.name', 'patchKey', undefined],
    ['G8.12.remain_quota', 'updateKey', '12345678901234567.00000001'],
    ['G8.12.remain_quota', 'patchKey', undefined],
    ['G8.12.unlimited_quota', 'updateKey', 'false'],
    ['G8.12.unlimited_quota', 'patchKey', undefined],
    ['G8.12.expired_time', 'updateKey', '1900000000'],
    ['G8.12.expired_time', 'patchKey', undefined],
    ['G8.12.group', 'updateKey', '"vip"'],
    ['G8.12.group', 'patchKey', undefined],
  ] as const)('has the field %s in its body: %s sends %s', async (id, name, value) => {
    const { body } = await sent(name);
    const field = `"${nameOf(id)}":`;
    if (value === undefined) expect(body).not.toContain(field);
    else expect([',', '}'].some((end) => body.includes(`${field}${value}${end}`))).toBe(true);
  });
});

it('a request of an export accepts compression', async () => {
  expect((await sent('logs')).headers['accept-encoding']).toContain('gzip');
});

it('a delete succeeds with any body of a success (G8.14.open)', async () => {
  for (const answer of [ok(null), { status: 204 }, { status: 200, body: '' }, json({ success: true })]) {
    const { gateway, seen } = await scriptedGateway([answer]);
    await gateway.deleteKey(7);
    expect(seen).toMatchObject([{ method: 'DELETE', path: '/api/token/7', query: {}, body: '' }]);
  }
});

it('every endpoint is below the path of base_url (G1.1)', async () => {
  const { gateway, seen } = await scriptedGateway([json({ success: false })], { prefix: '/team/gateway/' });
  await expect(gateway.readKey(1)).rejects.toThrow();
  expect(seen[0]?.path).toBe('/team/gateway/api/token/1');
});

it('an id of a key is a whole number', async () => {
  const { gateway, seen } = await scriptedGateway([ok(null)]);
  for (const id of [-1, 1.5, Number.NaN, 2 ** 53])
    await expect(gateway.deleteKey(id)).rejects.toThrow(RangeError);
  expect(seen).toEqual([]);
});

describe('a key is rejected before any request', () => {
  it('when its name has more than 50 bytes, though it may have 50 characters (G8.9, G8.9.name)', async () => {
    const { gateway, seen } = await scriptedGateway([ok({ id: 1, key: 'sk-0123456789abc' })]);
    for (const name of ['x'.repeat(51), 'é'.repeat(26), '钥'.repeat(17)]) {
      await expect(gateway.createKey({ ...plain, name })).rejects.toMatchObject({ code: 'key-spec-invalid' });
      await expect(gateway.updateKey({ ...plain, id: 1, name })).rejects.toMatchObject({
        code: 'key-spec-invalid',
      });
    }
    expect(seen).toEqual([]);
    for (const name of ['x'.repeat(50), 'é'.repeat(25)]) await gateway.createKey({ ...plain, name });
    expect(seen).toHaveLength(2);
  });

  it('when it would be expired at creation, while an update may write a past expiry back (G8.11)', async () => {
    const { gateway, seen, clock } = await scriptedGateway([ok({ id: 1, key: 'sk-0123456789abc' })]);
    const now = toSeconds(clock.now());
    for (const expiredTime of [unixSeconds(0), unixSeconds(now - 1), now])
      await expect(gateway.createKey({ ...plain, expiredTime })).rejects.toMatchObject({
        code: 'key-spec-invalid',
      });
    expect(seen).toEqual([]);
    await gateway.createKey({ ...plain, expiredTime: unixSeconds(now + 1) });
    await gateway.updateKey({ ...plain, id: 1, expiredTime: unixSeconds(now - 1) });
    expect(seen).toHaveLength(2);
  });
});

describe('an Admin Key', () => {
  it.each(['sk-admin-x', 'sk-other', 'eyJhbGciOi.J9', '0'])(
    'is sent as it was issued, whatever its form: %s (G2.2.open)',
    async (key) => {
      const { gateway, seen } = await scriptedGateway([ok({})], { adminKey: key });
      await gateway.profile().catch(() => undefined);
      expect(seen[0]?.headers.authorization).toBe(`Bearer ${key}`);
    },
  );
});

describe('the total time of a request', () => {
  /** A body that arrives byte by byte, and ends after so many. */
  const dripping =
    (text: string, type: string, pauses: number): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': type });
      const bytes = Buffer.from(text);
      let sentBytes = 0;
      const timer = setInterval(() => {
        response.write(bytes.subarray(sentBytes, sentBytes + 1));
        sentBytes += 1;
        if (sentBytes < bytes.length) return;
        clearInterval(timer);
        response.end();
      }, pauses);
      response.on('close', () => clearInterval(timer));
    };
  const page = JSON.stringify({ success: true, data: { items: [], total: 0, page: 1, page_size: 100 } });
  const once = { attempts: 1, initial: 1, max: 1, longestRetryAfter: 1 };

  it('is limited for a page of keys, and not for an export or a new key', async () => {
    const options = { pageTimeout: 100, retry: once };
    const keys = await scriptedGateway([dripping(page, 'application/json', 10)], options);
    await expect(keys.gateway.keyPage({ page: 1, pageSize: 100 })).rejects.toMatchObject({
      code: 'gateway-timeout',
    });
    const created = JSON.stringify({ success: true, data: { id: 1, key: 'sk-0123456789abcdef' } });
    const post = await scriptedGateway([dripping(created, 'application/json', 5)], options);
    expect((await post.gateway.createKey(spec)).id).toBe(1);
    const exported = await scriptedGateway([dripping(`a\n${'1\n'.repeat(30)}`, 'text/csv', 5)], options);
    const { body } = await exported.gateway.exportLogs({ ...range, columns: [], currency: 'USD' });
    let bytes = 0;
    for await (const piece of body) bytes += piece.length;
    expect(bytes).toBe(62);
  });
});
