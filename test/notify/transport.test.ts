import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isFault, type Fault } from '../../src/core/index.ts';
import type { MailTransport, SmtpOptions } from '../../src/notify/index.ts';
import { readSmtpUrl } from '../../src/notify/channels/smtp/smtp-server-address.ts';
import { openOutboxFixture } from './support/outbox-fixture.ts';
import { openPostOffice, type PostOfficeOptions } from './support/post-office.ts';

const faultOf = async (transport: MailTransport, signal?: AbortSignal): Promise<Fault> => {
  try {
    const session = await transport.open(signal);
    session.close();
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  throw new Error('the connection was opened');
};

/** A TCP server without a protocol; `greet` gets each connection. */
const openRawServer = async (greet: (socket: Socket) => void) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

/** A server of which only the first words are given; it then says nothing, or closes. */
const openMute = (greeting: string | undefined, close: boolean) =>
  openRawServer((socket) => {
    if (greeting !== undefined) socket.write(greeting);
    if (close) socket.end();
  });

/** A server that takes one name only in the greeting. */
const openPickyServer = () =>
  openRawServer((socket) => {
    socket.write('220 picky.example.com\r\n');
    socket.on('data', (data) => {
      const [, name = ''] = /^(?:EHLO|HELO) (\S+)/.exec(data.toString()) ?? [];
      if (name === '') socket.write('221 bye\r\n');
      else if (name === 'known.example.com') socket.write(`250 ${name}\r\n`);
      else socket.write(`550 5.7.1 the name ${name} is not known here\r\n`);
    });
  });

/** A mail server, and the transport to it. */
const openTransport = async (options: PostOfficeOptions = {}, settings: Partial<SmtpOptions> = {}) => {
  const office = await openPostOffice(options);
  const fixture = await openOutboxFixture();
  const via = fixture.transport(office.url, settings);
  return {
    via,
    office,
    [Symbol.asyncDispose]: async () => {
      for (const one of [via, fixture, office]) await one[Symbol.asyncDispose]();
    },
  };
};

describe('the reason of a failed connection', () => {
  it('is a wrong password', async () => {
    await using office = await openPostOffice();
    await using fixture = await openOutboxFixture();
    const wrong = office.url.replace('%401', '%402');
    await using transport = fixture.transport(wrong);
    const found = await faultOf(transport);
    expect(found).toMatchObject({
      code: 'mail-login-refused',
      advice: 'check user and password in mail.smtp',
    });
    // The server repeats the password that it was given.
    expect(found.message).toContain(`localhost:${office.port} refused`);
    expect(found.message).toContain('“535 no such login: [secret]”');
  });

  it.each<[string, PostOfficeOptions, Partial<SmtpOptions>, string, string]>([
    ['a login that cannot be checked now', { loginReply: '454 directory is down' }, {}, 'mail-deferred', ''],
    ['an untrusted certificate', { certificate: 'stranger' }, {}, 'mail-certificate', 'mail.tls.ca'],
    ['one over smtps', { certificate: 'stranger', implicitTls: true }, {}, 'mail-certificate', 'mail.tls.ca'],
    ['an untrusted issuer', {}, { ca: [] }, 'mail-certificate', ''],
    [
      'a server without STARTTLS',
      { without: ['STARTTLS'] },
      { requireTls: true },
      'mail-tls-required',
      'smtps://',
    ],
  ])('is %s, and nothing is sent', async (_, options, settings, code, advice) => {
    await using fixture = await openTransport(options, settings);
    const found = await faultOf(fixture.via);
    expect([found.code, found.retryHelps]).toEqual([code, code === 'mail-deferred']);
    expect(found.advice).toContain(advice);
    expect(fixture.office.received).toEqual([]);
  });

  it('is a refused connection', async () => {
    const mute = await openMute(undefined, true);
    const { url } = mute;
    await mute[Symbol.asyncDispose]();
    await using fixture = await openOutboxFixture();
    await using transport = fixture.transport(url);
    const found = await faultOf(transport);
    expect(found).toMatchObject({ code: 'mail-unreachable', retryHelps: true });
    expect(found.message).toMatch(/^the mail server 127\.0\.0\.1:\d+ refused the connection$/);
  });

  it('is a server that closes, rejects every client, stays silent or uses another protocol', async () => {
    await using fixture = await openOutboxFixture();
    const unreachable = 'mail-unreachable';
    for (const [greeting, close, message, code] of [
      [undefined, true, /closed the connection/, unreachable],
      ['554 go away\r\n', true, /refused the session: “554 go away”/, 'mail-session-refused'],
      [
        '421 too many connections\r\n',
        true,
        /does not accept mail now: “421 too many connections”/,
        unreachable,
      ],
      [undefined, false, /did not answer in time/, unreachable],
      ['HTTP/1.1 400 Bad Request\r\n\r\n', false, /mail server/, unreachable],
    ] as const) {
      await using mute = await openMute(greeting, close);
      await using transport = fixture.transport(mute.url, {
        timeouts: { connect: 300, greeting: 300, idle: 300 },
      });
      const found = await faultOf(transport);
      expect(found.code).toBe(code);
      expect(found.message).toMatch(message);
    }
  });

  it('is the name in the greeting, which the server refuses; the mail stays queued for longer than five days', async () => {
    await using office = await openPickyServer();
    await using fixture = await openOutboxFixture();
    await using refused = fixture.transport(office.url, { ehlo: 'a.example.com' });
    expect(await faultOf(refused)).toMatchObject({
      code: 'mail-session-refused',
      message: expect.stringMatching(
        /refused the session: “550 5\.7\.1 the name a\.example\.com is not known here”/,
      ) as string,
      advice: expect.stringContaining('mail.ehlo') as string,
    });
    await fixture.enqueue();
    expect(await fixture.deliver(refused)).toMatchObject({ deferred: 1 });
    fixture.clock.advance(6 * 86_400_000);
    expect(await fixture.deliver(refused)).toMatchObject({ deferred: 1, failed: 0 });
    expect(await fixture.outbox.list()).toMatchObject([{ state: 'deferred' }]);
    await using known = fixture.transport(office.url, { ehlo: 'known.example.com' });
    expect((await known.open()).answer).toBe('“250 known.example.com”');
  });

  it('is smtps:// to a port without TLS', async () => {
    await using office = await openPostOffice();
    await using fixture = await openOutboxFixture();
    await using transport = fixture.transport(office.url.replace('smtp:', 'smtps:'));
    const found = await faultOf(transport);
    expect(found.code).toBe('mail-unreachable');
    expect(found.advice).toContain('smtp:// for those with STARTTLS');
  });

  it('is an abort', async () => {
    await using mute = await openMute(undefined, false);
    await using fixture = await openOutboxFixture();
    await using transport = fixture.transport(mute.url);
    const stop = new AbortController();
    const found = faultOf(transport, stop.signal);
    stop.abort();
    expect((await found).code).toBe('aborted');
    expect((await faultOf(transport, AbortSignal.abort())).code).toBe('aborted');
  });

  it('is found once per cycle, not once per mail', async () => {
    await using office = await openPostOffice();
    await using fixture = await openOutboxFixture();
    await fixture.enqueue({ to: ['a@example.com', 'b@example.com', 'c@example.com'] });
    await using transport = fixture.transport(office.url.replace('%401', '%402'));
    expect(await fixture.deliver(transport)).toMatchObject({ deferred: 3, failed: 0 });
    expect(office.connections()).toBe(1);
    // Once the password is fixed, all of them arrive.
    fixture.clock.advance(60_000);
    await using fixed = fixture.transport(office.url);
    expect(await fixture.deliver(fixed)).toMatchObject({ sent: 3 });
  });
});

describe('the address of the server', () => {
  it('is parsed with its login and default ports', () => {
    expect(readSmtpUrl('smtp://u%40x:p%2Fw@mail.example.com')).toEqual({
      host: 'mail.example.com',
      port: 587,
      implicitTls: false,
      login: { user: 'u@x', password: 'p/w' },
    });
    expect(readSmtpUrl('smtps://[::1]')).toEqual({ host: '::1', port: 465, implicitTls: true });
    expect(readSmtpUrl('smtp://10.0.0.1:25')).toMatchObject({ host: '10.0.0.1', port: 25 });
    for (const wrong of ['mail.example.com', 'https://x', 'smtp://', 'smtp://a b'])
      expect(readSmtpUrl(wrong)).toBeUndefined();
  });

  it('is rejected at once when it is invalid', async () => {
    await using fixture = await openOutboxFixture();
    expect(() => fixture.transport('mail.example.com:25')).toThrow(/mail\.smtp is not the address/);
  });
});
