import { afterAll, describe, expect, test } from 'vitest';
import { scopes, type Scope } from '../../src/sandbox/index.ts';
import { NOW, open, seconds, withBox, written } from './support.ts';

const box = await open();
afterAll(() => box.sandbox.stop());

const USAGE = '/api/data/self/pivot/stream-export';
const endpoints: readonly (readonly [method: string, path: string, scope: Scope, body?: unknown])[] = [
  ['GET', '/api/user/self', 'account:read'],
  ['GET', '/api/log/self/stat', 'logs:read'],
  ['GET', '/api/log/self/stream-export', 'logs:read'],
  ['GET', `${USAGE}?start_timestamp=${NOW - 1e8}&end_timestamp=${NOW}`, 'usage:read'],
  ['GET', '/api/token/', 'keys:read'],
  ['GET', '/api/token/101', 'keys:read'],
  ['POST', '/api/token/', 'keys:write', { name: 'a' }],
  ['PUT', '/api/token/', 'keys:write', { id: 101, name: 'a' }],
  ['DELETE', '/api/token/102', 'keys:write'],
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
    await withBox({ adminKeys: [{ key: 'sk-admin-only', scopes: only }] }, async ({ call }) => {
      let accepted = 0;
      for (const [method, path, scope, body] of endpoints) {
        const { status } = await call(path, { method, body, key: 'sk-admin-only' });
        expect([method, path, status]).toEqual([method, path, only.includes(scope) ? 200 : 403]);
        accepted += status === 200 ? 1 : 0;
      }
      expect(accepted).toBe(count);
    });
  });

  test('are refused by model endpoints, and all other keys by admin endpoints (G1.2, G2.2, G2.5)', async () => {
    const { key } = await box.createKey();
    const { adminKey } = box.sandbox;
    expect([(await box.embed(key)).status, (await box.ask(key)).status]).toEqual([200, 200]);
    expect([(await box.embed(adminKey)).status, (await box.ask(adminKey)).status]).toEqual([401, 401]);
    for (const wrong of ['', 'sk-admin-wrong', key, adminKey.replace(/^sk-/u, '')])
      for (const [method, path, , body] of endpoints) {
        const reply = await box.call(path, { method, body, key: wrong });
        expect([reply.status, reply.json]).toMatchObject([401, { success: false, data: null }]);
      }
  });

  test('are neither listed nor deleted by the endpoints of API keys, and stored as hashes (G2.2, G2.4)', async () => {
    await withBox({}, async ({ sandbox, page, deleteKey, createKey, profile }) => {
      expect(sandbox.adminKey).toMatch(/^sk-admin-[A-Za-z0-9]{48}$/u);
      expect(JSON.stringify(sandbox.state.adminKeys)).not.toContain(sandbox.adminKey);
      expect((await createKey({ name: 'sk-admin-x' })).key).toMatch(/^sk-(?!admin-)/u);
      const { items } = await page({ page_size: 100 });
      expect(JSON.stringify(items)).not.toContain(sandbox.adminKey.slice(-4));
      for (const { id } of items) expect((await deleteKey(id)).status).toBe(200);
      expect(await page()).toMatchObject({ items: [], total: 0 });
      expect((await profile()).status).toBe(200);
    });
  });
});

test('a sandbox needs an Admin Key, and can have a port and host of its choice', async () => {
  await expect(open({ adminKeys: [] })).rejects.toThrow('Admin Key');
  await withBox({ host: '::1' }, async ({ sandbox }) => {
    expect(sandbox.baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/u);
    const port = Number(new URL(sandbox.baseUrl).port);
    await expect(open({ host: '::1', port })).rejects.toThrow('EADDRINUSE');
  });
});

test('a request outside the endpoints gets 404, and with a wrong method 405 with the allowed ones', async () => {
  const paths = ['/', '/API/token/', '/api/token', '/api/token/x', '/api/token/%zz', '/_sandbox/nothing'];
  for (const path of paths) {
    const { status, json } = await box.call(path);
    expect([path, status, json['success']]).toEqual([path, 404, false]);
  }
  const { status, headers } = await box.call('/api/token/', { method: 'DELETE' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, PUT']);
});

test('a request with a malformed body gets 400, and with a long one 413', async () => {
  const send = (body: string) =>
    withBox({}, async ({ call }) => (await call('/api/token/', { method: 'POST', body })).status);
  expect([await send('{"name":'), await send(' '.repeat(17 * 1024 * 1024))]).toEqual([400, 413]);
});

test('an empty range returns nothing, and a range without an end everything', async () => {
  const [now, far] = [seconds(NOW), Number.MAX_SAFE_INTEGER];
  const look = async (start_timestamp: number, end_timestamp: number): Promise<unknown[]> => {
    const range = { start_timestamp, end_timestamp };
    return [(await box.log(range)).rows.length, written((await box.stat(range)).text, 'quota')];
  };
  const whole = box.sandbox.truth.sums(0, now + 1);
  expect([await look(-5, far), await look(0, 0)].flat()).toEqual([
    whole.rows,
    whole.net,
    whole.rows,
    whole.net,
  ]);
  const empty = [await look(now, now - 86_400), await look(-far, -1), await look(far, far)];
  expect([...empty, await look(NOW - 86_400_000, NOW)].join(' ')).toBe('0,0 0,0 0,0 0,0');
  const wrong = [{ end_timestamp: NOW - 86_400_000 }, { start_timestamp: now - 86_400, end_timestamp: now }];
  for (const range of wrong)
    expect((await box.usage({ start_timestamp: NOW, ...range })).text.trim()).toBe('time,dimension,value');
  // Without a start the span is longer than half a year; without an end it reaches up to now.
  expect((await box.call(USAGE)).json['success']).toBe(false);
  const openEnded = await box.call(`${USAGE}?start_timestamp=${NOW - 86_400_000}`);
  expect(openEnded.text.split('\n').length).toBeGreaterThan(2);
});

test('requests are recorded without secrets', async () => {
  await withBox({}, async ({ call, createKey, sandbox }) => {
    const { key } = await createKey({ name: 'recorded' });
    await call(`/api/log/self/stat?token_name=${key}`, { headers: { 'user-agent': 'tester/1' } });
    const records = sandbox.requests.all();
    const post = { method: 'POST', path: '/api/token/', status: 200, authorization: 'admin key' };
    const query = { query: { token_name: 'sk-***' }, userAgent: 'tester/1', done: true };
    expect(records).toMatchObject([{ ...post, body: { name: 'recorded' } }, query]);
    for (const secret of [key, sandbox.adminKey]) expect(JSON.stringify(records)).not.toContain(secret);
    sandbox.requests.clear();
    expect([sandbox.requests.all(), sandbox.requests.writes()]).toEqual([[], 0]);
  });
});
