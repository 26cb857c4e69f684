import { describe, expect, it } from 'vitest';
import { createSecretRegistry, isFault } from '../../src/core/index.ts';
import { createTokenSource } from '../../src/notify/channels/smtp/oauth2-token.ts';
import { createHttp } from '../../src/http/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openOutboxFixture, start } from './support/outbox-fixture.ts';
import { login, openPostOffice, type PostOfficeOptions } from './support/post-office.ts';
import { openWebServer, type Asked } from './support/web-server.ts';

const timeouts = { connect: 2000, headers: 2000, idle: 2000, total: 4000 };

/** A server that takes one way to log in, and keeps by which it was. */
const officeOf = (method: string, used: string[], tokens: readonly string[] = []): PostOfficeOptions => ({
  more: {
    authMethods: [method],
    onAuth: (auth, _session, done) => {
      used.push(`${auth.method} ${auth.accessToken ?? auth.password ?? ''}`);
      const good =
        auth.method === 'XOAUTH2'
          ? auth.username === 'reports@example.com' && tokens.includes(auth.accessToken ?? '')
          : auth.password === login.password;
      if (good) done(null, { user: auth.username });
      else
        done(null, {
          data: { status: '401', schemes: 'bearer mac', scope: `${auth.accessToken} is over` },
        });
    },
  },
});

type Answer = { readonly status?: number; readonly body: object | string };

