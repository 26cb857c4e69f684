import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { openStore, storeFiles, type Facts, type Manifest } from '../../src/backup/index.ts';
import type { Cipher, Decipher } from '../../src/core/index.ts';
import { createCipher, createDecipher } from '../../src/keys/index.ts';
import type { Folder } from '../support/program.ts';

export const block = 262_144;

/** Bytes that differ by seed and position, so that no two blocks are equal. */
export const noise = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size);
  let state = seed * 2_654_435_761 + 1;
  for (let at = 0; at + 4 <= size; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
};

type Ciphers = { readonly cipher?: Cipher; readonly decipher?: Decipher };

/** An identity, what encrypts for it, and what decrypts with it. */
export const newIdentity = async () => {
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  const text = `# created: 2026-11-26T09:00:00Z\n# public key: ${recipient}\n${identity}\n`;
  return {
    identity,
    text,
    recipient,
    cipher: await createCipher([recipient]),
    decipher: await createDecipher(text),
  };
};

export const facts: Facts = {
  rows: { calls: 12 },
  charges: { main: '481.250000' },
  audit: { entries: 1, head: 'ab' },
};

/** Backs up the files, by name and content; the first one is the database. */
export const back = async (
  folder: Folder,
  at: string,
  contents: Readonly<Record<string, Buffer>>,
  ciphers: Ciphers = {},
  root = join(folder.path, 'backups'),
) => {
  const store = await openStore(root, ciphers);
  const sources = [];
  for (const [path, content] of Object.entries(contents)) {
    const file = join(folder.path, 'data', path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
    sources.push({ path, file, isDatabase: path.endsWith('.duckdb') });
  }
  const { files, bytes, newBytes } = await storeFiles(store, sources);
  await store.complete({ at, program: '0.1.0', schema: 30, files, facts });
  const manifest: Manifest = await store.read((await store.list()).at(-1) ?? '');
  return { store, manifest, bytes, newBytes };
};

export const database = (changed: number): Buffer =>
  Buffer.concat([
    noise(3 * 4096, 1),
    ...[2, 3, 4, 5].map((seed) => noise(block, seed === changed ? 99 : seed)),
  ]);

/** Every file of the store, by its path from there. */
export const filesOf = async (store: string): Promise<readonly string[]> =>
  (await readdir(store, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
