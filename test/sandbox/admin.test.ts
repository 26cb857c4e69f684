import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, scopes, type Scope } from '../../src/sandbox/index.ts';
import { NOW, open, withBox, written, type Box } from './support.ts';

let box: Box;
beforeAll(async () => {
  box = await open();
});
afterAll(() => box.sandbox.stop());

const endpoints: readonly { method: string; path: string; scope: Scope; body?: unknown }[] = [
  { method: 'GET', path: '/api/user/self', scope: 'account:read' },
  { method: 'GET', path: '/api/log/self/stat', scope: 'logs:read' },
  { method: 'GET', path: '/api/log/self/stream-export', scope: 'logs:read' },
  {
    method: 'GET',
    path: `/api/data/self/pivot/stream-export?start_timestamp=${NOW - 1e8}&end_timestamp=${NOW}`,
    scope: 'usage:read',
  },
  { method: 'GET', path: '/api/token/', scope: 'keys:read' },
  { method: 'GET', path: '/api/token/101', scope: 'keys:read' },
  { method: 'POST', path: '/api/token/', scope: 'keys:write', body: { name: 'a' } },
  { method: 'PUT', path: '/api/token/', scope: 'keys:write', body: { id: 101, name: 'a' } },
  { method: 'DELETE', path: '/api/token/102', scope: 'keys:write' },
];

