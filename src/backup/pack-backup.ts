import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fault, hasCode, syncPath, systemCode, type Cipher } from '../core/index.ts';
import { entriesFor, kindOf, kindSize } from './file-layout.ts';
import { packedManifestText, type Manifest } from './manifest.ts';
import { contentOf } from './restore-files.ts';
import type { BackupStore } from './store.ts';
import { tarOf } from './tar.ts';
import { writable } from './writable.ts';

type PackOptions = { readonly cipher?: Cipher | undefined; readonly signal?: AbortSignal | undefined };

/** @throws fault backup-foreign if the file exists and is not a backup */
const refuseForeign = async (file: string): Promise<void> => {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (handle === undefined) return;
  try {
    const first = Buffer.alloc(kindSize);
    const isFile = (await handle.stat()).isFile();
    if (isFile) await handle.read(first, 0, kindSize, 0);
    if (kindOf(first) === undefined)
      throw fault('backup-foreign', `${file} exists and is not a backup of Tollkeeper`, {
        advice: 'choose a new file, or one that `tollkeeper backup` has written',
      });
  } finally {
    await handle.close();
  }
};

/** On disk when it resolves. */
const writeAll = async (
  path: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<{ readonly bytes: number; readonly hash: string }> => {
  const handle = await open(path, 'w', 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of content) {
      signal?.throwIfAborted();
      hash.update(piece);
      await handle.writeFile(piece);
      bytes += piece.byteLength;
    }
    await handle.sync();
    return { bytes, hash: hash.digest('hex') };
  } finally {
    await handle.close();
  }
};

const hashOf = async (path: string, signal: AbortSignal | undefined): Promise<string> => {
  const hash = createHash('sha256');
  const handle = await open(path, 'r');
  for await (const piece of handle.createReadStream({ highWaterMark: 2 ** 18 })) {
    signal?.throwIfAborted();
    hash.update(piece as Buffer);
  }
  return hash.digest('hex');
};

/**
 * Writes a backup of a store as one file, a tar that `tar xf` restores by hand; with a cipher, `age -d FILE | tar x`.
 * It is read back before it replaces an older backup of that name. Paths, sizes and times stay readable in a tar and
 * not in an encrypted one. `bytes` is the size of the file.
 * @throws faults backup-foreign, backup-damaged, backup-identity, disk-full, path-unwritable; the signal's reason
 */
export const packBackup = async (
  store: BackupStore,
  manifest: Manifest,
  file: string,
  { cipher, signal }: PackOptions = {},
): Promise<{ readonly bytes: number }> => {
  const { facts } = manifest;
  if (facts === undefined)
    throw fault('backup-identity', `the backup in ${store.folder} is encrypted, and no identity is given`);
  const partial = `${file}.partial`;
  // The sums at the end of the file stand in for the chunks, which exist only in a folder.
  const files = manifest.files.map((one) => ({ ...one, chunks: [] }));
  const text = packedManifestText({ ...manifest, files, facts }, cipher !== undefined);
  const tar = tarOf(entriesFor(text, manifest, (one) => contentOf(store, manifest, one)));
  try {
    return await writable(file, async () => {
      await refuseForeign(file);
      const content = cipher === undefined ? tar : await cipher.encryptStream(ReadableStream.from(tar));
      const { bytes, hash } = await writeAll(partial, content, signal);
      if ((await hashOf(partial, signal)) !== hash)
        throw fault('backup-damaged', `${partial} does not contain what was written`, {
          advice: 'check the disk, or choose another one',
        });
      await rename(partial, file);
      await syncPath(dirname(file));
      return { bytes };
    });
  } catch (error) {
    if (!hasCode(error, 'backup-foreign')) await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
};
