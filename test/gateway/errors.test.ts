import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unixMillis, unixSeconds } from '../../src/core/index.ts';
import type { Gateway } from '../../src/gateway/index.ts';
import { rejection } from '../http/support/servers.ts';
import { json, scriptedGateway, spec } from './support/scripted-gateway.ts';

const range = { start: unixSeconds(1), end: unixSeconds(2) };
const usage = {
  start: unixMillis(1),
  end: unixMillis(2),
  groupBy: 'model',
  metric: 'spend',
  granularity: 'day' as const,
  topN: 20,
};

const every: readonly (readonly [
  name: string,
  scope: string,
  call: (gateway: Gateway) => Promise<unknown>,
])[] = [
  ['GET /api/user/self', 'account:read', (gateway) => gateway.profile()],
  ['GET /api/log/self/stat', 'logs:read', (gateway) => gateway.statistics(range)],
  [
    'GET /api/log/self/stream-export',
    'logs:read',
    (gateway) => gateway.exportLogs({ ...range, columns: [], currency: 'USD' }),
  ],
  ['GET /api/data/self/pivot/stream-export', 'usage:read', (gateway) => gateway.exportUsage(usage)],
  ['GET /api/token/', 'keys:read', (gateway) => gateway.listKeys()],
  ['GET /api/token/5', 'keys:read', (gateway) => gateway.readKey(5)],
  ['POST /api/token/', 'keys:write', (gateway) => gateway.createKey(spec)],
  ['PUT /api/token/', 'keys:write', (gateway) => gateway.updateKey({ ...spec, id: 5 })],
  ['DELETE /api/token/5', 'keys:write', (gateway) => gateway.deleteKey(5)],
];

describe.each(every)('an error of %s', (name, scope, call) => {
  const attempt = async (answer: Parameters<typeof scriptedGateway>[0]) => {
    const scripted = await scriptedGateway(answer);
    const error: unknown = await call(scripted.gateway).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { error, count: scripted.seen.length };
  };

  it('with 401 is about the key', async () => {
    for (const body of [
      '',
      '{"success":false,"message":"无效的令牌"}',
      '{"error":{"message":"bad","code":"x"}}',
    ]) {
      const { error, count } = await attempt([{ status: 401, body }]);
      expect(error).toMatchObject({ code: 'gateway-key-refused', exitCode: 1, retryHelps: false });
      expect(String(error)).toContain(name);
      expect((error as { advice: string }).advice).toContain(scope);
      expect(count).toBe(1);
    }
  });

  it('with 403 names the scope (G2.3)', async () => {
    for (const body of ['', '{"success":false,"message":"缺少权限"}', '<h1>Forbidden</h1>']) {
      const { error, count } = await attempt([{ status: 403, body }]);
      expect(error).toMatchObject({ code: 'gateway-scope-missing' });
      expect(String(error)).toContain(`${name} (403): it needs the scope ${scope}`);
      expect(count).toBe(1);
    }
  });

  it('with a code distinguishes the key from the scope', async () => {
    const invalid = await attempt([json({ error: { code: 'invalid_api_key', message: 'no' } }, 403)]);
    expect(invalid.error).toMatchObject({ code: 'gateway-key-refused' });
    const challenge = { 'www-authenticate': 'Bearer error="insufficient_scope"' };
    const scoped = await attempt([json('', 401, challenge)]);
    expect(scoped.error).toMatchObject({ code: 'gateway-scope-missing' });
  });

  it('with 404 or another status is a gateway error', async () => {
    expect((await attempt([{ status: 404 }])).error).toMatchObject({ code: 'gateway-not-found' });
    for (const status of [400, 409, 418, 422])
      expect((await attempt([json({ message: 'odd' }, status)])).error).toMatchObject({
        code: 'gateway-http-error',
        message: `the gateway answered ${name} with status ${status}: “odd”`,
      });
  });

  it('is also a redirect to itself', async () => {
    const { error, count } = await attempt([{ status: 307, headers: { location: '/api/?next=1' } }]);
    expect(error).toMatchObject({ code: 'gateway-redirect' });
    expect(String(error)).toMatch(/was redirected to http:\/\/127\.0\.0\.1:\d+\/api\/ \(307\)/);
    expect(count).toBe(1);
    expect(String((await attempt([{ status: 302 }])).error)).toContain('without a target');
  });
});

const envelopes = every.filter(([name]) => !name.includes('export'));

describe.each(envelopes)('`success: false` with status 200 of %s', (name, scope, call) => {
  it('is a refusal whose text is quoted and never interpreted (G3.2)', async () => {
    const { gateway, seen } = await scriptedGateway([json({ success: false, message: 'record not found' })]);
    const error = await rejection(call(gateway));
    expect(error).toMatchObject({
      code: 'gateway-refused',
      message: expect.stringContaining(`refused ${name}, which`) as unknown,
      advice: expect.stringContaining(scope) as unknown,
    });
    expect((error as Error).message.endsWith(`${scope}: “record not found”`)).toBe(true);
    expect(seen).toHaveLength(1);
  });
});

