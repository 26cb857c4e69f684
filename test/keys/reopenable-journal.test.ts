import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fault, silentLog } from '../../src/core/index.ts';
import { openJournal } from '../../src/keys/journal/journal.ts';
import { openReopenableJournal } from '../../src/keys/index.ts';
import { adoptedStep as step, memoryTable } from './engine-fixture.ts';

/** Two steps in a file whose first line was taken out, and how often the database was asked for all of them. */
const damagedFixture = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-journal-'));
  const path = join(folder, 'keys.jsonl');
  const table = { ...memoryTable() };
  const journal = await openJournal({ table, path, log: silentLog });
  for (const number of [1, 2]) await journal.record([step(number)]);
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.slice(whole.indexOf('\n') + 1));
  const { events } = table;
  let opened = 0;
  table.events = (filter) => {
    opened += 1;
    return events(filter);
  };
  return {
    path,
    table,
    whole,
    opened: () => opened,
    open: () => openReopenableJournal({ table, path, log: silentLog }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};

it('a journal that could not be opened is opened once the file is valid, and only once', async () => {
  await using fixture = await damagedFixture();
  const journal = await fixture.open();
  const closed = journal.now();
  expect(closed.problem()).toMatchObject({ code: 'audit-damaged' });
  expect(await journal.check()).toMatchObject({ code: 'audit-damaged' });
  await expect(journal.now().record([step(3)])).rejects.toMatchObject({ code: 'audit-damaged' });
  await rename(fixture.path, `${fixture.path}.damaged`);
  const before = fixture.opened();
  expect(await Promise.all([journal.check(), journal.check(), journal.check()])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(fixture.opened()).toBe(before + 1);
  expect(await readFile(fixture.path, 'utf8')).toBe(fixture.whole);
  expect([...journal.now().state('main').lineage.keys()]).toEqual([1, 2]);
  await journal.now().record([step(3)]);
  expect(fixture.table.rows).toHaveLength(3);
});

it('work that began with a closed journal records nothing after the journal opens: it saw no key', async () => {
  await using fixture = await damagedFixture();
  const journal = await fixture.open();
  const began = journal.now();
  await writeFile(fixture.path, fixture.whole);
  expect(await journal.check()).toBeUndefined();
  await expect(began.record([step(3)])).rejects.toMatchObject({ code: 'audit-damaged' });
});

it('a check reports an open journal that becomes invalid, and the journal resumes unchanged', async () => {
  await using fixture = await damagedFixture();
  await writeFile(fixture.path, fixture.whole);
  const journal = await fixture.open();
  const open = journal.now();
  expect(await journal.check()).toBeUndefined();
  await writeFile(fixture.path, `${fixture.whole}junk\n`);
  expect(await journal.check()).toMatchObject({ code: 'audit-damaged' });
  await writeFile(fixture.path, fixture.whole);
  expect(await journal.check()).toBeUndefined();
  expect(journal.now()).toBe(open);
});

it('an unrelated error does not change the status of the journal', async () => {
  await using fixture = await damagedFixture();
  fixture.table.last = () => Promise.reject(new TypeError('broken'));
  await expect(fixture.open()).rejects.toThrow('broken');
  fixture.table.last = () => Promise.reject(fault('disk-full', 'no room'));
  expect((await fixture.open()).now().problem()).toMatchObject({ code: 'disk-full' });
});

it('an unreadable audit file keeps the journal closed, and is checked again', async () => {
  await using fixture = await damagedFixture();
  await rm(fixture.path);
  await mkdir(fixture.path);
  const journal = await fixture.open();
  expect(journal.now().problem()).toMatchObject({
    code: 'path-unwritable',
    message: expect.stringContaining('EISDIR') as string,
  });
  await rm(fixture.path, { recursive: true });
  expect(await journal.check()).toBeUndefined();
});
