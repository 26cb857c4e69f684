import { mailFolder } from '../../src/notify/mail-file.ts';
import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLog } from '../../src/core/logging/json-log.ts';
import { createMailCleaner } from '../../src/notify/index.ts';
import { openOutboxFixture, type OutboxFixture } from './support/outbox-fixture.ts';
import { openPostOffice } from './support/post-office.ts';

const day = 86_400_000;
const keep = 90 * day;

const cleanerOf = (outboxFixture: OutboxFixture) => {
  const { outbox, folder, clock, lines } = outboxFixture;
  const log = createLog({
    write: (line) => void lines.push(line),
    level: 'info',
    clock,
    redact: (text) => text,
  });
  return createMailCleaner({ outbox, mails: mailFolder(folder), clock, random: () => 0.5, log });
};

it('the cleanup deletes the bytes of mails sent or cancelled a retention time ago, and no others', async () => {
  await using office = await openPostOffice({
    atRecipient: (address) => (address.startsWith('bad') ? '550 no' : 'accept'),
    afterData: ({ to }) => (to[0]?.startsWith('cut') === true ? 'cut' : 'accept'),
  });
  await using outboxFixture = await openOutboxFixture();
  await outboxFixture.enqueue({
    to: ['sent@x.example', 'bad@x.example', 'cut@x.example', 'dropped@x.example'],
  });
  await outboxFixture.outbox.drop('4', outboxFixture.clock.now());
  await using transport = outboxFixture.transport(office.url);
  for (const wait of [day, day, day]) {
    await outboxFixture.deliver(transport);
    outboxFixture.clock.advance(wait);
  }
  expect((await outboxFixture.outbox.list()).map(({ state }) => state)).toEqual([
    'sent',
    'failed',
    'unknown',
    'dropped',
  ]);
  const clean = cleanerOf(outboxFixture);
  outboxFixture.clock.set(outboxFixture.clock.now() + keep - 3 * day - 1);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  outboxFixture.clock.advance(1);
  expect(await clean(keep)).toEqual({ kept: 2, orphans: 0, missing: 0 });
  outboxFixture.clock.advance(1000 * day);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  const [, failed, unknown] = await outboxFixture.outbox.list();
  expect(new Set(await readdir(outboxFixture.folder))).toEqual(new Set([failed?.file, unknown?.file]));
});

it('the cleanup deletes files without a row at the second check, and never foreign files', async () => {
  await using outboxFixture = await openOutboxFixture();
  const clean = cleanerOf(outboxFixture);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  await outboxFixture.enqueue();
  const orphan = `${'a'.repeat(64)}.eml`;
  const unfinished = `${'b'.repeat(64)}.eml`;
  for (const name of [orphan, `${unfinished}.tmp`, `${unfinished}.${randomUUID()}.tmp`, 'notes.txt'])
    await writeFile(join(outboxFixture.folder, name), 'x');
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  // Its row came in the meantime.
  await outboxFixture.outbox.put([
    {
      account: 'main',
      kind: 'late',
      subject: 's',
      recipient: 'a@example.com',
      sender: '',
      messageId: '<late>',
      file: orphan,
      queuedAt: outboxFixture.clock.now(),
    },
  ]);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 2, missing: 0 });
  const files = (await outboxFixture.outbox.list()).map(({ file }) => file);
  expect(new Set(await readdir(outboxFixture.folder))).toEqual(new Set([...files, 'notes.txt']));
});

it('the cleanup reports queued rows whose bytes are missing', async () => {
  await using outboxFixture = await openOutboxFixture();
  await outboxFixture.enqueue({ to: ['a@example.com', 'b@example.com'] });
  const [row] = await outboxFixture.outbox.list();
  await rm(join(outboxFixture.folder, row?.file ?? ''));
  const clean = cleanerOf(outboxFixture);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 1 });
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  expect((await outboxFixture.outbox.list()).map(({ state }) => state)).toEqual(['failed', 'queued']);
  expect(JSON.parse(outboxFixture.lines.at(-1) ?? '{}')).toMatchObject({
    level: 'error',
    code: 'mail-file-damaged',
    recipient: 'a@example.com',
    subject: '2026-01-01',
  });
});
