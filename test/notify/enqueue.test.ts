import { mailFolder, notify, recoverInterrupted, type Mail } from '../../src/notify/index.ts';
import { createHash } from 'node:crypto';
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { mail, openOutboxFixture, start } from './support/outbox-fixture.ts';
import { openPostOffice } from './support/post-office.ts';

describe('enqueueing a mail', () => {
  it('stores the exact bytes under their hash in a private file, and one row per recipient', async () => {
    await using fixture = await openOutboxFixture();
    const enqueued = await fixture.enqueue({ to: ['a@example.com', 'Bee <b@EXAMPLE.com>', 'A@example.com'] });
    expect(enqueued).toEqual([
      { recipient: 'a@example.com', state: 'queued' },
      { recipient: 'b@example.com', state: 'queued' },
    ]);
    const rows = await fixture.outbox.list();
    expect((await readdir(fixture.folder)).sort()).toEqual(rows.map(({ file }) => file).sort());
    expect((await stat(fixture.folder)).mode & 0o777).toBe(0o700);
    for (const row of rows) {
      const bytes = await readFile(join(fixture.folder, row.file));
      expect(row.file).toBe(`${createHash('sha256').update(bytes).digest('hex')}.eml`);
      expect((await stat(join(fixture.folder, row.file))).mode & 0o777).toBe(0o600);
      expect(row).toMatchObject({ sender: 'reports@example.com', queuedAt: start, ...mail.key });
      const parsed = await simpleParser(bytes);
      expect(parsed.messageId).toBe(row.messageId);
      expect(parsed.to).toMatchObject({ value: [{ address: row.recipient }] });
    }
    expect(new Set(rows.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('does nothing the second time, even when the content has changed', async () => {
    await using fixture = await openOutboxFixture();
    await fixture.enqueue();
    const before = await fixture.outbox.list();
    fixture.clock.advance(60_000);
    expect(await fixture.enqueue()).toEqual([{ recipient: 'finance@example.com', state: 'known' }]);
    expect(await fixture.enqueue({ subject: 'other words', to: ['FINANCE <finance@Example.COM>'] })).toEqual([
      { recipient: 'finance@example.com', state: 'known' },
    ]);
    expect(await fixture.outbox.list()).toEqual(before);
    expect(await readdir(fixture.folder)).toEqual(before.map(({ file }) => file));
    // A recipient who joins later is told, the others are not told again.
    expect(await fixture.enqueue({ to: ['finance@example.com', 'new@example.com'] })).toEqual([
      { recipient: 'finance@example.com', state: 'known' },
      { recipient: 'new@example.com', state: 'queued' },
    ]);
  });

  it('identifies a mail by account, kind and subject, with stable Message-IDs', async () => {
    await using fixture = await openOutboxFixture();
    const other = [{ account: 'second' }, { kind: 'alert' }, { subject: '2026-01-02' }];
    for (const key of [{}, ...other]) await fixture.enqueue({ key: { ...mail.key, ...key } });
    const ids = (await fixture.outbox.list()).map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(4);
    await using later = await openOutboxFixture();
    later.clock.advance(86_400_000);
    await later.enqueue();
    expect((await later.outbox.list())[0]?.messageId).toBe(ids[0]);
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
  });

  it('accepts mailboxes of any script, and writes the domain of the Message-ID in ASCII', async () => {
    await using fixture = await openOutboxFixture();
    await fixture.enqueue({ from: 'Kasse <post@bücher.example>', to: ['müller@bücher.example'] });
    const [row] = await fixture.outbox.list();
    expect(row?.messageId).toMatch(/@xn--bcher-kva\.example>$/);
    expect(row?.recipient).toBe('müller@bücher.example');
  });

  it('rejects an invalid address before anything is written', async () => {
    await using fixture = await openOutboxFixture();
    const hostile = 'b@example.com>\r\nRCPT TO:<evil@example.com';
    await expect(fixture.enqueue({ to: ['a@example.com', hostile] })).rejects.toMatchObject({
      code: 'mail-address-invalid',
    });
    await expect(fixture.enqueue({ from: 'nobody' })).rejects.toMatchObject({ code: 'mail-address-invalid' });
    expect(await fixture.outbox.list()).toEqual([]);
    await expect(readdir(fixture.folder)).rejects.toThrow(/ENOENT/);
  });

  it('stores the bytes on disk before the row', async () => {
    await using fixture = await openOutboxFixture();
    let found: string[] = [];
    const outbox = {
      ...fixture.outbox,
      put: async (entries: Parameters<typeof fixture.outbox.put>[0]) => {
        found = await readdir(fixture.folder);
        expect(found).toEqual(entries.map(({ file }) => file));
        return fixture.outbox.put(entries);
      },
    };
    await notify({ outbox, mails: mailFolder(fixture.folder), clock: fixture.clock }, mail);
    // Nothing unfinished is left beside it.
    expect(found).toHaveLength(1);
  });

  it('reports a folder that is not writable', async () => {
    await using fixture = await openOutboxFixture();
    const folder = join(fixture.folder, '..', 'taken');
    await writeFile(folder, '');
    const queueing = notify(
      { outbox: fixture.outbox, mails: mailFolder(folder), clock: fixture.clock },
      mail,
    );
    await expect(queueing).rejects.toMatchObject({ code: 'path-unwritable' });
    expect(await fixture.outbox.list()).toEqual([]);
    await rm(folder);
  });
});

describe('mails about one topic', () => {
  type Parsed = Awaited<ReturnType<typeof simpleParser>>;

  const about = (subject: string, change: Partial<Mail> = {}): Partial<Mail> => ({
    key: { account: 'main', kind: 'alert', subject },
    topics: ['budget'],
    to: ['a@example.com', 'b@example.com'],
    ...change,
  });
  const openThread = async () => {
    const fixture = await openOutboxFixture();
    const send = async (
      subject: string,
      change: Partial<Mail> = {},
    ): Promise<Readonly<Record<string, Parsed>>> => {
      const before = (await fixture.outbox.list()).length;
      await fixture.enqueue(about(subject, change));
      const rows = (await fixture.outbox.list()).slice(before);
      return Object.fromEntries(
        await Promise.all(
          rows.map(async ({ recipient, file }) => [
            recipient.split('@')[0],
            await simpleParser(await readFile(join(fixture.folder, file))),
          ]),
        ),
      ) as Readonly<Record<string, Parsed>>;
    };
    return { fixture, send, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
  };
  const references = (parsed: Parsed | undefined) => [parsed?.inReplyTo, parsed?.references];
  const none = [undefined, undefined];

  it('refer to the first one that the recipient got, which refers to none', async () => {
    await using thread = await openThread();
    const first = await thread.send('80%');
    expect([references(first['a']), references(first['b'])]).toEqual([none, none]);
    for (const subject of ['100%', 'recovered']) {
      const later = await thread.send(subject);
      for (const name of ['a', 'b']) {
        const id = first[name]?.messageId;
        expect(references(later[name])).toEqual([id, id]);
      }
    }
    expect(first['a']?.messageId).not.toBe(first['b']?.messageId);
  });

  it('do not refer to those about another topic, of another account or of another kind', async () => {
    await using thread = await openThread();
    await thread.send('80%');
    for (const change of [
      { topics: ['other'] },
      { key: { account: 'second', kind: 'alert', subject: '100%' } },
      { key: { account: 'main', kind: 'keys', subject: '100%' } },
    ])
      expect(references((await thread.send('100%', change))['a'])).toEqual(none);
    const { topics: _, ...untopical } = about('200%');
    expect(references((await thread.send('200%', { ...untopical, topics: undefined }))['a'])).toEqual(none);
  });

  it('refer, for a recipient that is added later, to the first one that this recipient got, and never to a failed or dropped mail', async () => {
    await using thread = await openThread();
    const first = await thread.send('80%');
    const joined = await thread.send('100%', { to: ['a@example.com', 'new@example.com'] });
    expect(references(joined['new'])).toEqual(none);
    const { outbox, clock } = thread.fixture;
    const dropped = (await outbox.list()).find(({ recipient }) => recipient === 'b@example.com');
    await outbox.drop(dropped?.id ?? '', clock.now());
    const later = await thread.send('120%', { to: ['a', 'b', 'new'].map((name) => `${name}@example.com`) });
    expect(later['a']?.inReplyTo).toBe(first['a']?.messageId);
    expect(later['new']?.inReplyTo).toBe(joined['new']?.messageId);
    expect(references(later['b'])).toEqual(none);
  });

  it('name the first one about each of several topics, and then have no References', async () => {
    await using thread = await openThread();
    const [one, two] = [
      await thread.send('one', { topics: ['one'] }),
      await thread.send('two', { topics: ['two'] }),
    ];
    const both = await thread.send('both', { topics: ['two', 'one', 'three'] });
    expect(references(both['a'])).toEqual([
      `${String(two['a']?.messageId)} ${String(one['a']?.messageId)}`,
      undefined,
    ]);
    // A mail about two topics begins the third one.
    const third = await thread.send('third', { topics: ['three'] });
    expect(third['a']?.inReplyTo).toBe(both['a']?.messageId);
  });

  it('name at most twenty, in lines that a mail server accepts', async () => {
    await using thread = await openThread();
    const topics = Array.from({ length: 30 }, (_, index) => `topic ${index}`);
    for (const topic of topics) await thread.send(topic, { topics: [topic], to: ['a@example.com'] });
    const all = await thread.send('all', { topics, to: ['a@example.com'] });
    expect(all['a']?.inReplyTo?.split(' ')).toHaveLength(20);
    const newest = (await thread.fixture.outbox.list()).at(-1);
    const text = await readFile(join(thread.fixture.folder, newest?.file ?? ''), 'latin1');
    expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
  });
});

describe('after a crash', () => {
  it('a mail in transmission has an unknown outcome, is reported, and is sent again after a wait', async () => {
    await using office = await openPostOffice();
    await using fixture = await openOutboxFixture();
    await fixture.enqueue({ to: ['a@example.com', 'b@example.com'] });
    const [row] = await fixture.outbox.list();
    await fixture.outbox.claim(row?.id ?? '', fixture.clock.now());

    const { outbox, clock, log, lines } = fixture;
    const deps = { outbox, clock, random: () => 0.5, log };
    expect(await recoverInterrupted(deps)).toBe(1);
    expect(await recoverInterrupted(deps)).toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('a@example.com');
    expect((await fixture.outbox.list())[0]).toMatchObject({
      state: 'unknown',
      doubts: 1,
      lastError: expect.stringMatching(/^the process ended/) as string,
    });

    await using transport = fixture.transport(office.url);
    fixture.clock.advance(5 * 60_000 - 1);
    expect(await fixture.deliver(transport)).toMatchObject({ sent: 1, unknown: 0 });
    fixture.clock.advance(1);
    expect(await fixture.deliver(transport)).toMatchObject({ sent: 1, unknown: 0 });
    expect(office.received.map(({ to }) => to[0])).toEqual(['b@example.com', 'a@example.com']);
  });
});
