import { createHash } from 'node:crypto';
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/index.ts';
import { enqueue, recoverInterrupted } from '../../src/mail/index.ts';
import { mail, openKeyService, start } from './support/outbox-desk.ts';
import { openPostOffice } from './support/post-office.ts';

describe('queueing a mail', () => {
  it('keeps the exact bytes under their hash, for no one else to read, and one row a recipient', async () => {
    await using keyService = await openKeyService();
    const enqueued = await keyService.enqueue({
      to: ['a@example.com', 'Bee <b@EXAMPLE.com>', 'A@example.com'],
    });
    expect(enqueued).toEqual([
      { recipient: 'a@example.com', state: 'queued' },
      { recipient: 'b@example.com', state: 'queued' },
    ]);
    const rows = await keyService.outbox.list();
    expect((await readdir(keyService.folder)).sort()).toEqual(rows.map(({ file }) => file).sort());
    expect((await stat(keyService.folder)).mode & 0o777).toBe(0o700);
    for (const row of rows) {
      const bytes = await readFile(join(keyService.folder, row.file));
      expect(row.file).toBe(`${createHash('sha256').update(bytes).digest('hex')}.eml`);
      expect((await stat(join(keyService.folder, row.file))).mode & 0o777).toBe(0o600);
      expect(row).toMatchObject({ sender: 'reports@example.com', queuedAt: start, ...mail.key });
      const parsed = await simpleParser(bytes);
      expect(parsed.messageId).toBe(row.messageId);
      expect(parsed.to).toMatchObject({ value: [{ address: row.recipient }] });
    }
    expect(new Set(rows.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('does nothing the second time, even when the mail would look different now', async () => {
    await using keyService = await openKeyService();
    await keyService.enqueue();
    const before = await keyService.outbox.list();
    keyService.clock.advance(60_000);
    expect(await keyService.enqueue()).toEqual([{ recipient: 'finance@example.com', state: 'known' }]);
    expect(
      await keyService.enqueue({ subject: 'other words', to: ['FINANCE <finance@Example.COM>'] }),
    ).toEqual([{ recipient: 'finance@example.com', state: 'known' }]);
    expect(await keyService.outbox.list()).toEqual(before);
    expect(await readdir(keyService.folder)).toEqual(before.map(({ file }) => file));
    // A recipient who joins later is told, the others are not told again.
    expect(await keyService.enqueue({ to: ['finance@example.com', 'new@example.com'] })).toEqual([
      { recipient: 'finance@example.com', state: 'known' },
      { recipient: 'new@example.com', state: 'queued' },
    ]);
  });

  it('tells the same mail apart by account, kind and subject, with Message-IDs that never change', async () => {
    await using keyService = await openKeyService();
    const other = [{ account: 'second' }, { kind: 'alert' }, { subject: '2026-01-02' }];
    for (const key of [{}, ...other]) await keyService.enqueue({ key: { ...mail.key, ...key } });
    const ids = (await keyService.outbox.list()).map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(4);
    await using later = await openKeyService();
    later.clock.advance(86_400_000);
    await later.enqueue();
    expect((await later.outbox.list())[0]?.messageId).toBe(ids[0]);
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
  });

  it('takes mailboxes of any script, and writes the domain in the Message-ID in ASCII', async () => {
    await using keyService = await openKeyService();
    await keyService.enqueue({ from: 'Kasse <post@bücher.example>', to: ['müller@bücher.example'] });
    const [row] = await keyService.outbox.list();
    expect(row?.messageId).toMatch(/@xn--bcher-kva\.example>$/);
    expect(row?.recipient).toBe('müller@bücher.example');
  });

  it('refuses what is no address before anything is written', async () => {
    await using keyService = await openKeyService();
    const hostile = 'b@example.com>\r\nRCPT TO:<evil@example.com';
    await expect(keyService.enqueue({ to: ['a@example.com', hostile] })).rejects.toMatchObject({
      code: 'mail-address-invalid',
    });
    await expect(keyService.enqueue({ from: 'nobody' })).rejects.toMatchObject({
      code: 'mail-address-invalid',
    });
    expect(await keyService.outbox.list()).toEqual([]);
    await expect(readdir(keyService.folder)).rejects.toThrow(/ENOENT/);
  });

  it('has the bytes on the disk before there is a row', async () => {
    await using keyService = await openKeyService();
    let found: string[] = [];
    const outbox = {
      ...keyService.outbox,
      put: async (entry: Parameters<typeof keyService.outbox.put>[0]) => {
        found = await readdir(keyService.folder);
        expect(found).toContain(entry.file);
        return keyService.outbox.put(entry);
      },
    };
    await enqueue({ outbox, folder: keyService.folder, clock: keyService.clock }, mail);
    // Nothing unfinished is left beside it.
    expect(found).toHaveLength(1);
  });

  it('says which folder it cannot write to', async () => {
    await using keyService = await openKeyService();
    const folder = join(keyService.folder, '..', 'taken');
    await writeFile(folder, '');
    const queueing = enqueue({ outbox: keyService.outbox, folder, clock: keyService.clock }, mail);
    await expect(queueing).rejects.toMatchObject({ code: 'path-unwritable' });
    expect(await keyService.outbox.list()).toEqual([]);
    await rm(folder);
  });
});

describe('after a crash', () => {
  it('a mail that was being sent is of unknown outcome, told, and sent again after a wait', async () => {
    await using office = await openPostOffice();
    await using keyService = await openKeyService();
    await keyService.enqueue({ to: ['a@example.com', 'b@example.com'] });
    const [row] = await keyService.outbox.list();
    await keyService.outbox.claim(row?.id ?? '', keyService.clock.now());

    const lines: string[] = [];
    const log = createLog({
      write: (line) => void lines.push(line),
      level: 'info',
      clock: keyService.clock,
      redact: (text) => text,
    });
    const deps = { outbox: keyService.outbox, clock: keyService.clock, random: () => 0.5, log };
    expect(await recoverInterrupted(deps)).toBe(1);
    expect(await recoverInterrupted(deps)).toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('a@example.com');
    expect((await keyService.outbox.list())[0]).toMatchObject({
      state: 'unknown',
      doubts: 1,
      lastError: 'the process ended while the mail was being sent: it may or may not have arrived',
    });

    await using transport = keyService.transport(office.url);
    keyService.clock.advance(5 * 60_000 - 1);
    expect(await keyService.deliver(transport)).toMatchObject({ sent: 1, unknown: 0 });
    keyService.clock.advance(1);
    expect(await keyService.deliver(transport)).toMatchObject({ sent: 1, unknown: 0 });
    expect(office.received.map(({ to }) => to[0])).toEqual(['b@example.com', 'a@example.com']);
  });
});