const openTokenServer = (answers: readonly Answer[]) => {
  let given = 0;
  return openWebServer((_asked, response) => {
    const { status = 200, body } = answers[Math.min(given, answers.length - 1)] ?? { body: {} };
    given += 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
};

const fieldsOf = (asked: Asked | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(asked?.body ?? ''));

const openTokens = (tokenUrl: string) => {
  const secrets = createSecretRegistry();
  const clock = manualClock(start);
  const http = createHttp({ userAgent: 'tollkeeper/test', env: {}, timeouts });
  const grant = {
    clientId: 'client-1',
    clientSecret: secrets.register('client-secret-1'),
    refreshToken: secrets.register('refresh-token-1'),
    tokenUrl,
  };
  return { clock, secrets, http, source: createTokenSource(grant, { http, clock, secrets }) };
};

const faultOf = async (work: Promise<unknown>) => {
  const found: unknown = await work.then(
    () => 'nothing went wrong',
    (error: unknown) => error,
  );
  if (!isFault(found)) throw new Error(`no fault: ${String(found)}`);
  return found;
};

describe('a login with a password', () => {
  it.each(['LOGIN', 'PLAIN'])('uses AUTH %s when the server accepts nothing else', async (method) => {
    const used: string[] = [];
    await using office = await openPostOffice(officeOf(method, used));
    await using outboxFixture = await openOutboxFixture();
    await outboxFixture.enqueue();
    await using transport = outboxFixture.transport(office.url);
    expect(await outboxFixture.deliver(transport)).toMatchObject({ sent: 1 });
    expect(used).toEqual([`${method} ${login.password}`]);
  });
});

describe('a login with OAuth 2.0', () => {
  const urlOf = (port: number): string => `smtp://reports%40example.com@localhost:${port}`;

  it('requests an access token once and uses it until it expires', async () => {
    const used: string[] = [];
    await using office = await openPostOffice(officeOf('XOAUTH2', used, ['access-1', 'access-2']));
    await using server = await openTokenServer([
      { body: { access_token: 'access-1', expires_in: 3600, token_type: 'Bearer' } },
      { body: { access_token: 'access-2', expires_in: 3600, token_type: 'Bearer' } },
    ]);
    const { source, clock, http, secrets } = openTokens(`${server.url}/token`);
    await using _http = http;
    await using outboxFixture = await openOutboxFixture();
    await using transport = outboxFixture.transport(urlOf(office.port), { tokens: source });
    for (const subject of ['1', '2']) {
      await outboxFixture.enqueue({ key: { account: 'main', kind: 'report:x', subject } });
      expect(await outboxFixture.deliver(transport)).toMatchObject({ sent: 1 });
    }
    expect(fieldsOf(server.asked[0])).toEqual({
      grant_type: 'refresh_token',
      client_id: 'client-1',
      client_secret: 'client-secret-1',
      refresh_token: 'refresh-token-1',
    });
    expect(server.asked).toHaveLength(1);
    clock.advance(3_541_000);
    await outboxFixture.enqueue({ key: { account: 'main', kind: 'report:x', subject: '3' } });
    expect(await outboxFixture.deliver(transport)).toMatchObject({ sent: 1 });
    expect(used).toEqual(['XOAUTH2 access-1', 'XOAUTH2 access-1', 'XOAUTH2 access-2']);
    expect(secrets.redact('access-1 access-2')).toBe('[secret] [secret]');
  });

  it('replaces a token that the server rejects within the same connection', async () => {
    const used: string[] = [];
    await using office = await openPostOffice(officeOf('XOAUTH2', used, ['access-2']));
    await using server = await openTokenServer([
      { body: { access_token: 'access-1', expires_in: 3600, refresh_token: 'refresh-token-2' } },
      { body: { access_token: 'access-2', expires_in: 3600 } },
    ]);
    const { source, http, secrets } = openTokens(`${server.url}/token`);
    await using _http = http;
    await using outboxFixture = await openOutboxFixture();
    await outboxFixture.enqueue();
    await using transport = outboxFixture.transport(urlOf(office.port), { tokens: source });
    expect(await outboxFixture.deliver(transport)).toMatchObject({ sent: 1 });
    expect(used).toEqual(['XOAUTH2 access-1', 'XOAUTH2 access-2']);
    expect(office.connections()).toBe(1);
    // A refresh token that is replaced is used no more.
    expect(fieldsOf(server.asked[1])['refresh_token']).toBe('refresh-token-2');
    expect(secrets.redact('refresh-token-2')).toBe('[secret]');
  });

  it('reports a rejected login without the token, and requests a new one next time', async () => {
    const used: string[] = [];
    await using office = await openPostOffice(officeOf('XOAUTH2', used));
    await using server = await openTokenServer([{ body: { access_token: 'access-token-1' } }]);
    const { source, http, secrets } = openTokens(`${server.url}/token`);
    await using _http = http;
    await using outboxFixture = await openOutboxFixture();
    await using transport = outboxFixture.transport(urlOf(office.port), {
      tokens: source,
      redact: secrets.redact,
    });
    const found = await faultOf(transport.open());
    expect(found.code).toBe('mail-login-refused');
    expect(found.message).not.toContain('access-token-1');
    const before = server.asked.length;
    await faultOf(transport.open());
    expect(server.asked.length).toBeGreaterThan(before);
  });

  it.each([
    [
      { status: 400, body: { error: 'invalid_grant', error_description: 'refresh-token-1 was revoked' } },
      'mail-login-refused',
      /refused the refresh token \(400\): “invalid_grant: \[secret\] was revoked”/,
    ],
    [
      { status: 400, body: { error: `${'x'.repeat(290)} refresh-token-1` } },
      'mail-login-refused',
      /\(400\): “x{290} \[secret\]?”$/,
    ],
    [{ status: 503, body: 'overloaded' }, 'mail-deferred', /answered 503/],
    [{ status: 200, body: '<html>' }, 'mail-login-refused', /without an access token/],
    [{ status: 302, body: '' }, 'mail-login-refused', /\(302\)/],
  ] as const)('the token server answers %j', async (answer, code, message) => {
    await using server = await openTokenServer([answer]);
    await using office = await openPostOffice(officeOf('XOAUTH2', []));
    const { source, http } = openTokens(`${server.url}/token`);
    await using _http = http;
    await using outboxFixture = await openOutboxFixture();
    await outboxFixture.enqueue();
    await using transport = outboxFixture.transport(urlOf(office.port), { tokens: source });
    const found = await faultOf(transport.open());
    expect(found.code).toBe(code);
    expect(found.message).toMatch(message);
    // No mail is lost over it.
    expect(await outboxFixture.deliver(transport)).toMatchObject({ deferred: 1, failed: 0 });
  });

  it('reports a token endpoint that refuses connections', async () => {
    await using office = await openPostOffice(officeOf('XOAUTH2', []));
    const server = await openTokenServer([{ body: {} }]);
    await server[Symbol.asyncDispose]();
    const { source, http } = openTokens(`${server.url}/token`);
    await using _http = http;
    await using outboxFixture = await openOutboxFixture();
    await using transport = outboxFixture.transport(urlOf(office.port), { tokens: source });
    const found = await faultOf(transport.open());
    expect(found).toMatchObject({ code: 'mail-unreachable', retryHelps: true });
    expect(found.message).toContain('cannot get an access token');
  });
});
