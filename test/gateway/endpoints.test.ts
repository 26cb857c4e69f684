import { describe, expect, it } from 'vitest';
import { money, unixMillis, unixSeconds } from '../../src/core/index.ts';
import { collect } from '../http/support/servers.ts';
import { adminKey, csv, json, ok, scriptedGateway, type SeenRequest } from './support/scripted-gateway.ts';

const key = {
  id: 7,
  name: 'prod-a',
  key_mask: 'sk-a***z',
  status: 1,
  remain_quota: '12.3400',
  unlimited_quota: false,
  expired_time: -1,
  group: 'default',
  created_time: 1_760_000_000,
};

const spec = {
  name: 'prod-b',
  remainQuota: money('0.1'),
  unlimitedQuota: false,
  expiredTime: unixSeconds(1_900_000_000),
  group: '',
};

/** Method, path and parameters of requests, the latter in the order of their names. */
const requestsIn = (seen: readonly SeenRequest[]): readonly string[] =>
  seen.map(({ method, path, query }) =>
    [
      method,
      path,
      ...Object.entries(query)
        .map((one) => one.join('='))
        .sort(),
    ].join(' '),
  );

describe('the client sends and reads', () => {
  it('the profile (G4.1)', async () => {
    const { gateway, seen } = await scriptedGateway([
      ok({
        username: 'acme',
        display_name: 'Acme',
        balance: '100.1200',
        used_quota: '3.0001',
        request_count: 12,
        group: 'vip',
        level: 3,
        tier: { ratio: 1.5 },
        password: 'never kept',
      }),
    ]);
    expect(await gateway.profile()).toEqual({
      username: 'acme',
      displayName: 'Acme',
      balance: '100.12',
      usedQuota: '3.0001',
      requestCount: 12,
      group: 'vip',
      level: 3,
      rest: { tier: '{"ratio":1.5}' },
    });
    expect(seen).toMatchObject([{ method: 'GET', path: '/api/user/self', query: {}, body: '' }]);
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${adminKey}`,
      accept: 'application/json',
      'user-agent': 'tollkeeper/0.0.0-test',
    });
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it('statistics in seconds, with and without filters (G5.1, G5.2)', async () => {
    const { gateway, seen } = await scriptedGateway([
      json(
        '{"success":true,"message":"","data":{"quota":12.300000000000000001,"rpm":1,"tpm":2.5e3,"mpm":0}}',
      ),
    ]);
    const range = { start: unixSeconds(1_760_000_000), end: unixSeconds(1_760_003_600) };
    expect(await gateway.statistics(range)).toEqual({
      quota: '12.300000000000000001',
      rpm: '1',
      tpm: '2500',
      mpm: '0',
      rest: {},
    });
    await gateway.statistics({ ...range, modelName: 'a&b=c', tokenName: 'prod a', vendorId: 3 });
    expect(requestsIn(seen)).toEqual([
      'GET /api/log/self/stat end_timestamp=1760003600 start_timestamp=1760000000',
      'GET /api/log/self/stat end_timestamp=1760003600 model_name=a&b=c start_timestamp=1760000000 token_name=prod a vendor_id=3',
    ]);
  });

  it('the log export in seconds, always with the currency (G6.1, G6.7)', async () => {
    const { gateway, seen } = await scriptedGateway([csv('\uFEFFa,b\n1,2\n')]);
    const range = { start: unixSeconds(1), end: unixSeconds(2) };
    const { contentType, body } = await gateway.exportLogs({
      ...range,
      columns: ['created_at', 'quota'],
      currency: 'USD',
    });
    expect(contentType).toBe('text/csv; charset=utf-8');
    expect((await collect(body)).toString()).toBe('\uFEFFa,b\n1,2\n');
    const all = await gateway.exportLogs({
      ...range,
      columns: [],
      currency: 'CNY',
      modelName: 'm',
      vendorId: 2,
      status: 'x',
    });
    await collect(all.body);
    expect(requestsIn(seen)).toEqual([
      'GET /api/log/self/stream-export columns=created_at,quota currency=USD end_timestamp=2 start_timestamp=1',
      'GET /api/log/self/stream-export columns= currency=CNY end_timestamp=2 model_name=m start_timestamp=1 status=x vendor_id=2',
    ]);
    expect(seen[0]?.headers['accept-encoding']).toContain('gzip');
  });

  it('the usage export in milliseconds (G7.1, G7.2)', async () => {
    const { gateway, seen } = await scriptedGateway([csv('time,m\n')]);
    const { body } = await gateway.exportUsage({
      start: unixMillis(1_760_000_000_000),
      end: unixMillis(1_760_086_400_000),
      groupBy: 'model',
      metric: 'spend',
      granularity: 'day',
      topN: 1000,
      modelName: 'm',
    });
    await collect(body);
    expect(requestsIn(seen)).toEqual([
      'GET /api/data/self/pivot/stream-export end_timestamp=1760086400000 granularity=day group_by=model metric=spend model_name=m start_timestamp=1760000000000 top_n=1000',
    ]);
  });

  it('a page of keys, and one key with fields outside the contract (G8.1, G8.3, G8.6)', async () => {
    const { gateway, seen } = await scriptedGateway((request) =>
      request.path === '/api/token/'
        ? ok({ items: [key], page: 2, page_size: 5, total: 6 })
        : ok({
            ...key,
            remain_quota: 5,
            expired_time: 1_900_000_000,
            key: 'sk-shown',
            allow_ips: ['10.0.0.1'],
          }),
    );
    const read = {
      id: 7,
      name: 'prod-a',
      keyMask: 'sk-a***z',
      status: 1,
      remainQuota: '12.34',
      unlimitedQuota: false,
      expiredTime: 'never',
      group: 'default',
      createdTime: 1_760_000_000,
      rest: {},
    };
    expect(await gateway.keyPage({ page: 2, pageSize: 50 })).toEqual({
      items: [read],
      page: 2,
      pageSize: 5,
      total: 6,
    });
    expect(await gateway.readKey(7)).toEqual({
      ...read,
      remainQuota: '5',
      expiredTime: 1_900_000_000,
      rest: { allow_ips: '["10.0.0.1"]' },
    });
    expect(seen).toMatchObject([
      { method: 'GET', path: '/api/token/', query: { p: '2', page_size: '50' } },
      { method: 'GET', path: '/api/token/7', query: {} },
    ]);
  });

  it('the complete body of a create, with amounts as exact numbers (G8.7, G8.8, G8.10)', async () => {
    const { gateway, seen } = await scriptedGateway([ok({ id: 9, key: 'sk-plaintext-of-the-new-key' })]);
    const created = await gateway.createKey({ ...spec, remainQuota: money('12345678901234567.00000001') });
    expect(created.id).toBe(9);
    expect(created.key.reveal()).toBe('sk-plaintext-of-the-new-key');
    expect(seen).toMatchObject([{ method: 'POST', path: '/api/token/', query: {} }]);
    expect(seen[0]?.headers['content-type']).toBe('application/json');
    expect(seen[0]?.body).toBe(
      '{"name":"prod-b","remain_quota":12345678901234567.00000001,"unlimited_quota":false,"expired_time":1900000000,"group":""}',
    );
  });

  it('the complete key in an update, including fields outside the contract (G8.12)', async () => {
    const { gateway, seen } = await scriptedGateway([ok(null)]);
    await gateway.updateKey({
      ...spec,
      id: 7,
      expiredTime: 'never',
      rest: { ratio: '1.10', allow_ips: '["::1"]' },
    });
    expect(seen).toMatchObject([{ method: 'PUT', path: '/api/token/', query: {} }]);
    expect(seen[0]?.body).toBe(
      '{"ratio":1.10,"allow_ips":["::1"],"id":7,"name":"prod-b","remain_quota":0.1,"unlimited_quota":false,"expired_time":-1,"group":""}',
    );
  });

  it('a delete with any body of a success (G8.14, G8.14.open)', async () => {
    for (const answer of [ok(null), { status: 204 }, { status: 200, body: '' }, json({ success: true })]) {
      const { gateway, seen } = await scriptedGateway([answer]);
      await gateway.deleteKey(7);
      expect(seen).toMatchObject([{ method: 'DELETE', path: '/api/token/7', query: {}, body: '' }]);
    }
  });

  it('every endpoint below the path of base_url (G1.1)', async () => {
    const { gateway, seen } = await scriptedGateway([json({ success: false })], { prefix: '/team/gateway/' });
    await expect(gateway.readKey(1)).rejects.toThrow();
    expect(seen[0]?.path).toBe('/team/gateway/api/token/1');
  });

  it('only ids that are whole numbers', async () => {
    const { gateway, seen } = await scriptedGateway([ok(null)]);
    for (const id of [-1, 1.5, Number.NaN, 2 ** 53])
      await expect(gateway.deleteKey(id)).rejects.toThrow(RangeError);
    expect(seen).toEqual([]);
  });
});

describe('answers that do not match the contract', () => {
  it.each([
    ['no JSON', { body: 'gone fishing' }, 'no JSON: “gone fishing”'],
    [
      'the page of a web console',
      { headers: { 'content-type': 'text/html' }, body: '<html><title>Console</title></html>' },
      'no JSON: “Console”',
    ],
    ['an empty body', { body: '' }, 'but an empty body'],
    ['no envelope', json({ username: 'a' }), 'no envelope'],
    ['a list', json([1]), 'no envelope'],
    ['a missing field', ok({ username: 'a', balance: '1' }), 'data.used_quota: expected a decimal'],
    ['an amount that is none', ok({ username: 'a', balance: 'NaN', used_quota: '1' }), 'data.balance'],
    ['no data', ok(null), 'data'],
  ])('are rejected with the field and the reason: %s', async (_name, answer, message) => {
    const { gateway, seen } = await scriptedGateway([answer]);
    await expect(gateway.profile()).rejects.toMatchObject({
      code: 'gateway-answer-unreadable',
      message: expect.stringContaining(message) as unknown,
    });
    expect(seen).toHaveLength(1);
  });

  it('are rejected when they never end', async () => {
    const { gateway } = await scriptedGateway([{ body: ' '.repeat(9 * 1024 * 1024) }]);
    await expect(gateway.profile()).rejects.toMatchObject({ code: 'gateway-answer-too-large' });
  });

  it('are rejected when they are nested too deeply', async () => {
    const { gateway } = await scriptedGateway([{ body: '['.repeat(1_000_000) }]);
    await expect(gateway.profile()).rejects.toMatchObject({ code: 'gateway-answer-unreadable' });
  });
});
