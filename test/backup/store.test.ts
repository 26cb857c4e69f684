import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  openStore,
  restoreFiles,
  storeFiles,
  verifyFiles,
  type Facts,
  type Manifest,
} from '../../src/backup/index.ts';
import { openFolder, type Folder } from '../support/program.ts';

const block = 262_144;

/** Bytes that differ by seed and position, so that no two blocks are equal. */
const noise = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size);
  let state = seed * 2_654_435_761 + 1;
  for (let at = 0; at + 4 <= size; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
};

/** Backs up the files, by name and content; the first one is the database. */
const back = async (folder: Folder, at: string, contents: Readonly<Record<string, Buffer>>) => {
  const store = await openStore(join(folder.path, 'backups'));
  const sources = [];
  for (const [path, content] of Object.entries(contents)) {
    const file = join(folder.path, 'data', path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
    sources.push({ path, file, isDatabase: path.endsWith('.duckdb') });
  }
  const { files, bytes, newBytes } = await storeFiles(store, sources);
  const facts: Facts = { rows: {}, charges: {}, audit: { entries: 0, head: '' } };
  await store.complete({ at, program: '0.1.0', schema: 30, files, facts });
  const manifest: Manifest = await store.read((await store.list()).at(-1) ?? '');
  expect(manifest).toMatchObject({ encrypted: false, facts });
  return { store, manifest, bytes, newBytes };
};

const database = (changed: number): Buffer =>
  Buffer.concat([
    noise(3 * 4096, 1),
    ...[2, 3, 4, 5].map((seed) => noise(block, seed === changed ? 99 : seed)),
  ]);

it('a second backup stores only the blocks that changed, and both restore byte for byte', async () => {
  await using folder = await openFolder();
  const first = {
    'tollkeeper.duckdb': database(0),
    'audit/keys.jsonl': Buffer.from('one\n'),
    empty: Buffer.alloc(0),
  };
  const second = {
    ...first,
    'tollkeeper.duckdb': database(4),
    'audit/keys.jsonl': Buffer.from('one\ntwo\n'),
  };
  const one = await back(folder, '2026-11-26T09:00:00.000Z', first);
  const two = await back(folder, '2026-11-27T09:00:00.000Z', second);
  expect(one.newBytes).toBe(one.bytes);
  expect(two.newBytes).toBe(block + 8);
  expect(await two.store.list()).toEqual(['20261126T090000Z', '20261127T090000Z']);
  for (const [name, contents] of [
    ['20261126T090000Z', first],
    ['20261127T090000Z', second],
  ] as const) {
    const to = join(folder.path, name);
    const manifest = await two.store.read(name);
    expect(await verifyFiles(two.store, manifest)).toEqual([]);
    await restoreFiles(two.store, manifest, to);
    for (const [path, content] of Object.entries(contents))
      expect((await readFile(join(to, path))).equals(content), path).toBe(true);
  }
});

it('a restored file has the permissions of the original', async () => {
  await using folder = await openFolder();
  await mkdir(join(folder.path, 'data'));
  const file = join(folder.path, 'data/keys.jsonl');
  await writeFile(file, 'one\n');
  await chmod(file, 0o640);
  const store = await openStore(join(folder.path, 'backups'));
  const { files } = await storeFiles(store, [{ path: 'audit/keys.jsonl', file }]);
  await restoreFiles(store, { files }, join(folder.path, 'to'));
  expect((await stat(join(folder.path, 'to/audit/keys.jsonl'))).mode & 0o777).toBe(0o640);
});

/** Every file of the store, by its path from there. */
const filesOf = async (store: string): Promise<readonly string[]> =>
  (await readdir(store, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();

it('one flipped bit anywhere in a store is found', async () => {
  await using folder = await openFolder();
  await back(folder, '2026-11-26T09:00:00.000Z', {
    'tollkeeper.duckdb': database(0),
    'audit/keys.jsonl': Buffer.from('one\n'),
  });
  const root = join(folder.path, 'backups');
  const files = await filesOf(root);
  const isWhole = async (): Promise<boolean> => {
    try {
      const store = await openStore(root);
      const [name = ''] = await store.list();
      return (await verifyFiles(store, await store.read(name))).length === 0;
    } catch {
      return false;
    }
  };
  expect(await isWhole()).toBe(true);
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 7 }), async (which, at, bit) => {
      const file = files[which % files.length] ?? '';
      const content = await readFile(file);
      const changed = Buffer.from(content);
      changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ (1 << bit);
      await writeFile(file, changed);
      expect(await isWhole(), `${file} ${at} ${bit}`).toBe(false);
      await writeFile(file, content);
    }),
    { numRuns: 60 },
  );
});

it('a missing chunk is named, and the next backup of the same data stores it again', async () => {
  await using folder = await openFolder();
  const contents = { 'tollkeeper.duckdb': database(0) };
  const { store, manifest } = await back(folder, '2026-11-26T09:00:00.000Z', contents);
  const name = manifest.files[0]?.chunks[2] ?? '';
  await rm(join(store.folder, 'chunks', name.slice(0, 2), name));
  expect(await verifyFiles(store, manifest)).toMatchObject([
    { code: 'backup-damaged', message: expect.stringContaining(`the chunk ${name}`) },
  ]);
  await expect(restoreFiles(store, manifest, join(folder.path, 'to'))).rejects.toMatchObject({
    code: 'backup-damaged',
  });
  const again = await back(folder, '2026-11-27T09:00:00.000Z', contents);
  expect(again.newBytes).toBe(block);
  expect(await verifyFiles(store, manifest)).toEqual([]);
});

it('chunks without a manifest are no backup', async () => {
  await using folder = await openFolder();
  const { store } = await back(folder, '2026-11-26T09:00:00.000Z', { 'a.duckdb': database(0) });
  const [manifest = ''] = (await filesOf(store.folder)).filter((path) => path.endsWith('.manifest'));
  // As a crash leaves it between its writing and its renaming.
  await rename(manifest, `${manifest}.partial`);
  expect(await store.list()).toEqual([]);
});

it.each([
  ['holds the files of another program', 'other.txt', 'x', 'backup-foreign'],
  [
    'was written by another version',
    'tollkeeper-backups',
    'Backups of Tollkeeper, version 2.\n',
    'backup-newer',
  ],
])('a folder that %s is refused and stays as it is', async (_, name, text, code) => {
  await using folder = await openFolder();
  await folder.write(`backups/${name}`, text);
  await expect(openStore(join(folder.path, 'backups'))).rejects.toMatchObject({ code });
  expect(await folder.files()).toEqual([`backups/${name}`]);
});

it('a manifest of a newer version is refused', async () => {
  await using folder = await openFolder();
  const { store, manifest } = await back(folder, '2026-11-26T09:00:00.000Z', {});
  const json = JSON.stringify({ ...manifest, version: 2 });
  const hash = createHash('sha256').update(json).digest('hex');
  await writeFile(join(store.folder, 'backups/20261127T090000Z.manifest'), `${json}\n${hash}\n`);
  await expect(store.read('20261127T090000Z')).rejects.toMatchObject({ code: 'backup-newer' });
});