describe('Admin Keys', () => {
  test.each([
    ['G2.3.account:read', 1],
    ['G2.3.logs:read', 2],
    ['G2.3.usage:read', 1],
    ['G2.3.keys:read', 2],
    ['G2.3.keys:write', 3],
  ])('are accepted by exactly the endpoints of their scope: %s', async (id, count) => {
    const only = scopes.filter((scope) => id === `G2.3.${scope}`);
    expect(only).toHaveLength(1);
    await withBox({ adminKeys: [{ key: 'sk-admin-only', scopes: only }] }, async ({ call }) => {
      const statuses: number[] = [];
      for (const { path, scope, ...rest } of endpoints) {
        const { status } = await call(path, { ...rest, key: 'sk-admin-only' });
        expect([rest.method, path, status]).toEqual([rest.method, path, only.includes(scope) ? 200 : 403]);
        statuses.push(status);
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(count);
    });
  });

  test('are refused by model endpoints, and API keys by admin endpoints (G1.2, G2.2, G2.5)', async () => {
    const { key } = await box.createKey();
    expect((await box.embed(key)).status).toBe(200);
    expect((await box.ask(key)).status).toBe(200);
    expect((await box.embed(box.sandbox.adminKey)).status).toBe(401);
    expect((await box.ask(box.sandbox.adminKey)).status).toBe(401);
    for (const { path, scope: _, ...rest } of endpoints)
      expect((await box.call(path, { ...rest, key })).status).toBe(401);
  });

  test('are neither listed nor made, changed or deleted by the endpoints of API keys (G2.4)', async () => {
    await withBox({}, async ({ sandbox, keys, call, createKey }) => {
      const { key } = await createKey({ name: 'sk-admin-x' });
      expect(key).toMatch(/^sk-(?!admin-)/u);
      const { items } = (await keys({ page_size: 100 })).json['data'] as { items: { id: number }[] };
      expect(JSON.stringify(items)).not.toContain(sandbox.adminKey.slice(-4));
      for (const { id } of items)
        expect((await call(`/api/token/${id}`, { method: 'DELETE' })).status).toBe(200);
      expect((await keys()).json['data']).toMatchObject({ items: [], total: 0 });
      expect((await call('/api/user/self')).status).toBe(200);
    });
  });

  test('are rejected when missing, wrong or a model key', async () => {
    const { key } = await box.createKey();
    const bare = box.sandbox.adminKey.replace(/^sk-/u, '');
    for (const wrong of ['', 'sk-admin-wrong', key, bare]) {
      for (const { path, scope: _, ...rest } of endpoints) {
        const reply = await box.call(path, { ...rest, key: wrong });
        expect(reply.status).toBe(401);
        expect(reply.json).toMatchObject({ success: false, data: null });
      }
    }
  });

  test('have the prefix of the contract and every scope by default (G2.2)', () => {
    expect(box.sandbox.adminKey).toMatch(/^sk-admin-[A-Za-z0-9]{48}$/u);
    expect(JSON.stringify(box.sandbox.state.adminKeys)).not.toContain(box.sandbox.adminKey);
  });

  test('are required to start a sandbox', async () => {
    await expect(startSandbox({ now: () => NOW, adminKeys: [] })).rejects.toThrow('Admin Key');
  });
});

describe('a request outside the endpoints', () => {
  test('that writes a path, field name or value in another way is refused (G1.5)', async () => {
    for (const path of ['/API/token/', '/api/Token/', '/api/token', '/api/user/self/'])
      expect([path, (await box.call(path)).status]).toEqual([path, 404]);
    const body = { name: 'exact', unlimited_quota: true, expired_time: -1 };
    for (const wrong of [
      { ...body, name: undefined, Name: 'exact' },
      { ...body, unlimited_quota: 'True' },
    ])
      expect((await box.call('/api/token/', { method: 'POST', body: wrong })).json['success']).toBe(false);
    const usage = `/api/data/self/pivot/stream-export?start_timestamp=${NOW - 1e8}&end_timestamp=${NOW}`;
    for (const wrong of ['group_by=Model', 'metric=SPEND', 'granularity=Day', 'granularity=daily'])
      expect((await box.call(`${usage}&${wrong}`)).json['success']).toBe(false);
  });

  test('for an unknown path gets 404 with an envelope', async () => {
    for (const path of ['/', '/api/token', '/api/token/x', '/api/user', '/v1/models', '/_sandbox/nothing']) {
      const reply = await box.call(path);
      expect([path, reply.status, reply.json['success']]).toEqual([path, 404, false]);
    }
  });

  test('with a wrong method gets 405 with the allowed methods', async () => {
    const reply = await box.call('/api/token/', { method: 'DELETE' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, POST, PUT']);
    expect((await box.call('/v1/embeddings')).headers.get('allow')).toBe('POST');
  });

  test('with a malformed body gets 400, and with a long one 413', async () => {
    expect((await box.call('/api/token/', { method: 'POST', body: '{"name":' })).status).toBe(400);
    const long = JSON.stringify({ name: 'x'.repeat(17 * 1024 * 1024) });
    expect((await box.call('/api/token/', { method: 'POST', body: long })).status).toBe(413);
  });

  test('with invalid parameters is rejected in the envelope', async () => {
    for (const path of [
      '/api/log/self/stat?start_timestamp=yesterday',
      '/api/log/self/stat?vendor_id=openai',
      '/api/log/self/stream-export?end_timestamp=1.5',
      '/api/log/self/stream-export?vendor_id=x',
      '/api/log/self/stream-export?currency=EUR',
      '/api/data/self/pivot/stream-export?start_timestamp=x',
      `/api/data/self/pivot/stream-export?start_timestamp=${NOW}&group_by=colour`,
      `/api/data/self/pivot/stream-export?start_timestamp=${NOW}&metric=toString`,
      `/api/data/self/pivot/stream-export?start_timestamp=${NOW}&granularity=month`,
      `/api/data/self/pivot/stream-export?start_timestamp=${NOW}&top_n=many`,
    ]) {
      const reply = await box.call(path);
      expect([path, reply.json]).toEqual([path, { success: false, message: expect.any(String), data: null }]);
      expect(reply.json['message']).not.toBe('');
    }
  });
});

test('an empty range returns nothing, and a range without an end everything', async () => {
  const now = Math.floor(NOW / 1000);
  const far = Number.MAX_SAFE_INTEGER;
  const whole = box.sandbox.truth.sums(0, now + 1);
  for (const [start_timestamp, end_timestamp, all] of [
    [now, now - 86_400, false],
    [-far, -1, false],
    [now + 1, far, false],
    [far, far, false],
    [-5, far, true],
    [0, 0, true],
  ] as const) {
    const range = { start_timestamp, end_timestamp };
    const log = await box.log(range);
    expect([range, log.rows.length, log.header[0]]).toEqual([range, all ? whole.rows : 0, 'created_at']);
    expect(written((await box.stat(range)).text, 'quota')).toBe(all ? whole.net : '0');
  }
  for (const range of [
    { start_timestamp: NOW, end_timestamp: NOW - 86_400_000 },
    { start_timestamp: -86_400_000, end_timestamp: -1 },
    { start_timestamp: NOW + 3_600_000, end_timestamp: NOW + 7_200_000 },
  ]) {
    const { header, rows } = await box.usage(range);
    expect([range, header, rows]).toEqual([range, ['time', 'dimension', 'value'], []]);
  }
  // Without a start the span is longer than half a year; without an end it reaches up to now.
  expect((await box.call('/api/data/self/pivot/stream-export')).json['success']).toBe(false);
  const openEnded = await box.call(`/api/data/self/pivot/stream-export?start_timestamp=${NOW - 86_400_000}`);
  expect(openEnded.text.split('\n').length).toBeGreaterThan(2);
});

test('requests are recorded without secrets', async () => {
  await withBox({}, async ({ call, createKey, sandbox }) => {
    const { key } = await createKey({ name: 'recorded' });
    await call(`/api/log/self/stat?token_name=${key}`, { headers: { 'user-agent': 'tester/1' } });
    const records = sandbox.requests.all();
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({
      method: 'POST',
      path: '/api/token/',
      status: 200,
      authorization: 'admin key',
    });
    expect(records[0]?.body).toMatchObject({ name: 'recorded' });
    expect(records[1]).toMatchObject({ query: { token_name: 'sk-***' }, userAgent: 'tester/1', done: true });
    expect(sandbox.requests.writes()).toBe(1);
    expect(JSON.stringify(records)).not.toContain(key);
    expect(JSON.stringify(records)).not.toContain(sandbox.adminKey);
    sandbox.requests.clear();
    expect([sandbox.requests.all(), sandbox.requests.writes()]).toEqual([[], 0]);
  });
});

test('two sandboxes run side by side, and one can have a port and host of its choice', async () => {
  const other = await startSandbox({ now: () => NOW, months: 1, host: '::1' });
  try {
    expect(other.baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/u);
    const port = Number(new URL(other.baseUrl).port);
    await expect(startSandbox({ now: () => NOW, months: 1, host: '::1', port })).rejects.toThrow(
      'EADDRINUSE',
    );
  } finally {
    await other.stop();
  }
});
