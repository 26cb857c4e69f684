import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openBackup, packBackup, type OpenBackup } from '../../src/backup/index.ts';
import { isFault, type Decipher } from '../../src/core/index.ts';
import { openFolder, type Folder } from '../support/program.ts';
import { back, filesOf, newIdentity, noise } from './support.ts';

const command = promisify(execFile);
const at = '2026-11-26T09:00:00.000Z';
const contents = {
  'a.duckdb': noise(3 * 4096 + 20_000, 1),
  'audit/keys.jsonl': Buffer.from('{"step":"created"}\n'),
  empty: Buffer.alloc(0),
  [`reports/${'long-'.repeat(40)}/Übersicht.csv`]: Buffer.from('a;b\n'),
};

const isEncrypted = (kind: string): boolean => kind.startsWith('an encrypted');

/** A backup of the kind, the files that it consists of, and what reads it. */
const write = async (folder: Folder, kind: string) => {
  const { cipher, decipher } = await newIdentity();
  const keys = isEncrypted(kind) ? { cipher, decipher } : {};
  const { store, manifest } = await back(folder, at, contents, keys);
  if (kind.endsWith('folder')) return { from: store.folder, files: await filesOf(store.folder), decipher };
  const from = join(folder.path, 'backup.tar');
  await packBackup(store, manifest, from, keys);
  return { from, files: [from], decipher };
};

/** The codes and messages of what is found by opening and verifying; any error that is no fault is thrown. */
const findFaults = async (from: string, decipher?: Decipher): Promise<readonly string[]> => {
  try {
    const opened: OpenBackup = await openBackup(from, { decipher });
    return (await opened.verify()).map(({ code, message }) => `${code}: ${message}`);
  } catch (error) {
    if (!isFault(error)) throw error;
    return [`${error.code}: ${error.message}`];
  }
};

const kinds = ['a folder', 'an encrypted folder', 'a file', 'an encrypted file'];

it.each(kinds)('each of 200 flipped bits in %s is found', async (kind) => {
  await using folder = await openFolder();
  const { from, files, decipher } = await write(folder, kind);
  // The encrypted content of a folder is checked without an identity as well.
  const readers = kind === 'an encrypted folder' ? [decipher, undefined] : [decipher];
  for (const reader of readers) expect(await findFaults(from, reader)).toEqual([]);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat({ max: 2 ** 30 }),
      fc.integer({ min: 0, max: 7 }),
      async (which, at, bit) => {
        const file = files[which % files.length] ?? '';
        const content = await readFile(file);
        const changed = Buffer.from(content);
        const position = at % changed.length;
        changed[position] = (changed[position] ?? 0) ^ (1 << bit);
        await writeFile(file, changed);
        for (const reader of readers)
          expect(await findFaults(from, reader), `${file} ${position} ${bit}`).not.toEqual([]);
        await writeFile(file, content);
      },
    ),
    { numRuns: 200, seed: 20_261_126 },
  );
});

it.each(['a file', 'an encrypted file'])(
  '%s that is truncated or continued anywhere is damaged',
  async (kind) => {
    await using folder = await openFolder();
    const { from, decipher } = await write(folder, kind);
    const content = await readFile(from);
    const { length } = content;
    const middle = Math.floor(length / 2);
    for (const size of [0, 1, 200, 511, 512, 513, 1024, middle, length - 1024, length - 512, length - 1]) {
      await writeFile(from, content.subarray(0, size));
      expect(await findFaults(from, decipher), `${size} of ${length}`).toHaveLength(1);
      // A tar ends with 1024 zeros: without them, no content is lost.
      if (size < 1024 || (kind === 'a file' && size >= length - 1024)) continue;
      const to = join(folder.path, `to-${size}`);
      await expect(
        openBackup(from, { decipher }).then(async (opened) => opened.restore(to)),
        `${size}`,
      ).rejects.toMatchObject({ code: 'backup-damaged' });
    }
    for (const more of [Buffer.alloc(1), Buffer.alloc(512), Buffer.from('more'), content]) {
      await writeFile(from, Buffer.concat([content, more]));
      expect(await findFaults(from, decipher), `${more.length} more`).toHaveLength(1);
    }
  },
);

/** Extracts the file, applies the change, and writes the entries with another tar. */
const rewrite = async (from: string, folder: string, change: (folder: string) => Promise<unknown>) => {
  const { stdout } = await command('tar', ['tf', from, '--quoting-style=literal']);
  await mkdir(folder);
  await command('tar', ['xf', from, '-C', folder]);
  await change(folder);
  const names = join(folder, '..', 'names');
  await writeFile(names, stdout);
  await command('tar', [
    'cf',
    from,
    '--format=pax',
    '--pax-option=delete=atime,delete=ctime',
    '--mtime=@1795683600',
    '-C',
    folder,
    '-T',
    names,
    '--no-recursion',
  ]).catch(() => undefined);
};

