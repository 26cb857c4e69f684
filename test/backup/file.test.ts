import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openBackup, packBackup } from '../../src/backup/index.ts';
import { openFolder } from '../support/program.ts';
import { back, database, facts, newIdentity, noise } from './support.ts';

const command = promisify(execFile);
const at = '2026-11-26T09:00:00.000Z';
const contents = {
  'a.duckdb': database(0),
  'audit/keys.jsonl': Buffer.from('{"step":"created"}\n'),
  empty: Buffer.alloc(0),
  [`reports/${'long-'.repeat(40)}/Übersicht.csv`]: Buffer.from('a;b\n'),
};

it('a backup in a file restores byte for byte, and by hand with tar and sha256sum', async () => {
  await using folder = await openFolder();
  const { store, manifest } = await back(folder, at, contents);
  const file = join(folder.path, 'backup.tar');
  const { bytes } = await packBackup(store, manifest, file);
  expect((await stat(file)).size).toBe(bytes);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const opened = await openBackup(file);
  expect(opened.manifest).toMatchObject({ at, encrypted: false, facts });
  expect(await opened.verify()).toEqual([]);
  await opened.restore(join(folder.path, 'to'));
  await mkdir(join(folder.path, 'by-hand'));
  await command('tar', ['xf', file, '-C', join(folder.path, 'by-hand')]);
  await command('sha256sum', ['--check', '--quiet', 'backup.sha256'], { cwd: join(folder.path, 'by-hand') });
  for (const [path, content] of Object.entries(contents))
    for (const to of ['to', 'by-hand'])
      expect((await readFile(join(folder.path, to, path))).equals(content), `${to} ${path}`).toBe(true);
});

it('an encrypted backup in a file restores only with the identity', async () => {
  await using folder = await openFolder();
  const [{ cipher, decipher }, other] = [await newIdentity(), await newIdentity()];
  const { store, manifest } = await back(folder, at, contents);
  const file = join(folder.path, 'backup.tar.age');
  await packBackup(store, manifest, file, { cipher });
  expect((await readFile(file)).includes('audit/keys.jsonl')).toBe(false);
  await expect(openBackup(file)).rejects.toMatchObject({ code: 'backup-identity' });
  await expect(openBackup(file, { decipher: other.decipher })).rejects.toMatchObject({
    code: 'backup-identity',
    message: expect.stringContaining('the identity does not decrypt'),
  });
  const opened = await openBackup(file, { decipher });
  expect(opened.manifest).toMatchObject({ at, encrypted: true, facts });
  expect(await opened.verify()).toEqual([]);
  await opened.restore(join(folder.path, 'to'));
  for (const [path, content] of Object.entries(contents))
    expect((await readFile(join(folder.path, 'to', path))).equals(content), path).toBe(true);
  // As `age -d` writes it: a tar like any other.
  const tar = join(folder.path, 'decrypted.tar');
  await writeFile(tar, await decipher.decrypt(await readFile(file)));
  expect((await command('tar', ['tf', tar])).stdout.split('\n')).toEqual(
    expect.arrayContaining(['backup.manifest', 'a.duckdb', 'audit/keys.jsonl', 'backup.sha256']),
  );
});

it('an encrypted backup of a folder becomes a file only with the identity', async () => {
  await using folder = await openFolder();
  const { cipher, decipher } = await newIdentity();
  const file = join(folder.path, 'backup.tar');
  const sealed = await back(folder, at, contents, { cipher });
  await expect(packBackup(sealed.store, sealed.manifest, file)).rejects.toMatchObject({
    code: 'backup-identity',
  });
  const { store, manifest } = await back(folder, at, contents, { cipher, decipher });
  await packBackup(store, manifest, file);
  expect(await (await openBackup(file)).verify()).toEqual([]);
});

it('a file that an earlier version wrote is the file that this version would write', async () => {
  await using folder = await openFolder();
  const { store, manifest } = await back(folder, at, contents);
  const file = join(folder.path, 'backup.tar');
  const files = manifest.files.map((one) => ({ ...one, mode: 0o600 }));
  await packBackup(store, { ...manifest, files }, file);
  // A change of this value makes `verify` report every older file as damaged: keep the headers as they are.
  expect(
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ).toBe('8efedbb0d9bbc822620e5983424ba0284266c0bbb400dae10725d7d77593d7ac');
});