describe.each(envelopes)('an answer with status 200 of %s that holds no success', (_name, scope, call) => {
  it('is about the key or the scope when a code says so, else refused, or unreadable without an envelope', async () => {
    for (const [body, code] of [
      [{ success: false, message: '', code: 401 }, 'gateway-key-refused'],
      [{ success: false, message: '', code: 'insufficient_scope' }, 'gateway-scope-missing'],
      [{ success: false, message: '', code: 'something_else' }, 'gateway-refused'],
      [{ code: 401, message: 'no' }, 'gateway-key-refused'],
      [{ error: { message: 'no', code: 'insufficient_scope' } }, 'gateway-scope-missing'],
      [{ error: { message: 'no', code: 'overloaded' } }, 'gateway-answer-unreadable'],
      [{ success: 'true', message: 'no', data: {} }, 'gateway-answer-unreadable'],
      [{ success: 1, data: {} }, 'gateway-answer-unreadable'],
      ['null', 'gateway-answer-unreadable'],
      [[1], 'gateway-answer-unreadable'],
    ] as const) {
      const { gateway, seen } = await scriptedGateway([json(body)]);
      const error = await rejection(call(gateway));
      expect(error).toMatchObject({ code, retryHelps: false });
      if (code === 'gateway-scope-missing') expect(String(error)).toContain(scope);
      expect(seen).toHaveLength(1);
    }
  });
});

it.each([
  ['no JSON', { body: 'gone fishing' }, 'unreadable', 'no JSON: “gone fishing”'],
  [
    'the page of a web console',
    { headers: { 'content-type': 'text/html' }, body: '<html><title>Console</title></html>' },
    'unreadable',
    'no JSON: “Console”',
  ],
  ['an empty body', { body: '' }, 'unreadable', 'but an empty body'],
  ['a body that never ends', { body: ' '.repeat(9 * 1024 * 1024) }, 'too-large', ''],
  ['JSON that is nested too deeply', { body: '['.repeat(1_000_000) }, 'unreadable', ''],
])('an answer is rejected with the reason when it is %s', async (_name, answer, code, message) => {
  const { gateway, seen } = await scriptedGateway([answer]);
  await expect(gateway.profile()).rejects.toMatchObject({
    code: `gateway-answer-${code}`,
    message: expect.stringContaining(message) as unknown,
  });
  expect(seen).toHaveLength(1);
});

describe('the quoted text', () => {
  const messageOf = async (body: string): Promise<string> => {
    const { gateway } = await scriptedGateway([{ status: 400, body }]);
    return gateway.profile().then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
  };

  it('is the message from its usual fields, on one short line', async () => {
    for (const body of [
      '{"error":"why"}',
      '{"msg":"why"}',
      '{"detail":"why"}',
      'why',
      '<title>why</title><p>x',
    ])
      expect(await messageOf(body)).toContain('status 400: “why”');
    expect(await messageOf('{"message":"a\\n\\u001b[31mb"}')).toContain('“a [31mb”');
    const long = await messageOf('x'.repeat(100_000));
    expect(long.length).toBeLessThan(300);
    expect(long).toContain('x…”');
    expect(await messageOf('{"message":5}')).toMatch(/status 400$/);
  });

  it('is read through a byte-order mark and compression, and only from its start', async () => {
    const text = '{"success":false,"message":"no","code":"insufficient_scope"}';
    const packed = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    for (const answer of [
      json(`\uFEFF${text}`),
      { headers: packed, body: gzipSync(text) },
      { status: 403, headers: packed, body: gzipSync(text) },
      { status: 401, headers: { ...packed, 'content-encoding': 'br' }, body: brotliCompressSync(text) },
    ]) {
      const { gateway } = await scriptedGateway([answer]);
      await expect(gateway.profile()).rejects.toMatchObject({ code: 'gateway-scope-missing' });
    }
    const bomb = { status: 403, headers: packed, body: gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x')) };
    const { gateway } = await scriptedGateway([bomb]);
    await expect(gateway.profile()).rejects.toMatchObject({ code: 'gateway-scope-missing' });
    const strange = { status: 403, headers: { 'content-encoding': 'zstd' }, body: 'x' };
    await expect((await scriptedGateway([strange])).gateway.profile()).rejects.toMatchObject({
      code: 'gateway-scope-missing',
    });
  });

  it('is empty when the body breaks off', async () => {
    const { gateway } = await scriptedGateway([
      (response) => {
        response.writeHead(400, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      },
    ]);
    await expect(gateway.profile()).rejects.toMatchObject({ code: 'gateway-http-error' });
  });
});
