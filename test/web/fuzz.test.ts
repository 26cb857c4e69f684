import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSecretRegistry, deriveKey } from '../../src/core/index.ts';
import { hostileNames } from '../reports/hostile.ts';
import { badMails, badStatus, openPageFixture } from './support/page-fixture.ts';
import { viewOf } from './support/page-views.ts';

const plaintext = 'a-token-of-the-status-page';

const paths = fc.oneof(
  fc.constantFrom(
    '/',
    '/?team=search',
    '/?team=%FF',
    '/status.json?team=__proto__',
    '/badge/job-1.svg',
    '/badge/.svg',
    '/feed.atom',
    '/login',
    '/logout',
    '/actions/run',
    '/actions/mute',
    '/actions/constructor',
    '/alert-links/a.b',
    '/reports/../../etc/passwd',
    '/reports/%2e%2e/%2e%2e',
    '/reports/daily-spend/%00',
    '//evil.example/',
    '/%',
  ),
  fc.webPath().map((path) => (path === '' ? '/' : path)),
  fc.webQueryParameters().map((query) => `/?${query}`),
);

const headerText = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
  fc.constantFrom('127.0.0.1', 'evil.example', '127.0.0.1:1', '[::1]', 'null', plaintext.slice(1)),
);

const headers = fc.dictionary(
  fc.constantFrom(
    'host',
    'cookie',
    'origin',
    'authorization',
    'x-forwarded-user',
    'sec-fetch-site',
    'content-type',
    'accept',
    'x-junk',
  ),
  fc.oneof(
    headerText,
    headerText.map((text) => `Bearer ${text}`),
    headerText.map((text) => `tollkeeper-session=${text}`),
    fc.constantFrom(
      'same-origin',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
    ),
  ),
  { maxKeys: 5 },
);

const requests = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'),
  path: paths,
  headers,
  body: fc.oneof(
    fc.constant(''),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.webQueryParameters(),
    fc.constantFrom(
      'token=&name=',
      'csrf=x&job=daily-spend',
      'csrf[]=x&job[__proto__]=y',
      'a'.repeat(20_000),
    ),
  ),
});

it('the page answers 10,000 arbitrary requests without a crash, an error of its own, or a secret', async () => {
  const registry = createSecretRegistry();
  const token = registry.register(plaintext);
  await using page = await openPageFixture(
    {
      view: async (team) =>
        viewOf(badStatus([...hostileNames, `the token is ${plaintext}`]), {
          team,
          mails: badMails(hostileNames),
          names: hostileNames.slice(0, 3),
        }),
    },
    {
      isOpen: false,
      token,
      redact: registry.redact,
      proxies: { addresses: ['10.0.0.0/8'], header: 'x-forwarded-user' },
      links: { key: deriveKey(token, 'links'), wasUsed: async () => false },
    },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  type Sample = (typeof samples)[number];
  const send = async ({ method, path, headers: sent, body }: Sample, by: Agent | false) => {
    const asking = request({ port: page.port, host: '127.0.0.1', path, method, headers: sent, agent: by });
    asking.end(['GET', 'HEAD'].includes(method) ? undefined : body);
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return { status: answer.statusCode ?? 0, text: `${text} ${JSON.stringify(answer.headers)}` };
  };
  // The server closes a connection whose request it does not read to the end; the next one needs a new connection.
  const ask = async (sample: Sample) => send(sample, agent).catch(() => send(sample, false));
  const samples = fc.sample(requests, { numRuns: 10_000, seed: 20_261_126 });
  const statuses = new Map<number, number>();
  const shares = Array.from({ length: 4 }, (_, share) => samples.filter((__, at) => at % 4 === share));
  await Promise.all(
    shares.map(async (share) => {
      for (const sample of share) {
        const { status, text } = await ask(sample);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500 || text.includes(plaintext))
          throw new Error(`${status} for ${JSON.stringify(sample).slice(0, 1000)}`);
      }
    }),
  );
  agent.destroy();
  // Bytes that are no HTTP end their connection.
  for (const garbage of fc.sample(fc.uint8Array({ minLength: 1, maxLength: 200 }), {
    numRuns: 50,
    seed: 1,
  })) {
    const socket = connect(page.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.end(garbage);
    await once(socket, 'close');
  }
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000);
  for (const status of [303, 401, 403, 404, 405, 413, 421]) expect([...statuses.keys()]).toContain(status);
  const bearer = { authorization: `Bearer ${plaintext}` };
  const whole = await page.ask('/status.json', { headers: bearer });
  expect(whole.status).toBe(200);
  expect(whole.text).toContain('the token is [secret]');
  expect(page.logged()).not.toContain(plaintext);
  expect(page.logged().split('\n').length).toBeLessThan(20);
});
