import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore, readManifests, restoreFiles, storeFiles, verifyFiles } from '../../src/backup/index.ts';
import { isThere } from '../../src/core/index.ts';
import { openFolder } from '../support/program.ts';
import { back, block, database, filesOf, newIdentity, noise } from './support.ts';

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

it('a file whose manifest names chunks again and again is read no further than its stated size', async () => {
  await using folder = await openFolder();
  const { cipher, decipher } = await newIdentity();
  for (const ciphers of [{}, { cipher, decipher }]) {
    const root = join(folder.path, ciphers.cipher === undefined ? 'plain' : 'encrypted');
    const contents = { 'tollkeeper.duckdb': database(0) };
    const { store, manifest } = await back(folder, '2026-11-26T09:00:00.000Z', contents, ciphers, root);
    const [file] = manifest.files;
    if (file === undefined) throw new RangeError('no file');
    const [, chunk = ''] = file.chunks;
    const bomb = { ...manifest, files: [{ ...file, chunks: Array.from({ length: 40_000 }, () => chunk) }] };
    const damage = {
      code: 'backup-damaged',
      message: expect.stringContaining(`more bytes than the ${file.size} that`) as string,
    };
    expect(await verifyFiles(store, bomb)).toMatchObject([damage]);
    const to = join(root, 'to');
    await expect(restoreFiles(store, bomb, to)).rejects.toMatchObject(damage);
    expect((await stat(join(to, file.path))).size).toBeLessThanOrEqual(file.size);
  }
});

