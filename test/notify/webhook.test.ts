import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry } from '../../src/core/index.ts';
import { mailFolder, notify } from '../../src/notify/index.ts';
import { createWebhookRoute } from '../../src/notify/channels/webhook/webhook-route.ts';
import { createHttp } from '../../src/http/index.ts';
import { announcement } from './support/announcements.ts';
import { mail, openOutboxFixture, start, type OutboxFixture } from './support/outbox-fixture.ts';
import { openWebServer, type Asked } from './support/web-server.ts';

const timeouts = { connect: 2000, headers: 2000, idle: 2000, total: 4000 };
const secret = 'webhook-secret-1';
const path = '/services/T0123456/B0123456/abcdefghijkl';

type Answer = (asked: Asked, response: ServerResponse, socket: Socket) => void;

const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer =>
  (_asked, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

const openRoute = (fixture: OutboxFixture, url: string, headers = 2000) => {
  const http = createHttp({ userAgent: 'tollkeeper/test', env: {}, timeouts: { ...timeouts, headers } });
  const secrets = createSecretRegistry();
  const route = createWebhookRoute({
    name: 'ledger',
    url: secrets.register(url),
    secret: secrets.register(secret),
    http: {
      ...http,
      // Tests wait no half minute.
      send: (request) => http.send({ ...request, timeouts: { headers, idle: 2000, total: 4000 } }),
    },
    clock: fixture.clock,
  });
  return { route, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() };
};

const queue = (fixture: OutboxFixture, subject = '2026-01-01', to: readonly string[] = ['ledger']) => {
  const { outbox, folder, clock } = fixture;
  return notify(
    { outbox, mails: mailFolder(folder), clock, kinds: new Map([['ledger', 'webhook']]) },
    { ...mail, key: { ...mail.key, subject }, to },
    announcement,
  );
};

const rowOf = (fixture: OutboxFixture) => {
  const [row] = fixture.outbox.rows.values();
  if (row === undefined) throw new Error('no row');
  return row;
};

const post = async (answer: Answer, times = 1) => {
  await using server = await openWebServer(answer);
  await using fixture = await openOutboxFixture();
  await using opened = openRoute(fixture, `${server.url}${path}`, 300);
  await queue(fixture);
  const delivery = fixture.delivery(opened.route);
  const summaries = [];
  for (let time = 0; time < times; time += 1) {
    summaries.push(await delivery.deliver({}));
    fixture.clock.advance(3_600_000);
  }
  return { row: rowOf(fixture), summaries, asked: server.asked, lines: fixture.lines.join('\n') };
};

describe('a message to a webhook', () => {
  it('is posted as stored, signed over time and body, with an identifying key', async () => {
    await using server = await openWebServer(answering(200, {}, 'ok'));
    await using fixture = await openOutboxFixture();
    await using opened = openRoute(fixture, `${server.url}${path}`);
    expect(await queue(fixture)).toEqual([{ recipient: 'ledger', state: 'queued' }]);
    fixture.clock.advance(90_000);
    expect(await fixture.delivery(opened.route).deliver({})).toMatchObject({ sent: 1 });
    const row = rowOf(fixture);
    const [asked] = server.asked;
    expect(asked?.method).toBe('POST');
    expect(asked?.path).toBe(path);
    expect(asked?.body).toBe((await mailFolder(fixture.folder).load(row.file)).toString('utf8'));
    expect(asked?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(asked?.headers['idempotency-key']).toBe(row.messageId);
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({
      id: row.messageId,
      total: { exact: '1234.567890123456' },
    });
    const seconds = (start + 90_000) / 1000;
    const mac = createHmac('sha256', secret).update(`${seconds}.${asked?.body}`).digest('hex');
    expect(asked?.headers['x-tollkeeper-signature']).toBe(`t=${seconds},v1=${mac}`);
  });

  it('to an unknown route is an error with a next step', async () => {
    await using fixture = await openOutboxFixture();
    await expect(queue(fixture, '1', ['nobody'])).rejects.toThrow(/unknown route "nobody"/);
  });

  it('to an address without https is rejected before anything is sent', async () => {
    await using fixture = await openOutboxFixture();
    expect(() => openRoute(fixture, 'http://hooks.example.com/x')).toThrow(/not https/);
  });
});

describe('the outcome of a message to a webhook', () => {
  it.each([200, 201, 202, 204])('is delivered for %i', async (status) => {
    const { row } = await post(answering(status));
    expect(row.state).toBe('sent');
  });

  it.each([408, 429, 500, 502, 503])('is a retry for %i', async (status) => {
    let given = 0;
    const { row, summaries, asked } = await post((one, response, socket) => {
      given += 1;
      answering(given === 1 ? status : 200)(one, response, socket);
    }, 2);
    expect(summaries).toMatchObject([{ deferred: 1 }, { sent: 1 }]);
    expect(row).toMatchObject({ state: 'sent', attempts: 2 });
    // The same again, but for the time that is signed.
    expect(asked[1]?.body).toBe(asked[0]?.body);
    expect(asked[1]?.headers['idempotency-key']).toBe(asked[0]?.headers['idempotency-key']);
    expect(asked[1]?.headers['x-tollkeeper-signature']).not.toBe(asked[0]?.headers['x-tollkeeper-signature']);
  });

  it('respects Retry-After', async () => {
    const { row } = await post(answering(429, { 'retry-after': '7200' }));
    expect(row.state).toBe('deferred');
    expect(row.nextAttempt - start).toBeGreaterThanOrEqual(7_200_000);
  });

  it.each([400, 401, 403, 404, 410])('is a failure without a retry for %i', async (status) => {
    const { row, asked } = await post(answering(status, {}, 'invalid_token'), 3);
    expect(row).toMatchObject({ state: 'failed', attempts: 1 });
    expect(row.lastError).toContain(`answered ${status}: “invalid_token”`);
    expect(asked).toHaveLength(1);
  });

  it('is a failure for a redirect', async () => {
    await using elsewhere = await openWebServer(answering(200));
    const { row, summaries } = await post(answering(307, { location: `${elsewhere.url}/taken` }));
    expect(row.state).toBe('failed');
    expect(summaries[0]?.problem).toContain('to the final address');
    expect(elsewhere.asked).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['the connection is cut', (_asked, _response, socket) => void socket.destroy()],
    ['no answer comes in time', () => undefined],
    [
      'the answer is cut in its first line',
      (_asked, _response, socket) => {
        socket.write('HTTP/1.1 20');
        socket.destroy();
      },
    ],
    ['it answers no HTTP', (_asked, _response, socket) => void socket.end('hello\r\n\r\n')],
  ])('is unknown for %s, with two retries and then a notification', async (_name, answer) => {
    const { row, summaries, asked } = await post(answer, 4);
    expect(row).toMatchObject({ state: 'unknown', attempts: 3, doubts: 3 });
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
    expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(asked).toHaveLength(3);
    expect(summaries[0]).toMatchObject({ unknown: 1 });
  });

  it('is known from a response with a truncated body', async () => {
    const { row } = await post((_asked, response, socket) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('ok', () => void socket.destroy());
    });
    expect(row.state).toBe('sent');
  });

  it('is a delay of the whole route for a refused connection', async () => {
    const gone = await openWebServer(answering(200));
    await gone[Symbol.asyncDispose]();
    await using fixture = await openOutboxFixture();
    await using opened = openRoute(fixture, `${gone.url}${path}`);
    await queue(fixture, '1');
    await queue(fixture, '2');
    expect(await fixture.delivery(opened.route).deliver({})).toMatchObject({ deferred: 2, unknown: 0 });
    const rows = [...fixture.outbox.rows.values()];
    expect(rows.map(({ state }) => state)).toEqual(['deferred', 'deferred']);
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 0]);
  });

  it('is logged without the address and the secret, even when the server repeats them', async () => {
    const { row, summaries, lines } = await post((asked, response) => {
      response.writeHead(403);
      response.end(`no such webhook: ${asked.path} B0123456 abcdefghijkl ${secret}`);
    });
    for (const text of [row.lastError ?? '', JSON.stringify(summaries), lines]) {
      expect(text).toContain('the route ledger');
      expect(text).not.toMatch(/B0123456|abcdefghijkl|webhook-secret/);
    }
  });

  it('is a retry at the next start when the worker stops', async () => {
    await using server = await openWebServer(answering(200));
    await using fixture = await openOutboxFixture();
    await using opened = openRoute(fixture, `${server.url}${path}`);
    await queue(fixture);
    const line = opened.route.begin();
    const row = rowOf(fixture);
    const outcome = await line.send(row, Buffer.from('{}'), AbortSignal.abort());
    expect(outcome).toMatchObject({ state: 'deferred', fault: { code: 'aborted' } });
    expect(server.asked).toEqual([]);
  });
});
