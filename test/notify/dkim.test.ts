import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry, isFault } from '../../src/core/index.ts';
import { mailFolder } from '../../src/notify/index.ts';
import { mail, openOutboxFixture } from './support/outbox-fixture.ts';
import { checkDkim } from './support/dkim-check.ts';
import { openPostOffice } from './support/post-office.ts';

const pair = (): { readonly privateKey: string; readonly publicKey: string } =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const { privateKey, publicKey } = pair();

const dkimOf = (pem: string) => ({
  domain: 'example.com',
  selector: 'tollkeeper',
  key: createSecretRegistry().register(pem),
});

const messageDefaults = {
  replyTo: { name: 'Öffnungszeiten, Büro', address: 'ops@example.com' },
  unsubscribe: { mailto: 'stop@example.com', url: 'https://example.com/stop?who={recipient}' },
  dkim: dkimOf(privateKey),
};

/** Texts with all that canonicalisation treats: spaces at ends of lines, empty lines, umlauts, long lines. */
const awkward = {
  subject: `Ausgaben für März  ${'lang '.repeat(30)}`,
  text: `a  b\t c \r\n\r\n   \r\n.\r\n..x\r\n${'ü'.repeat(400)}\r\n\r\n\r\n`,
  html: `<p>${'x'.repeat(3000)}</p>\n \n`,
};

describe('a signed mail', () => {
  it('is valid, and its reference to an earlier mail is signed', async () => {
    await using fixture = await openOutboxFixture();
    const { outbox, folder } = fixture;
    for (const subject of ['first', 'second'])
      await fixture.enqueue({ key: { ...mail.key, subject }, topics: ['budget'] }, messageDefaults);
    const rows = [...outbox.rows.values()];
    const [first, second] = await Promise.all(
      rows.map(async ({ file }) => checkDkim(await mailFolder(folder).load(file), publicKey)),
    );
    expect(first?.signed).not.toContain('in-reply-to');
    expect(second?.signed).toEqual(expect.arrayContaining(['in-reply-to', 'references']));
    expect(second).toMatchObject({ bodyHolds: true, signatureHolds: true });
  });

  it('arrives as stored, and its signature is valid under the public key', async () => {
    await using fixture = await openOutboxFixture();
    await using office = await openPostOffice();
    const { outbox, folder } = fixture;
    await fixture.enqueue(awkward, messageDefaults);
    await using transport = fixture.transport(office.url);
    expect(await fixture.deliver(transport)).toMatchObject({ sent: 1 });
    const [row] = outbox.rows.values();
    const [received] = office.received;
    const stored = await mailFolder(folder).load(row?.file ?? '');
    expect(received?.bytes.equals(stored)).toBe(true);
    const found = checkDkim(stored, publicKey);
    expect(found).toMatchObject({ bodyHolds: true, signatureHolds: true });
    const tags = { v: '1', a: 'rsa-sha256', c: 'relaxed/relaxed', d: 'example.com', s: 'tollkeeper' };
    expect(found.tags).toMatchObject(tags);
    const ofList = [
      'list-unsubscribe',
      'list-unsubscribe-post',
      'auto-submitted',
      'reply-to',
      'content-type',
    ];
    const ofMail = ['from', 'to', 'subject', 'date', 'message-id', 'mime-version'];
    expect(found.signed.toSorted()).toEqual([...ofList, ...ofMail].toSorted());
  });

  it('fails verification after any change, and under another key', async () => {
    await using fixture = await openOutboxFixture();
    const { outbox, folder } = fixture;
    await fixture.enqueue(awkward, messageDefaults);
    const [row] = outbox.rows.values();
    const stored = await mailFolder(folder).load(row?.file ?? '');
    const text = stored.toString('latin1');
    const change = (from: string, to: string): Buffer => {
      expect(text).toContain(from);
      return Buffer.from(text.replace(from, to), 'latin1');
    };
    expect(checkDkim(change('<p>x', '<p>y'), publicKey).bodyHolds).toBe(false);
    expect(checkDkim(change('To: finance', 'To: finances'), publicKey).signatureHolds).toBe(false);
    expect(checkDkim(change('One-Click', 'Two-Click'), publicKey).signatureHolds).toBe(false);
    expect(checkDkim(stored, pair().publicKey).signatureHolds).toBe(false);
  });

  it('has the same bytes each time, so that a mail queued twice is one file', async () => {
    await using fixture = await openOutboxFixture();
    const { outbox, folder } = fixture;
    expect(await fixture.enqueue({}, messageDefaults)).toMatchObject([{ state: 'queued' }]);
    expect(await fixture.enqueue({}, messageDefaults)).toMatchObject([{ state: 'known' }]);
    const [row] = outbox.rows.values();
    await expect(mailFolder(folder).load(row?.file ?? '')).resolves.toBeInstanceOf(Buffer);
  });

  it('is not sent when its key cannot sign', async () => {
    await using fixture = await openOutboxFixture();
    const ed25519 = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    for (const pem of ['no key', ed25519.privateKey, publicKey]) {
      const found: unknown = await fixture
        .enqueue({}, { dkim: dkimOf(pem) })
        .catch((error: unknown) => error);
      expect(isFault(found) && found.message).toContain('mail.dkim.key is not an RSA');
    }
    expect(fixture.outbox.rows.size).toBe(0);
  });
});