it.each([
  ['another tar', 'tar'],
  ['a file that age encrypted for something else', 'age'],
  ['a text', 'text'],
  ['an empty file', 'empty'],
  ['a folder', 'folder'],
])('%s is not replaced by a backup', async (_, kind) => {
  await using folder = await openFolder();
  const { store, manifest } = await back(folder, at, contents);
  const file = join(folder.path, 'target');
  if (kind === 'folder') await mkdir(file);
  else if (kind === 'tar') await command('tar', ['cf', file, '-C', folder.path, 'data']);
  else {
    const age = 'age-encryption.org/v1\n-> X25519 abc\nabc\n--- abc\n';
    await writeFile(file, { age, text: 'notes', empty: '' }[kind] ?? '');
  }
  const before = kind === 'folder' ? undefined : await readFile(file);
  await expect(packBackup(store, manifest, file)).rejects.toMatchObject({ code: 'backup-foreign' });
  if (before === undefined) return;
  expect(await readFile(file)).toEqual(before);
  await expect(openBackup(file)).rejects.toMatchObject({ code: 'backup-foreign' });
});

it('an older backup in the file is replaced, and stays whole if the new one fails or is aborted', async () => {
  await using folder = await openFolder();
  const { cipher } = await newIdentity();
  const { store, manifest } = await back(folder, at, { 'a.duckdb': database(0) });
  const file = join(folder.path, 'backup.tar');
  await packBackup(store, manifest, file);
  const before = await readFile(file);

  const broken = {
    ...manifest,
    files: [...manifest.files, { path: 'b', size: 1, mode: 0o600, chunks: ['0'.repeat(64)] }],
  };
  for (const options of [{}, { cipher }])
    await expect(packBackup(store, broken, file, options)).rejects.toMatchObject({ code: 'backup-damaged' });
  const stop = new AbortController();
  const reason = new Error('stopped');
  const aborting = { ...store, get: async (name: string) => (stop.abort(reason), store.get(name)) };
  for (const options of [{}, { cipher }])
    await expect(packBackup(aborting, manifest, file, { ...options, signal: stop.signal })).rejects.toBe(
      reason,
    );
  expect((await folder.files()).filter((name) => name.includes('partial'))).toEqual([]);
  expect((await readFile(file)).equals(before)).toBe(true);

  await packBackup(store, { ...manifest, at: '2026-11-27T09:00:00.000Z' }, file);
  expect((await openBackup(file)).manifest.at).toBe('2026-11-27T09:00:00.000Z');
});

it('a backup in a file is written in constant memory', async () => {
  await using folder = await openFolder();
  const { store, manifest } = await back(folder, at, { large: noise(16 * 2 ** 20, 7) });
  const file = join(folder.path, 'backup.tar');
  let [read, ahead] = [0, 0];
  const watched = {
    ...store,
    get: async (name: string) => {
      const written = await stat(`${file}.partial`);
      ahead = Math.max(ahead, read - written.size);
      const chunk = await store.get(name);
      read += chunk.byteLength;
      return chunk;
    },
  };
  await packBackup(watched, manifest, file);
  expect(read).toBe(16 * 2 ** 20);
  expect(ahead).toBeLessThan(4 * 2 ** 20);
});

/** The open files of this process below a folder. */
const openFiles = async (folder: string): Promise<readonly string[]> => {
  const links = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    links.map(async (link) => readlink(`/proc/self/fd/${link}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(folder));
};

it('verification and restore end with the reason of an abort, and close the file', async () => {
  await using folder = await openFolder();
  const { cipher, decipher } = await newIdentity();
  const { store, manifest } = await back(folder, at, { large: noise(8 * 2 ** 20, 7) });
  const plain = join(folder.path, 'backup.tar');
  const sealed = join(folder.path, 'backup.tar.age');
  await packBackup(store, manifest, plain);
  await packBackup(store, manifest, sealed, { cipher });
  const reason = new Error('stopped');
  for (const [index, from] of [store.folder, plain, sealed].entries()) {
    const opened = await openBackup(from, { decipher });
    await expect(opened.verify(AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(opened.restore(join(folder.path, `to-${index}`), AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  }
  expect(await openFiles(folder.path)).toEqual([]);
});
