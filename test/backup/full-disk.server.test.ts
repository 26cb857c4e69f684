import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBackup, packBackup } from '../../src/backup/index.ts';
import { openFolder, type Folder } from '../support/program.ts';
import { back, database, newIdentity } from './support.ts';

const command = promisify(execFile);
const at = '2026-11-26T09:00:00.000Z';
const contents = { 'a.duckdb': database(0), 'audit/keys.jsonl': Buffer.from('{"step":"created"}\n') };

let folder: Folder;
let disk: string;

/** A real file system whose size changes; mounting it takes root, which CI has. */
const resize = async (kibibytes: number): Promise<void> => {
  await command('mount', ['-o', `remount,size=${kibibytes}k`, disk]);
};

beforeEach(async () => {
  folder = await openFolder();
  disk = join(folder.path, 'disk');
  await mkdir(disk);
  await command('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
});
afterEach(async () => {
  await command('umount', [disk]);
  await folder[Symbol.asyncDispose]();
});

/** Every file on the disk that is a backup, or a part of one that an interrupted write left. */
const left = async (): Promise<readonly string[]> =>
  (await readdir(disk, { recursive: true })).filter((name) => /manifest$|partial$|tar$/.test(name));

/** Tries it with more and more space, which ends at each write in turn; returns how often it failed. */
const tryUntilWritten = async (work: () => Promise<unknown>): Promise<number> => {
  for (let tries = 0; tries < 400; tries += 1) {
    await resize(8 + tries * 8);
    const error = await work().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return tries;
    expect(error).toMatchObject({ code: 'disk-full' });
    expect(await left()).toEqual([]);
  }
  throw new Error('the backup was never written');
};

it.each(['plain', 'encrypted'])(
  'a full disk at any write leaves no complete %s backup, and the next one works',
  async (kind) => {
    const { cipher, decipher } = await newIdentity();
    const root = join(disk, 'backups');
    const keys = kind === 'plain' ? {} : { cipher, decipher };
    const failures = await tryUntilWritten(async () => back(folder, at, contents, keys, root));
    expect(failures).toBeGreaterThan(20);
    expect(await (await openBackup(root, { decipher })).verify()).toEqual([]);
  },
);

it.each(['plain', 'encrypted'])(
  'a full disk at any write leaves no %s file, and the next one works',
  async (kind) => {
    const { cipher, decipher } = await newIdentity();
    const { store, manifest } = await back(folder, at, contents);
    const file = join(disk, 'backup.tar');
    const keys = kind === 'plain' ? {} : { cipher };
    const failures = await tryUntilWritten(async () => packBackup(store, manifest, file, keys));
    expect(failures).toBeGreaterThan(20);
    expect(await (await openBackup(file, { decipher })).verify()).toEqual([]);

    // The older backup stays if the disk has no space for its replacement.
    const before = await readFile(file);
    await expect(packBackup(store, manifest, file, keys)).rejects.toMatchObject({ code: 'disk-full' });
    expect((await readFile(file)).equals(before)).toBe(true);
    expect(await left()).toEqual(['backup.tar']);
  },
);

it('a restore to a full disk says so', async () => {
  const { store, manifest } = await back(folder, at, contents);
  const file = join(folder.path, 'backup.tar');
  await packBackup(store, manifest, file);
  for (const [to, from] of Object.entries({ folder: store.folder, file }))
    await expect((await openBackup(from)).restore(join(disk, to))).rejects.toMatchObject({
      code: 'disk-full',
    });
});
