import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLog } from '../../src/base/index.ts';
import { createMailCleaner } from '../../src/mail/index.ts';
import { openDesk } from './support/desk.ts';
import type { Desk } from './support/desk.ts';
import { openPostOffice } from './support/post-office.ts';

const day = 86_400_000;
const keep = 90 * day;

const cleanerOf = (desk: Desk) => {
  const { outbox, folder, clock, lines } = desk;
  const log = createLog({
    write: (line) => void lines.push(line),
    level: 'info',
    clock,
    redact: (text) => text,
  });
  return createMailCleaner({ outbox, folder, clock, random: () => 0.5, log });
};

it('removes bytes of mails that were sent or dropped a keep time ago, and never those that were not', async () => {
  await using office = await openPostOffice({
    atRecipient: (address) => (address.startsWith('bad') ? '550 no' : 'accept'),
    afterData: ({ to }) => (to[0]?.startsWith('cut') === true ? 'cut' : 'accept'),
  });
  await using desk = await openDesk();
  await desk.enqueue({ to: ['sent@x.example', 'bad@x.example', 'cut@x.example', 'dropped@x.example'] });
  await desk.outbox.drop('4', desk.clock.now());
  await using transport = desk.transport(office.url);
  for (const wait of [day, day, day]) {
    await desk.deliver(transport);
    desk.clock.advance(wait);
  }
  expect((await desk.outbox.list()).map(({ state }) => state)).toEqual([
    'sent',
    'failed',
    'unknown',
    'dropped',
  ]);
  const clean = cleanerOf(desk);
  desk.clock.set(desk.clock.now() + keep - 3 * day - 1);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  desk.clock.advance(1);
  expect(await clean(keep)).toEqual({ kept: 2, orphans: 0, missing: 0 });
  desk.clock.advance(1000 * day);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  const [, failed, unknown] = await desk.outbox.list();
  expect(new Set(await readdir(desk.folder))).toEqual(new Set([failed?.file, unknown?.file]));
});

it('removes files that no row names, the second time it sees them, and what is not ours never', async () => {
  await using desk = await openDesk();
  const clean = cleanerOf(desk);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  await desk.enqueue();
  const orphan = `${'a'.repeat(64)}.eml`;
  for (const name of [orphan, `${'b'.repeat(64)}.eml.tmp`, 'notes.txt'])
    await writeFile(join(desk.folder, name), 'x');
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  // Its row came in the meantime.
  await desk.outbox.put({
    account: 'main',
    kind: 'late',
    subject: 's',
    recipient: 'a@example.com',
    sender: '',
    messageId: '<late>',
    file: orphan,
    queuedAt: desk.clock.now(),
  });
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 1, missing: 0 });
  const files = (await desk.outbox.list()).map(({ file }) => file);
  expect(new Set(await readdir(desk.folder))).toEqual(new Set([...files, 'notes.txt']));
});

it('tells of rows that wait for bytes that are gone', async () => {
  await using desk = await openDesk();
  await desk.enqueue({ to: ['a@example.com', 'b@example.com'] });
  const [row] = await desk.outbox.list();
  await rm(join(desk.folder, row?.file ?? ''));
  const clean = cleanerOf(desk);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 1 });
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  expect((await desk.outbox.list()).map(({ state }) => state)).toEqual(['failed', 'queued']);
  expect(JSON.parse(desk.lines.at(-1) ?? '{}')).toMatchObject({
    level: 'error',
    code: 'mail-file-damaged',
    recipient: 'a@example.com',
    subject: '2026-01-01',
  });
});
