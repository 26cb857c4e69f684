import { createHash } from 'node:crypto';
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/index.ts';
import { enqueue, recoverInterrupted } from '../../src/mail/index.ts';
import { mail, openDesk, start } from './support/desk.ts';
import { openPostOffice } from './support/post-office.ts';

describe('queueing a mail', () => {
  it('keeps the exact bytes under their hash, for no one else to read, and one row a recipient', async () => {
    await using desk = await openDesk();
    const enqueued = await desk.enqueue({ to: ['a@example.com', 'Bee <b@EXAMPLE.com>', 'A@example.com'] });
    expect(enqueued).toEqual([
      { recipient: 'a@example.com', state: 'queued' },
      { recipient: 'b@example.com', state: 'queued' },
    ]);
    const rows = await desk.outbox.list();
    expect((await readdir(desk.folder)).sort()).toEqual(rows.map(({ file }) => file).sort());
    expect((await stat(desk.folder)).mode & 0o777).toBe(0o700);
    for (const row of rows) {
      const bytes = await readFile(join(desk.folder, row.file));
      expect(row.file).toBe(`${createHash('sha256').update(bytes).digest('hex')}.eml`);
      expect((await stat(join(desk.folder, row.file))).mode & 0o777).toBe(0o600);
      expect(row).toMatchObject({ sender: 'reports@example.com', queuedAt: start, ...mail.key });
      const parsed = await simpleParser(bytes);
      expect(parsed.messageId).toBe(row.messageId);
      expect(parsed.to).toMatchObject({ value: [{ address: row.recipient }] });
    }
    expect(new Set(rows.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('does nothing the second time, even when the mail would look different now', async () => {
    await using desk = await openDesk();
    await desk.enqueue();
    const before = await desk.outbox.list();
    desk.clock.advance(60_000);
    expect(await desk.enqueue()).toEqual([{ recipient: 'finance@example.com', state: 'known' }]);
    expect(await desk.enqueue({ subject: 'other words', to: ['FINANCE <finance@Example.COM>'] })).toEqual([
      { recipient: 'finance@example.com', state: 'known' },
    ]);
    expect(await desk.outbox.list()).toEqual(before);
    expect(await readdir(desk.folder)).toEqual(before.map(({ file }) => file));
    // A recipient who joins later is told, the others are not told again.
    expect(await desk.enqueue({ to: ['finance@example.com', 'new@example.com'] })).toEqual([
      { recipient: 'finance@example.com', state: 'known' },
      { recipient: 'new@example.com', state: 'queued' },
    ]);
  });

  it('tells the same mail apart by account, kind and subject, with Message-IDs that never change', async () => {
    await using desk = await openDesk();
    const other = [{ account: 'second' }, { kind: 'alert' }, { subject: '2026-01-02' }];
    for (const key of [{}, ...other]) await desk.enqueue({ key: { ...mail.key, ...key } });
    const ids = (await desk.outbox.list()).map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(4);
    await using later = await openDesk();
    later.clock.advance(86_400_000);
    await later.enqueue();
    expect((await later.outbox.list())[0]?.messageId).toBe(ids[0]);
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
  });

  it('takes mailboxes of any script, and writes the domain in the Message-ID in ASCII', async () => {
    await using desk = await openDesk();
    await desk.enqueue({ from: 'Kasse <post@bücher.example>', to: ['müller@bücher.example'] });
    const [row] = await desk.outbox.list();
    expect(row?.messageId).toMatch(/@xn--bcher-kva\.example>$/);
    expect(row?.recipient).toBe('müller@bücher.example');
  });

  it('refuses what is no address before anything is written', async () => {
    await using desk = await openDesk();
    const hostile = 'b@example.com>\r\nRCPT TO:<evil@example.com';
    await expect(desk.enqueue({ to: ['a@example.com', hostile] })).rejects.toMatchObject({
      code: 'mail-address-invalid',
    });
    await expect(desk.enqueue({ from: 'nobody' })).rejects.toMatchObject({ code: 'mail-address-invalid' });
    expect(await desk.outbox.list()).toEqual([]);
    await expect(readdir(desk.folder)).rejects.toThrow(/ENOENT/);
  });

  it('has the bytes on the disk before there is a row', async () => {
    await using desk = await openDesk();
    let found: string[] = [];
    const outbox = {
      ...desk.outbox,
      put: async (entry: Parameters<typeof desk.outbox.put>[0]) => {
        found = await readdir(desk.folder);
        expect(found).toContain(entry.file);
        return desk.outbox.put(entry);
      },
    };
    await enqueue({ outbox, folder: desk.folder, clock: desk.clock }, mail);
    // Nothing unfinished is left beside it.
    expect(found).toHaveLength(1);
  });

  it('says which folder it cannot write to', async () => {
    await using desk = await openDesk();
    const folder = join(desk.folder, '..', 'taken');
    await writeFile(folder, '');
    const queueing = enqueue({ outbox: desk.outbox, folder, clock: desk.clock }, mail);
    await expect(queueing).rejects.toMatchObject({ code: 'path-unwritable' });
    expect(await desk.outbox.list()).toEqual([]);
    await rm(folder);
  });
});

describe('after a crash', () => {
  it('a mail that was being sent is of unknown outcome, told, and sent again after a wait', async () => {
    await using office = await openPostOffice();
    await using desk = await openDesk();
    await desk.enqueue({ to: ['a@example.com', 'b@example.com'] });
    const [row] = await desk.outbox.list();
    await desk.outbox.claim(row?.id ?? '', desk.clock.now());

    const lines: string[] = [];
    const log = createLog({
      write: (line) => void lines.push(line),
      level: 'info',
      clock: desk.clock,
      redact: (text) => text,
    });
    const means = { outbox: desk.outbox, clock: desk.clock, random: () => 0.5, log };
    expect(await recoverInterrupted(means)).toBe(1);
    expect(await recoverInterrupted(means)).toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('a@example.com');
    expect((await desk.outbox.list())[0]).toMatchObject({
      state: 'unknown',
      doubts: 1,
      lastError: 'the process ended while the mail was being sent: it may or may not have arrived',
    });

    await using transport = desk.transport(office.url);
    desk.clock.advance(5 * 60_000 - 1);
    expect(await desk.deliver(transport)).toMatchObject({ sent: 1, unknown: 0 });
    desk.clock.advance(1);
    expect(await desk.deliver(transport)).toMatchObject({ sent: 1, unknown: 0 });
    expect(office.received.map(({ to }) => to[0])).toEqual(['b@example.com', 'a@example.com']);
  });
});
