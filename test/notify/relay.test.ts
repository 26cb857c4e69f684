import { describe, expect, it } from 'vitest';
import { isFault } from '../../src/core/index.ts';
import {
  isPrivateHost,
  readSmtpUrl,
  startTlsFor,
  type StartTls,
} from '../../src/notify/channels/smtp/smtp-server-address.ts';
import { openOutboxFixture, openSending } from './support/outbox-fixture.ts';
import { openPostOffice } from './support/post-office.ts';

const startTls = (url: string, options = {}): StartTls | undefined => {
  const address = readSmtpUrl(url);
  return address === undefined ? undefined : startTlsFor(address, options);
};

describe('whether a connection is unencrypted over a network', () => {
  it.each([
    ['smtp://127.0.0.1:25', {}, 'offered'],
    ['smtp://relay:25', {}, 'offered'],
    ['smtp://10.1.2.3:25', {}, 'offered'],
    ['smtp://[fd00::25]:25', {}, 'offered'],
    ['smtp://mail.example.com:25', {}, 'required'],
    ['smtp://8.8.8.8:25', {}, 'required'],
    ['smtp://mail.example.com:25', { insecure: true }, 'never'],
    ['smtp://127.0.0.1:25', { requireTls: true }, 'required'],
    // A password goes nowhere in the open but to this machine.
    ['smtp://u:p@127.0.0.1:25', {}, 'offered'],
    ['smtp://u:p@relay:25', {}, 'required'],
    ['smtp://u:p@10.1.2.3:25', { insecure: true }, 'required'],
    ['smtps://mail.example.com', { requireTls: true }, 'never'],
  ] as const)('%s with %j: STARTTLS is %s', (url, options, wanted) => {
    expect(startTls(url, options)).toBe(wanted);
  });

  it('depends only on the address', () => {
    const near = [
      'localhost',
      '::1',
      'relay',
      '192.168.0.9',
      '172.31.255.1',
      'fe80::1',
      'mx.internal',
      'a.b.local',
    ];
    const far = [
      'example.com',
      '172.32.0.1',
      '11.0.0.1',
      '2001:db8::1',
      'local.example.com',
      'x.internal.com',
    ];
    expect([...near, ...far].filter(isPrivateHost)).toEqual(near);
  });
});

describe('a plain relay', () => {
  it('with an untrusted certificate accepts unencrypted mails only when configured', async () => {
    await using office = await openPostOffice({ certificate: 'stranger', without: ['AUTH'] });
    await using fixture = await openOutboxFixture();
    await fixture.enqueue();
    await using careful = fixture.transport(office.url);
    const found: unknown = await careful.open().catch((error: unknown) => error);
    expect(isFault(found) && found.code).toBe('mail-certificate');
    await using open = fixture.transport(office.url, { insecure: true });
    expect(await fixture.deliver(open)).toMatchObject({ sent: 1 });
  });
});

describe('what the server cannot accept', () => {
  it('a message over its SIZE fails at once with a next step, and the others are sent', async () => {
    await using office = await openPostOffice({ more: { size: 20_000 } });
    await using fixture = await openOutboxFixture();
    const content = Buffer.alloc(30_000, 7);
    await fixture.enqueue({
      key: { account: 'main', kind: 'report:big', subject: '1' },
      attachments: [{ filename: 'a.bin', contentType: 'application/octet-stream', content }],
    });
    await fixture.enqueue();
    await using transport = fixture.transport(office.url);
    const found = await fixture.deliver(transport);
    expect(found).toMatchObject({ sent: 1, failed: 1 });
    expect(found.problem).toContain('is larger than localhost');
    expect(found.problem).toContain('(at most 20000 bytes)');
    expect(found.problem).toContain('attach fewer files');
    expect(office.received).toHaveLength(1);
  });

  it('a server that announces its limit only on request is supported', async () => {
    await using fixture = await openSending({ afterData: () => '552 5.3.4 message too big for me' });
    const found = await fixture.send();
    expect(found).toMatchObject({ failed: 1 });
    expect(found.problem).toContain('“552 5.3.4 message too big for me”');
    expect(found.problem).toContain('attach fewer files');
  });

  it('an address with non-ASCII characters before the @ is reported when SMTPUTF8 is missing', async () => {
    await using fixture = await openSending(
      { more: { hideSMTPUTF8: true } },
      { to: ['jürgen@example.com', 'finance@example.com'] },
    );
    const found = await fixture.send();
    expect(found).toMatchObject({ sent: 1, failed: 1 });
    expect(found.problem).toContain('no SMTPUTF8');
    expect(found.problem).toContain('an address with ASCII letters');
    expect(fixture.office.received.map(({ to }) => to)).toEqual([['finance@example.com']]);
  });

  it('an address with non-ASCII characters works with SMTPUTF8', async () => {
    await using fixture = await openSending({}, { to: ['jürgen@example.com'] });
    expect(await fixture.send()).toMatchObject({ sent: 1 });
    expect(fixture.office.received[0]?.to).toEqual(['jürgen@example.com']);
  });

  it('a non-ASCII domain is sent in its ASCII form', async () => {
    const asked: string[] = [];
    await using fixture = await openSending(
      {
        more: { hideSMTPUTF8: true },
        atRecipient: (address) => {
          asked.push(address);
          return 'accept';
        },
      },
      { to: ['ops@bücher.example'] },
    );
    expect(await fixture.send()).toMatchObject({ sent: 1 });
    expect(asked[0]).toMatch(/^ops@(xn--bcher-kva|bücher)\.example$/);
  });
});
