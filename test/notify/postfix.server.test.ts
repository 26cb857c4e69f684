import { generateKeyPairSync } from 'node:crypto';
import { simpleParser } from 'mailparser';
import { expect, it } from 'vitest';
import { createSecretRegistry } from '../../src/core/index.ts';
import { type Mail, mailFolder } from '../../src/notify/index.ts';
import { openOutboxFixture, type OutboxFixture } from './support/outbox-fixture.ts';
import { checkDkim } from './support/dkim-check.ts';
import { openPostfix } from './support/postfix.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = {
  private: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  public: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
};

const awkward = {
  subject: 'Ausgaben für März: 1.234,57 €',
  text: `.\r\n..two dots\r\nFrom here on\r\n${'ü'.repeat(400)}  \r\n\r\n\r\n`,
};

const queue = (fixture: OutboxFixture, change: Partial<Mail>) => {
  const key = createSecretRegistry().register(pem.private);
  const messageDefaults = {
    unsubscribe: { mailto: 'stop@example.com' },
    dkim: { domain: 'example.com', selector: 'tk', key },
  };
  return fixture.enqueue(change, messageDefaults);
};

it('Postfix accepts mails over STARTTLS, delivers each once with a valid signature, and rejects invalid ones', async () => {
  await using postfix = await openPostfix();
  await using fixture = await openOutboxFixture();
  await using transport = fixture.transport(postfix.url, { requireTls: true });
  await queue(fixture, { ...awkward, to: ['finance@example.com', 'jürgen@example.com'] });
  await queue(fixture, { to: ['later@example.com', 'nobody@example.com', 'x@elsewhere.example'] });
  await queue(fixture, {
    key: { account: 'main', kind: 'report:big', subject: '1' },
    attachments: [
      { filename: 'a.bin', contentType: 'application/octet-stream', content: Buffer.alloc(90_000) },
    ],
  });
  expect(await fixture.deliver(transport)).toMatchObject({ sent: 2, deferred: 1, failed: 3, unknown: 0 });

  const rows = new Map([...fixture.outbox.rows.values()].map((row) => [`${row.kind} ${row.recipient}`, row]));
  expect(rows.get('report:daily-spend later@example.com')).toMatchObject({ state: 'deferred' });
  expect(rows.get('report:daily-spend later@example.com')?.lastError).toContain('greylisted come again');
  expect(rows.get('report:daily-spend nobody@example.com')).toMatchObject({ state: 'failed' });
  expect(rows.get('report:daily-spend nobody@example.com')?.lastError).toContain('550');
  expect(rows.get('report:daily-spend x@elsewhere.example')).toMatchObject({ state: 'failed' });
  expect(rows.get('report:big finance@example.com')?.lastError).toContain('at most 100000 bytes');

  const came = await postfix.delivered(2);
  const delivered = came.map((bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  );
  for (const bytes of delivered)
    expect(checkDkim(bytes, pem.public)).toMatchObject({ bodyHolds: true, signatureHolds: true });
  const row = rows.get('report:daily-spend finance@example.com');
  const stored = (await mailFolder(fixture.folder).load(row?.file ?? '')).toString('latin1');
  // Postfix puts its own lines in front; what we wrote follows as it was.
  expect(delivered.some((bytes) => bytes.toString('latin1').endsWith(stored))).toBe(true);
  const parsed = await Promise.all(delivered.map((bytes) => simpleParser(bytes)));
  expect(new Set(parsed.map(({ messageId }) => messageId)).size).toBe(parsed.length);
  expect(parsed.map(({ messageId }) => messageId)).toContain(row?.messageId);
  expect(parsed.some(({ subject }) => subject === awkward.subject)).toBe(true);
  expect(await postfix.log()).toMatch(/status=sent \(delivered to maildir\)/);
});
