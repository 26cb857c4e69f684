import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLog } from '../../src/base/index.ts';
import { createMailCleaner } from '../../src/mail/index.ts';
import { openKeyService } from './support/outbox-desk.ts';
import type { KeyService } from './support/outbox-desk.ts';
import { openPostOffice } from './support/post-office.ts';

const day = 86_400_000;
const keep = 90 * day;

const cleanerOf = (keyService: KeyService) => {
  const { outbox, folder, clock, lines } = keyService;
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
  await using keyService = await openKeyService();
  await keyService.enqueue({ to: ['sent@x.example', 'bad@x.example', 'cut@x.example', 'dropped@x.example'] });
  await keyService.outbox.drop('4', keyService.clock.now());
  await using transport = keyService.transport(office.url);
  for (const wait of [day, day, day]) {
    await keyService.deliver(transport);
    keyService.clock.advance(wait);
  }
  expect((await keyService.outbox.list()).map(({ state }) => state)).toEqual([
    'sent',
    'failed',
    'unknown',
    'dropped',
  ]);
  const clean = cleanerOf(keyService);
  keyService.clock.set(keyService.clock.now() + keep - 3 * day - 1);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  keyService.clock.advance(1);
  expect(await clean(keep)).toEqual({ kept: 2, orphans: 0, missing: 0 });
  keyService.clock.advance(1000 * day);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  const [, failed, unknown] = await keyService.outbox.list();
  expect(new Set(await readdir(keyService.folder))).toEqual(new Set([failed?.file, unknown?.file]));
});

it('removes files that no row names, the second time it sees them, and what is not ours never', async () => {
  await using keyService = await openKeyService();
  const clean = cleanerOf(keyService);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  await keyService.enqueue();
  const orphan = `${'a'.repeat(64)}.eml`;
  for (const name of [orphan, `${'b'.repeat(64)}.eml.tmp`, 'notes.txt'])
    await writeFile(join(keyService.folder, name), 'x');
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  // Its row came in the meantime.
  await keyService.outbox.put({
    account: 'main',
    kind: 'late',
    subject: 's',
    recipient: 'a@example.com',
    sender: '',
    messageId: '<late>',
    file: orphan,
    queuedAt: keyService.clock.now(),
  });
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 1, missing: 0 });
  const files = (await keyService.outbox.list()).map(({ file }) => file);
  expect(new Set(await readdir(keyService.folder))).toEqual(new Set([...files, 'notes.txt']));
});

it('tells of rows that wait for bytes that are gone', async () => {
  await using keyService = await openKeyService();
  await keyService.enqueue({ to: ['a@example.com', 'b@example.com'] });
  const [row] = await keyService.outbox.list();
  await rm(join(keyService.folder, row?.file ?? ''));
  const clean = cleanerOf(keyService);
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 1 });
  expect(await clean(keep)).toEqual({ kept: 0, orphans: 0, missing: 0 });
  expect((await keyService.outbox.list()).map(({ state }) => state)).toEqual(['failed', 'queued']);
  expect(JSON.parse(keyService.lines.at(-1) ?? '{}')).toMatchObject({
    level: 'error',
    code: 'mail-file-damaged',
    recipient: 'a@example.com',
    subject: '2026-01-01',
  });
});