it.each([
  [
    'a byte changed',
    async (folder: string) => writeFile(join(folder, 'audit/keys.jsonl'), '{"step":"deleted"}\n'),
    /: audit\/keys\.jsonl .* checksum$/,
  ],
  [
    'become shorter',
    async (folder: string) => writeFile(join(folder, 'audit/keys.jsonl'), '{}\n'),
    /: audit\/keys\.jsonl has 3 bytes .* states 19$/,
  ],
  [
    'become longer',
    async (folder: string) => writeFile(join(folder, 'empty'), 'x'),
    /: empty has 1 bytes .* states 0$/,
  ],
  [
    'been lost',
    async (folder: string) => rm(join(folder, 'audit/keys.jsonl')),
    / contains empty where audit\/keys\.jsonl belongs$/,
  ],
])('a file in which an entry has %s is damaged, and the entry is named', async (_, change, message) => {
  await using folder = await openFolder();
  const { from, decipher } = await write(folder, 'a file');
  await rewrite(from, join(folder.path, 'by-hand'), change);
  const found = await findFaults(from, decipher);
  expect(found).toEqual([expect.stringMatching(/^backup-damaged: /)]);
  expect(found[0]).toContain(from);
  expect(found[0]).toMatch(message);
  const opened = await openBackup(from);
  await expect(opened.restore(join(folder.path, 'to'))).rejects.toMatchObject({ code: 'backup-damaged' });
});

it('a file with an additional entry is damaged', async () => {
  await using folder = await openFolder();
  const { from } = await write(folder, 'a file');
  await folder.write('other.txt', 'x');
  await command('tar', ['rf', from, '-C', folder.path, 'other.txt']);
  expect(await findFaults(from)).toEqual([expect.stringMatching(/^backup-damaged: .* other\.txt behind /)]);
});

it.each([
  ['the name of an owner, with a checksum that fits', 265],
  ['the padding behind an entry', undefined],
])('a file is damaged if %s differs from what is written', async (_, place) => {
  await using folder = await openFolder();
  const { from } = await write(folder, 'a file');
  const content = await readFile(from);
  const size = Number.parseInt(content.toString('latin1', 124, 135), 8);
  content[place ?? 512 + size] = 1;
  content.write(' '.repeat(8), 148);
  const sum = content.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  content.write(`${sum.toString(8).padStart(6, '0')} \0`, 148);
  await writeFile(from, content);
  expect(await findFaults(from)).toEqual([expect.stringMatching(/^backup-damaged: .* headers or padding/)]);
});

it('a file of a newer version is refused', async () => {
  await using folder = await openFolder();
  const { from } = await write(folder, 'a file');
  await rewrite(from, join(folder.path, 'by-hand'), async (by) => {
    const [json = ''] = (await readFile(join(by, 'backup.manifest'), 'utf8')).split('\n');
    const newer = json.replace('"version":1', '"version":2');
    const hash = createHash('sha256').update(newer).digest('hex');
    await writeFile(join(by, 'backup.manifest'), `${newer}\n${hash}\n`);
  });
  await expect(openBackup(from)).rejects.toMatchObject({ code: 'backup-newer' });
});

it('a missing place, an empty folder, a folder of something else, and an unknown name are refused', async () => {
  await using folder = await openFolder();
  const { from } = await write(folder, 'a folder');
  await mkdir(join(folder.path, 'empty'));
  const refusal = async (path: string, name?: string) =>
    openBackup(path, { name }).catch((error: unknown) => error);
  for (const [path, code, message] of [
    ['nowhere', 'backup-missing', 'there is no'],
    ['empty', 'backup-missing', 'is empty'],
    ['data', 'backup-foreign', 'contains no backups of Tollkeeper'],
  ] as const)
    expect(await refusal(join(folder.path, path))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  expect(await folder.files()).not.toContain('empty/tollkeeper-backups');
  expect(await refusal(from, '20250101T000000Z')).toMatchObject({
    code: 'backup-missing',
    message: expect.stringContaining('it contains 20261126T090000Z'),
  });
  await rm(join(from, 'backups/20261126T090000Z.manifest'));
  expect(await refusal(from)).toMatchObject({
    code: 'backup-missing',
    message: expect.stringContaining('no complete backup'),
  });
});

it.each(['chunks', 'backups'])('a folder of backups without its folder %s is damaged', async (name) => {
  await using folder = await openFolder();
  const { from } = await write(folder, 'a folder');
  await rm(join(from, name), { recursive: true });
  expect(await findFaults(from)).toEqual([expect.stringContaining(`${name} cannot be read`)]);
});