it('a folder of backups that cannot be read is named, and is neither empty nor a foreign one', async () => {
  await using folder = await openFolder();
  const { store } = await back(folder, '2026-11-26T09:00:00.000Z', { 'tollkeeper.duckdb': database(0) });
  const marker = join(store.folder, 'tollkeeper-backups');
  await rm(marker);
  await symlink(marker, marker);
  await expect(openStore(store.folder)).rejects.toMatchObject({
    code: 'backup-missing',
    message: `${marker} cannot be read (ELOOP)`,
  });
  const loop = join(folder.path, 'loop');
  await symlink(loop, loop);
  await expect(readManifests(loop)).rejects.toMatchObject({ code: 'backup-missing' });
  await expect(isThere(loop)).rejects.toMatchObject({
    code: 'path-unwritable',
    message: `${loop} cannot be read (ELOOP)`,
  });
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

it('a manifest of another shape is damaged, although its checksum is right', async () => {
  await using folder = await openFolder();
  const { store, manifest } = await back(folder, '2026-11-26T09:00:00.000Z', {});
  const json = JSON.stringify({ format: 'tollkeeper-backup', version: 1 });
  const hash = createHash('sha256').update(json).digest('hex');
  await writeFile(join(store.folder, 'backups/20261127T090000Z.manifest'), `${json}\n${hash}\n`);
  await expect(store.read('20261127T090000Z')).rejects.toMatchObject({
    code: 'backup-damaged',
    message: expect.stringContaining('is not a manifest'),
  });
  const named = JSON.stringify({
    ...manifest,
    files: [{ path: '../../etc/passwd', bytes: 0, sha256: 'x', chunks: [] }],
  });
  const sha256 = createHash('sha256').update(named).digest('hex');
  await writeFile(join(store.folder, 'backups/20261127T090000Z.manifest'), `${named}\n${sha256}\n`);
  await expect(store.read('20261127T090000Z')).rejects.toMatchObject({
    message: expect.stringMatching(/version 1: files\.0\.path: has an invalid form$/),
  });
});

it('a manifest of a newer version is refused', async () => {
  await using folder = await openFolder();
  const { store, manifest } = await back(folder, '2026-11-26T09:00:00.000Z', {});
  const json = JSON.stringify({ ...manifest, version: 2 });
  const hash = createHash('sha256').update(json).digest('hex');
  await writeFile(join(store.folder, 'backups/20261127T090000Z.manifest'), `${json}\n${hash}\n`);
  await expect(store.read('20261127T090000Z')).rejects.toMatchObject({ code: 'backup-newer' });
});

const [one, two, three] = [
  '2026-11-26T09:00:00.000Z',
  '2026-11-27T09:00:00.000Z',
  '2026-11-28T09:00:00.000Z',
];

it('a removed backup frees the chunks that no other one needs, and what interrupted backups left', async () => {
  await using folder = await openFolder();
  const { cipher, decipher } = await newIdentity();
  await back(folder, one, { 'a.duckdb': database(2) });
  await back(folder, two, { 'a.duckdb': database(3) });
  const { store } = await back(folder, three, { 'a.duckdb': database(3) }, { cipher, decipher });
  const partials = ['backups/20261125T090000Z.manifest.partial', `chunks/ab/${'ab'.repeat(32)}.partial`];
  for (const path of partials) await folder.write(`backups/${path}`, 'x');
  const before = await filesOf(store.folder);
  // Its own block and the partial chunk; the block of the second backup is still needed.
  expect(await store.remove(['20261126T090000Z'])).toEqual({ bytes: block + 1, faults: [] });
  expect((await filesOf(store.folder)).length).toBe(before.length - 4);
  expect(await store.list()).toEqual(['20261127T090000Z', '20261128T090000Z']);
  for (const name of await store.list())
    expect(await verifyFiles(store, await store.read(name)), name).toEqual([]);
  await store.remove(['20261127T090000Z']);
  expect((await filesOf(join(store.folder, 'chunks'))).every((file) => file.endsWith('.age'))).toBe(true);
  expect(await verifyFiles(store, await store.read('20261128T090000Z'))).toEqual([]);
  await store.remove(await store.list());
  expect(await filesOf(store.folder)).toEqual([join(store.folder, 'tollkeeper-backups')]);
  // The store knows that they are gone.
  await back(folder, one, { 'a.duckdb': database(3) });
  expect((await store.put(database(3).subarray(0, 100))).isNew).toBe(true);
});

it('no chunk is deleted while a remaining manifest cannot be read', async () => {
  await using folder = await openFolder();
  await back(folder, one, { 'a.duckdb': database(2) });
  await back(folder, two, { 'a.duckdb': database(3) });
  const { store } = await back(folder, three, { 'a.duckdb': database(3) });
  await folder.write('backups/backups/20261127T090000Z.manifest', 'damaged');
  const chunks = await filesOf(join(store.folder, 'chunks'));
  expect(await store.remove(['20261126T090000Z'])).toMatchObject({
    bytes: 0,
    faults: [{ code: 'backup-damaged', message: expect.stringContaining('20261127T090000Z.manifest') }],
  });
  expect(await filesOf(join(store.folder, 'chunks'))).toEqual(chunks);
  expect(await store.list()).toEqual(['20261127T090000Z', '20261128T090000Z']);
  expect((await store.remove(['20261127T090000Z'])).bytes).toBe(block);
});

it('a folder whose marker was interrupted becomes a store', async () => {
  await using folder = await openFolder();
  await folder.write('backups/tollkeeper-backups.partial', 'Back');
  const { store, manifest } = await back(folder, one, { 'a.duckdb': database(2) });
  expect(await verifyFiles(store, manifest)).toEqual([]);
});

it('a store that disappears is not created again elsewhere by the next chunk', async () => {
  await using folder = await openFolder();
  const root = join(folder.path, 'backups');
  const store = await openStore(root);
  await store.put(noise(block, 1));
  await rm(root, { recursive: true });
  await expect(store.put(noise(block, 2))).rejects.toMatchObject({ code: 'path-unwritable' });
  expect(await folder.files()).toEqual([]);
  expect(
    (await back(folder, '2026-11-26T09:00:00.000Z', { 'a.duckdb': database(0) })).newBytes,
  ).toBeGreaterThan(0);
});
