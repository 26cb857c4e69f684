import { open, readFile, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  openStore,
  restoreFiles,
  takeBackup,
  verifyFiles,
  type BackupStore,
  type BackupSubject,
} from '../../src/backup/index.ts';
import { fault, noProgress, type Clock } from '../../src/core/index.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';
import { openFolder } from '../support/program.ts';
import { back, block, database, facts, filesOf, noise } from './support.ts';

const optionsAt = (clock: Clock) => ({
  clock,
  version: '0.1.0',
  progress: noProgress,
  signal: new AbortController().signal,
});

/** A subject that is one database, held for so many milliseconds each time. */
const subjectIn = (file: FileHandle, clock: ManualClock, waits: readonly number[]): BackupSubject => {
  const left = [...waits];
  return {
    database: 'a.duckdb',
    exclusive: async (work) => {
      clock.advance(left.shift() ?? 0);
      return work(file, { ...facts, schema: 30 });
    },
    growing: {},
    replaced: {},
  };
};

it.each([
  [300, 200],
  [200, 300],
])(
  'a backup states the longer of two waits of %i ms and %i ms, the checkpoint included',
  async (...waits) => {
    await using folder = await openFolder();
    const clock = manualClock(Date.UTC(2026, 10, 26, 9));
    await folder.write('a.duckdb', database(0).toString('latin1'));
    await using file = await open(join(folder.path, 'a.duckdb'), 'r');
    const store = await openStore(join(folder.path, 'backups'));
    const taken = await takeBackup(store, subjectIn(file, clock, waits), optionsAt(clock));
    expect(taken).toMatchObject({ heldFor: 300, draft: { at: '2026-11-26T09:00:00.500Z' } });
  },
);

it('a backup for which the disk has no space leaves the chunks of earlier backups and none of its own', async () => {
  await using folder = await openFolder();
  const clock = manualClock(Date.UTC(2026, 10, 26, 9));
  const root = join(folder.path, 'backups');
  const { manifest } = await back(folder, '2026-11-25T09:00:00.000Z', { 'a.duckdb': database(0) });
  const before = await filesOf(root);
  const path = join(folder.path, 'larger');
  await writeFile(path, Buffer.concat([database(3), noise(block, 7), noise(block, 8)]));
  await using file = await open(path, 'r');
  const store = await openStore(root);
  let puts = 0;
  const full: BackupStore = {
    ...store,
    put: async (chunk) => {
      puts += 1;
      if (puts > 6) throw fault('disk-full', 'no space is left');
      return store.put(chunk);
    },
  };
  await expect(takeBackup(full, subjectIn(file, clock, []), optionsAt(clock))).rejects.toMatchObject({
    code: 'disk-full',
  });
  expect(await filesOf(root)).toEqual(before);
  expect(await verifyFiles(await openStore(root), manifest)).toEqual([]);
});

it('a backup keeps the content of its moment, and no block that changed while it was taken', async () => {
  await using folder = await openFolder();
  const clock = manualClock(Date.UTC(2026, 10, 26, 9));
  const path = join(folder.path, 'a.duckdb');
  await writeFile(path, database(0));
  await using file = await open(path, 'r+');
  const store = await openStore(join(folder.path, 'backups'));
  const subject = subjectIn(file, clock, []);
  let passes = 0;
  const changing: BackupSubject = {
    ...subject,
    exclusive: async (work) => {
      passes += 1;
      if (passes === 2) await file.write(database(4), 0, undefined, 0);
      return subject.exclusive(work);
    },
  };
  const { draft } = await takeBackup(store, changing, optionsAt(clock));
  const chunks = draft.files.flatMap((one) => one.chunks);
  const stored = (await filesOf(join(folder.path, 'backups'))).filter((name) => name.includes('chunks/'));
  expect(new Set(stored.map((name) => name.split('/').at(-1)))).toEqual(new Set(chunks));
  await restoreFiles(store, draft, join(folder.path, 'restored'));
  expect(await readFile(join(folder.path, 'restored', 'a.duckdb'))).toEqual(database(4));
});
