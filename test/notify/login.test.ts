import { describe, expect, it } from 'vitest';
import { createSecretRegistry, isFault } from '../../src/core/index.ts';
import { createTokenSource } from '../../src/notify/index.ts';
import { createHttp } from '../../src/http/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openOutboxFixture, openSending, start } from './support/outbox-fixture.ts';
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

/** A mail server that takes these tokens, a server that gives them, and the way of mails between. */
const openOAuth = async (answers: readonly Answer[], tokens: readonly string[] = []) => {
  const used: string[] = [];
  const office = await openPostOffice(officeOf('XOAUTH2', used, tokens));
  const server = await openTokenServer(answers);
  const secrets = createSecretRegistry();
  const tokenClock = manualClock(start);
  const http = createHttp({ userAgent: 'tollkeeper/test', env: {}, timeouts });
  const grant = {
    clientId: 'client-1',
    clientSecret: secrets.register('client-secret-1'),
    refreshToken: secrets.register('refresh-token-1'),
    tokenUrl: `${server.url}/token`,
  };
  const fixture = await openOutboxFixture();
  const transport = fixture.transport(`smtp://reports%40example.com@localhost:${office.port}`, {
    tokens: createTokenSource(grant, { http, clock: tokenClock, secrets }),
    redact: secrets.redact,
  });
  return {
    used,
    office,
    server,
    secrets,
    tokenClock,
    transport,
    enqueue: (subject = '1') => fixture.enqueue({ key: { account: 'main', kind: 'report:x', subject } }),
    send: () => fixture.deliver(transport),
    [Symbol.asyncDispose]: async () => {
      for (const one of [transport, fixture, http, server, office]) await one[Symbol.asyncDispose]();
    },
  };
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
    await using fixture = await openSending(officeOf(method, used));
    expect(await fixture.send()).toMatchObject({ sent: 1 });
    expect(used).toEqual([`${method} ${login.password}`]);
  });
});

describe('a login with OAuth 2.0', () => {
  it('requests an access token once and uses it until it expires', async () => {
    const bodies = ['access-1', 'access-2'].map((access_token) => ({
      body: { access_token, expires_in: 3600, token_type: 'Bearer' },
    }));
    await using oauth = await openOAuth(bodies, ['access-1', 'access-2']);
    const { server, used } = oauth;
    for (const subject of ['1', '2']) {
      await oauth.enqueue(subject);
      expect(await oauth.send()).toMatchObject({ sent: 1 });
    }
    expect(fieldsOf(server.asked[0])).toEqual({
      grant_type: 'refresh_token',
      client_id: 'client-1',
      client_secret: 'client-secret-1',
      refresh_token: 'refresh-token-1',
    });
    expect(server.asked).toHaveLength(1);
    oauth.tokenClock.advance(3_541_000);
    await oauth.enqueue('3');
    expect(await oauth.send()).toMatchObject({ sent: 1 });
    expect(used).toEqual(['XOAUTH2 access-1', 'XOAUTH2 access-1', 'XOAUTH2 access-2']);
    expect(oauth.secrets.redact('access-1 access-2')).toBe('[secret] [secret]');
  });

  it('replaces a token that the server rejects within the same connection', async () => {
    const bodies = [
      { body: { access_token: 'access-1', expires_in: 3600, refresh_token: 'refresh-token-2' } },
      { body: { access_token: 'access-2', expires_in: 3600 } },
    ];
    await using oauth = await openOAuth(bodies, ['access-2']);
    await oauth.enqueue();
    expect(await oauth.send()).toMatchObject({ sent: 1 });
    expect(oauth.used).toEqual(['XOAUTH2 access-1', 'XOAUTH2 access-2']);
    expect(oauth.office.connections()).toBe(1);
    // A refresh token that is replaced is used no more.
    expect(fieldsOf(oauth.server.asked[1])['refresh_token']).toBe('refresh-token-2');
    expect(oauth.secrets.redact('refresh-token-2')).toBe('[secret]');
  });

  it('reports a rejected login without the token, and requests a new one next time', async () => {
    await using oauth = await openOAuth([{ body: { access_token: 'access-token-1' } }]);
    const found = await faultOf(oauth.transport.open());
    expect(found.code).toBe('mail-login-refused');
    expect(found.message).not.toContain('access-token-1');
    const before = oauth.server.asked.length;
    await faultOf(oauth.transport.open());
    expect(oauth.server.asked.length).toBeGreaterThan(before);
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
    await using oauth = await openOAuth([answer]);
    await oauth.enqueue();
    const found = await faultOf(oauth.transport.open());
    expect(found.code).toBe(code);
    expect(found.message).toMatch(message);
    // No mail is lost over it.
    expect(await oauth.send()).toMatchObject({ deferred: 1, failed: 0 });
  });

  it('reports a token endpoint that refuses connections', async () => {
    await using oauth = await openOAuth([{ body: {} }]);
    await oauth.server[Symbol.asyncDispose]();
    const found = await faultOf(oauth.transport.open());
    expect(found).toMatchObject({ code: 'mail-unreachable', retryHelps: true });
    expect(found.message).toContain('cannot get an access token');
  });
});
