import { mailFolder, createMailCleaner } from '../../src/notify/index.ts';
import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openOutboxFixture, type OutboxFixture } from './support/outbox-fixture.ts';
import { openPostOffice } from './support/post-office.ts';

const day = 86_400_000;
const keep = 90 * day;

const cleanerOf = ({ outbox, folder, clock, log }: OutboxFixture) =>
  createMailCleaner({ outbox, mails: mailFolder(folder), clock, random: () => 0.5, log });

it('the cleanup deletes the bytes of mails sent or cancelled a retention time ago, and no others', async () => {
  await using office = await openPostOffice({
    atRecipient: (address) => (address.startsWith('bad') ? '550 no' : 'accept'),
    afterData: ({ to }) => (to[0]?.startsWith('cut') === true ? 'cut' : 'accept'),
  });
  await using fixture = await openOutboxFixture();
  await fixture.enqueue({ to: ['sent@x.example', 'bad@x.example', 'cut@x.example', 'dropped@x.example'] });
  await fixture.outbox.drop('4', fixture.clock.now());
  await using transport = fixture.transport(office.url);
  for (const wait of [day, day, day]) {
    await fixture.deliver(transport);
    fixture.clock.advance(wait);
  }
  expect((await fixture.outbox.list()).map(({ state }) => state)).toEqual([
    'sent',
    'failed',
    'unknown',
    'dropped',
  ]);
  const clean = cleanerOf(fixture);
  fixture.clock.set(fixture.clock.now() + keep - 3 * day - 1);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  fixture.clock.advance(1);
  expect(await clean(keep)).toEqual({ kept: 2, orphans: 0, missing: 0 });
  fixture.clock.advance(1000 * day);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  const [, failed, unknown] = await fixture.outbox.list();
  expect(new Set(await readdir(fixture.folder))).toEqual(new Set([failed?.file, unknown?.file]));
});

it('the cleanup deletes files without a row at the second check, and never foreign files', async () => {
  await using fixture = await openOutboxFixture();
  const clean = cleanerOf(fixture);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  await fixture.enqueue();
  const orphan = `${'a'.repeat(64)}.eml`;
  const unfinished = `${'b'.repeat(64)}.eml`;
  for (const name of [orphan, `${unfinished}.tmp`, `${unfinished}.${randomUUID()}.tmp`, 'notes.txt'])
    await writeFile(join(fixture.folder, name), 'x');
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  // Its row came in the meantime.
  await fixture.put('late@example.com', orphan);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 2, missing: 0 });
  const files = (await fixture.outbox.list()).map(({ file }) => file);
  expect(new Set(await readdir(fixture.folder))).toEqual(new Set([...files, 'notes.txt']));
});

it('the cleanup reports queued rows whose bytes are missing', async () => {
  await using fixture = await openOutboxFixture();
  await fixture.enqueue({ to: ['a@example.com', 'b@example.com'] });
  const [row] = await fixture.outbox.list();
  await rm(join(fixture.folder, row?.file ?? ''));
  const clean = cleanerOf(fixture);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 1 });
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  expect((await fixture.outbox.list()).map(({ state }) => state)).toEqual(['failed', 'queued']);
  expect(JSON.parse(fixture.lines.at(-1) ?? '{}')).toMatchObject({
    level: 'error',
    code: 'mail-file-damaged',
    recipient: 'a@example.com',
    subject: '2026-01-01',
  });
});
