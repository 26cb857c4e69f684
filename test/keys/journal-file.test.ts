import { mkdtemp, open, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fault, silentLog, type Log } from '../../src/core/index.ts';
import { readAuditLines } from '../../src/keys/journal/audit-file.ts';
import { lineAfter } from '../../src/keys/journal/audit-line.ts';
import { openJournal } from '../../src/keys/journal/journal.ts';
import { verifyAudit } from '../../src/keys/index.ts';
import { adoptedStep as step, memoryTable } from './engine-fixture.ts';

/** A journal of so many steps, in a folder of its own. */
const journalFixture = async (steps: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-journal-'));
  const path = join(folder, 'audit', 'keys.jsonl');
  const table = { ...memoryTable() };
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (message) => errors.push(message) };
  const reopen = (of = table) => openJournal({ table: of, path, log });
  const journal = await reopen();
  for (let number = 1; number <= steps; number += 1) await journal.record([step(number)]);
  return {
    folder,
    path,
    table,
    errors,
    journal,
    reopen,
    text: () => readFile(path, 'utf8'),
    /** The file holds every step from the first on, and the database can be made again from it. */
    expectWhole: async (last: number) => {
      const verdict = await verifyAudit(readAuditLines(path));
      expect([verdict.broken, verdict.lines]).toEqual([undefined, last]);
      const rebuilt = memoryTable();
      await reopen(rebuilt);
      expect(rebuilt.rows).toEqual(table.rows);
      expect(rebuilt.rows.map(({ seq }) => seq)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};

describe('an audit file that is removed while the process runs', () => {
  it.each([
    ['moved', (path: string) => rename(path, `${path}.1`)],
    ['removed with its folder', (path: string) => rm(join(path, '..'), { recursive: true })],
    ['emptied', (path: string) => truncate(path, 0)],
  ])('is rewritten from the database before the next step and reported: %s', async (_, take) => {
    await using fixture = await journalFixture(3);
    const before = await fixture.text();
    await take(fixture.path);
    await fixture.journal.record([step(4)]);
    expect((await fixture.text()).startsWith(before)).toBe(true);
    expect(fixture.errors).toEqual([expect.stringContaining('rewritten from the database')]);
    expect((await stat(fixture.path)).mode & 0o777).toBe(0o600);
    expect((await readdir(join(fixture.path, '..'))).filter((name) => !/jsonl(\.1)?$/.test(name))).toEqual(
      [],
    );
    await fixture.journal.record([step(5)]);
    expect(fixture.errors).toHaveLength(1);
    await fixture.expectWhole(5);
  });

  it('is rewritten including the steps that the database did not store yet', async () => {
    await using fixture = await journalFixture(2);
    const { append } = fixture.table;
    fixture.table.append = () => Promise.reject(fault('disk-full', 'no room'));
    await expect(fixture.journal.record([step(3)])).rejects.toThrow('no room');
    fixture.table.append = append;
    await rm(fixture.path);
    await fixture.journal.record([step(4)]);
    await fixture.expectWhole(4);
  });

  it('is not started in mid-chain when the database is inconsistent with it', async () => {
    await using fixture = await journalFixture(3);
    await rm(fixture.path);
    for (const spoil of [
      () => fixture.table.rows.pop(),
      () => fixture.table.rows.splice(1, 1),
      () => fixture.table.rows.splice(0),
    ]) {
      spoil();
      await expect(fixture.journal.record([step(4)])).rejects.toMatchObject({ code: 'audit-damaged' });
      await expect(stat(fixture.path)).rejects.toMatchObject({ code: 'ENOENT' });
    }
    expect(fixture.journal.head().seq).toBe(3);
  });

  it('is never written partially: a failed rewrite leaves no file', async () => {
    await using fixture = await journalFixture(3);
    await rm(fixture.path);
    const handle = await open(fixture.folder, 'r');
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync');
    await handle.close();
    sync.mockRejectedValueOnce(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    try {
      await expect(fixture.journal.record([step(4)])).rejects.toMatchObject({ code: 'disk-full' });
    } finally {
      sync.mockRestore();
    }
    expect(await readdir(join(fixture.path, '..'))).toEqual([]);
    await fixture.journal.record([step(4)]);
    await fixture.expectWhole(4);
  });
});

describe('an audit file that is replaced while the process runs', () => {
  it.each([
    ['a shorter one', (text: string) => `${text.split('\n')[0]}\n`],
    ['one that lacks its beginning', (text: string) => text.slice(text.indexOf('\n') + 1)],
    ['one with a line in it twice', (text: string) => `${text.split('\n')[0]}\n${text}`],
    ['one with another last line', (text: string) => text.replace(/adopt\/3/, 'adopt/9')],
    ['one that somebody wrote on', (text: string) => `${text}${text.split('\n')[2]}\n`],
    ['something else', () => 'no audit file\n'],
  ])('stops all steps and stays unchanged: replaced by %s', async (_, change) => {
    await using fixture = await journalFixture(3);
    const before = await fixture.text();
    const other = change(before);
    await writeFile(fixture.path, other);
    await expect(fixture.journal.record([step(4)])).rejects.toMatchObject({
      code: 'audit-damaged',
      message: expect.stringContaining(fixture.path),
    });
    expect(await fixture.text()).toBe(other);
    expect(fixture.table.rows).toHaveLength(3);
    await writeFile(fixture.path, before);
    await fixture.journal.record([step(4)]);
    await fixture.expectWhole(4);
  });

  it('is not appended to before its first step if it has contents', async () => {
    await using fixture = await journalFixture(0);
    await using other = await journalFixture(1);
    await rename(join(other.path, '..'), join(fixture.path, '..'));
    await expect(fixture.journal.record([step(1)])).rejects.toMatchObject({ code: 'audit-damaged' });
  });
});

describe('the problem of a journal', () => {
  const spoil = (text: string) => text.replace(/adopt\/3/, 'adopt/9');

  it('is known from a refused step or a check of the file until a successful step or check', async () => {
    await using fixture = await journalFixture(3);
    await fixture.journal.check();
    expect(fixture.journal.problem()).toBeUndefined();
    const before = await fixture.text();
    for (const look of [
      fixture.journal.check,
      () => fixture.journal.record([step(4)]).catch(() => undefined),
    ]) {
      await writeFile(fixture.path, spoil(before));
      await look();
      expect(fixture.journal.problem()).toMatchObject({ code: 'audit-damaged' });
      expect(await fixture.text()).toBe(spoil(before));
      await writeFile(fixture.path, before);
      await fixture.journal.check();
      expect(fixture.journal.problem()).toBeUndefined();
    }
    await fixture.journal.record([step(4)]);
    await fixture.expectWhole(4);
  });

  it('ends once the file is moved aside: it is rewritten, unless the database is invalid', async () => {
    await using fixture = await journalFixture(3);
    const before = await fixture.text();
    await writeFile(fixture.path, spoil(before));
    await fixture.journal.check();
    await rename(fixture.path, `${fixture.path}.damaged`);
    const third = fixture.table.rows[2];
    if (third === undefined) throw new Error('no third step');
    fixture.table.rows[2] = { ...third, hash: lineAfter({ seq: 2, hash: '' }, '{}').head.hash };
    await fixture.journal.check();
    expect(fixture.journal.problem()).toMatchObject({
      code: 'audit-damaged',
      message: expect.stringContaining('step 3 of the database') as string,
    });
    fixture.table.rows[2] = third;
    await fixture.journal.check();
    expect([fixture.journal.problem(), await fixture.text()]).toEqual([undefined, before]);
  });

  it('does not occur when a valid file was removed: the next step rewrites it', async () => {
    await using fixture = await journalFixture(3);
    await rm(fixture.path);
    await fixture.journal.check();
    expect(fixture.journal.problem()).toBeUndefined();
    await expect(fixture.text()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a failed write to the audit file', () => {
  it.each([0, 2])(
    'after %i steps that cannot be undone immediately is undone before the next one',
    async (steps) => {
      await using fixture = await journalFixture(steps);
      const handle = await open(fixture.folder, 'r');
      const prototype = Object.getPrototypeOf(handle) as typeof handle;
      await handle.close();
      const broken = () => Promise.reject(Object.assign(new Error('broken'), { code: 'EIO' }));
      const spies = [
        vi.spyOn(prototype, 'sync').mockImplementation(broken),
        vi.spyOn(prototype, 'truncate').mockImplementation(broken),
      ];
      try {
        await expect(fixture.journal.record([step(90)])).rejects.toMatchObject({ code: 'path-unwritable' });
      } finally {
        for (const spy of spies) spy.mockRestore();
      }
      expect(await fixture.text()).toContain('billing.g90');
      await fixture.journal.record([step(steps + 1)]);
      expect(await fixture.text()).not.toContain('billing.g90');
      await fixture.expectWhole(steps + 1);
    },
  );

  it('leaves at most half a line, which is removed', async () => {
    await using fixture = await journalFixture(2);
    await writeFile(fixture.path, `${await fixture.text()}{"seq":3,"prev":"`);
    await fixture.journal.record([step(3)]);
    await fixture.expectWhole(3);
  });
});

describe('an audit file that begins in mid-chain', () => {
  const behead = async (path: string, lines: number): Promise<string> => {
    const rest = (await readFile(path, 'utf8')).split('\n').slice(lines).join('\n');
    await writeFile(path, rest);
    return rest;
  };

  it('is found at opening, and can be moved aside if the database has every step', async () => {
    await using fixture = await journalFixture(4);
    const whole = await fixture.text();
    const rest = await behead(fixture.path, 2);
    await expect(fixture.reopen()).rejects.toMatchObject({
      code: 'audit-damaged',
      message: expect.stringContaining('begins with step 3'),
      advice: expect.stringMatching(/move .*keys\.jsonl aside/),
    });
    expect(await fixture.text()).toBe(rest);
    await rename(fixture.path, `${fixture.path}.begun-again`);
    await fixture.reopen();
    expect(await fixture.text()).toBe(whole);
  });

  it('must not be moved aside if the database lacks its steps or the steps before', async () => {
    await using fixture = await journalFixture(4);
    await behead(fixture.path, 2);
    const shorter = memoryTable();
    await shorter.append(fixture.table.rows.slice(0, 3), []);
    const forked = memoryTable();
    await forked.append(fixture.table.rows, []);
    const fourth = forked.rows[3];
    if (fourth !== undefined)
      forked.rows[3] = { ...fourth, hash: lineAfter({ seq: 3, hash: '' }, '{}').head.hash };
    for (const table of [shorter, forked, memoryTable()])
      await expect(fixture.reopen(table)).rejects.toMatchObject({
        code: 'audit-damaged',
        message: expect.stringContaining('begins with step 3'),
        advice: expect.stringContaining('steps 1 to 2,'),
      });
  });

  it('is not an audit file if its first line is invalid', async () => {
    await using fixture = await journalFixture(2);
    await writeFile(fixture.path, `junk\n${await fixture.text()}`);
    await expect(fixture.reopen()).rejects.toMatchObject({
      code: 'audit-damaged',
      message: expect.stringContaining('line 1'),
      advice: expect.stringContaining('aside'),
    });
  });
});
