import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fault, silentLog } from '../../src/base/index.ts';
import { openJournal } from '../../src/keys/journal/journal.ts';
import { openLastingJournal } from '../../src/keys/journal/lasting-journal.ts';
import { adoptedStep as step, memoryTable } from './engine-house.ts';

/** Two steps in a file whose first line was taken out, and how often the database was asked for all of them. */
const damagedHouse = async () => {
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
    open: () => openLastingJournal({ table, path, log: silentLog }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};

it('a journal that could not be opened is opened once the file holds, and once only', async () => {
  await using house = await damagedHouse();
  const journal = await house.open();
  const closed = journal.now();
  expect(closed.trouble()).toMatchObject({ code: 'audit-damaged' });
  expect(await journal.check()).toMatchObject({ code: 'audit-damaged' });
  await expect(journal.now().record([step(3)])).rejects.toMatchObject({ code: 'audit-damaged' });
  await rename(house.path, `${house.path}.damaged`);
  const before = house.opened();
  expect(await Promise.all([journal.check(), journal.check(), journal.check()])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(house.opened()).toBe(before + 1);
  expect(await readFile(house.path, 'utf8')).toBe(house.whole);
  expect([...journal.now().lineage('main').keys()]).toEqual([1, 2]);
  await journal.now().record([step(3)]);
  expect(house.table.rows).toHaveLength(3);
});

it('work that began while it was closed writes nothing down after it: it saw no key', async () => {
  await using house = await damagedHouse();
  const journal = await house.open();
  const began = journal.now();
  await writeFile(house.path, house.whole);
  expect(await journal.check()).toBeUndefined();
  await expect(began.record([step(3)])).rejects.toMatchObject({ code: 'audit-damaged' });
});

it('one that is open and stops holding is told of by a look, and goes on as it was', async () => {
  await using house = await damagedHouse();
  await writeFile(house.path, house.whole);
  const journal = await house.open();
  const open = journal.now();
  expect(await journal.check()).toBeUndefined();
  await writeFile(house.path, `${house.whole}junk\n`);
  expect(await journal.check()).toMatchObject({ code: 'audit-damaged' });
  await writeFile(house.path, house.whole);
  expect(await journal.check()).toBeUndefined();
  expect(journal.now()).toBe(open);
});

it('an error that is no fault of file or database is no state of the journal', async () => {
  await using house = await damagedHouse();
  house.table.last = () => Promise.reject(new TypeError('broken'));
  await expect(house.open()).rejects.toThrow('broken');
  house.table.last = () => Promise.reject(fault('disk-full', 'no room'));
  expect((await house.open()).now().trouble()).toMatchObject({ code: 'disk-full' });
});

it('what cannot be read as a file keeps it closed, and is looked at again', async () => {
  await using house = await damagedHouse();
  await rm(house.path);
  await mkdir(house.path);
  const journal = await house.open();
  expect(journal.now().trouble()).toMatchObject({
    code: 'path-unwritable',
    message: expect.stringContaining('EISDIR') as string,
  });
  await rm(house.path, { recursive: true });
  expect(await journal.check()).toBeUndefined();
});
