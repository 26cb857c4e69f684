import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { fault, isFault, messageOf, type Decipher, type Fault } from '../core/index.ts';
import { entriesFor, hashed, kindOf, kindSize, manifestEntry, sumsEntry } from './file-layout.ts';
import { nameOf, readManifest, type BackupFile, type Manifest } from './manifest.ts';
import { restoreFile, type OpenBackup } from './restore-files.ts';
import { entriesOf, tarOf, type NewEntry, type TarEntry } from './tar.ts';

const damaged = (message: string, cause?: unknown): Fault => fault('backup-damaged', message, { cause });

async function* bytesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(2 ** 18), 0, 2 ** 18, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** @throws fault backup-identity */
const decrypted = async (
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  decipher: Decipher | undefined,
): Promise<AsyncIterable<Uint8Array>> => {
  if (decipher === undefined)
    throw fault('backup-identity', `${path} is encrypted, and no identity is given`);
  return decipher.decryptStream(ReadableStream.from(bytes)).catch((error: unknown) => {
    throw fault(
      'backup-identity',
      `the identity does not decrypt ${path}, or the header of the file is damaged: ${messageOf(error)}`,
      { cause: error },
    );
  });
};

/** The tar in a file, decrypted. @throws fault backup-foreign, backup-identity */
async function* tarIn(path: string, decipher: Decipher | undefined): AsyncGenerator<Uint8Array> {
  await using handle = await open(path, 'r').catch((error: unknown) => {
    throw fault('backup-missing', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const first = Buffer.alloc(kindSize);
  await handle.read(first, 0, kindSize, 0);
  const kind = kindOf(first);
  if (kind === undefined)
    throw fault('backup-foreign', `${path} is not a backup of Tollkeeper, or its first bytes are damaged`, {
      advice: 'name a file that `tollkeeper backup` has written',
    });
  if (kind === 'tar') yield* bytesOf(handle);
  else yield* await decrypted(path, bytesOf(handle), decipher);
}

/** The entries of a backup in a file, in the order that its manifest states. */
type Entries = {
  /** @throws fault backup-damaged if another entry follows, or none, or one of another size */
  readonly next: (name: string, size?: number) => Promise<TarEntry>;
  /** @throws fault backup-damaged if an entry follows */
  readonly end: () => Promise<void>;
};

const textOf = async ({ content }: TarEntry): Promise<string> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

/** Reads the file from its beginning; `hash` gets the bytes of its tar. @throws fault backup-damaged for what cannot be read */
const readEntries = async <T>(
  path: string,
  decipher: Decipher | undefined,
  hash: Hash,
  work: (entries: Entries) => Promise<T>,
): Promise<T> => {
  const entries = entriesOf(hashed(tarIn(path, decipher), hash));
  try {
    return await work({
      next: async (name, size) => {
        const { value, done } = await entries.next();
        if (done === true) throw damaged(`${path} ends before its entry ${name}`);
        if (value.name !== name) throw damaged(`${path} contains ${value.name} where ${name} belongs`);
        if (size !== undefined && value.size !== size)
          throw damaged(`${name} has ${value.size} bytes in ${path}, and its manifest states ${size}`);
        return value;
      },
      end: async () => {
        const { value, done } = await entries.next();
        if (done !== true) throw damaged(`${path} contains ${value.name} behind its last entry`);
      },
    });
  } catch (error) {
    throw isFault(error) ? error : damaged(`${path} is damaged: ${messageOf(error)}`, error);
  } finally {
    await entries.return(undefined);
  }
};

/** The files whose content differs from the sums that the file states. */
const differences = (path: string, stated: string, computed: string): readonly Fault[] => {
  const lines = new Set(stated.split('\n'));
  return computed
    .split('\n')
    .filter((line) => !lines.has(line))
    .map((line) => damaged(`${line.slice(66)} in ${path} does not match its checksum`));
};

/**
 * The files of a backup, each as an entry that is to be read before the next, and the sums; `faults` gets the files
 * whose content differs from their sum.
 */
async function* checkedEntries(
  path: string,
  { next, end }: Entries,
  faults: Fault[],
): AsyncGenerator<NewEntry> {
  const text = await textOf(await next(manifestEntry));
  const manifest = await readManifest(text, path);
  const contentOf = async function* ({ path: name, size }: BackupFile): AsyncGenerator<Uint8Array> {
    yield* (await next(name, size)).content;
  };
  for await (const entry of entriesFor(text, manifest, contentOf)) {
    if (entry.name === sumsEntry)
      faults.push(...differences(path, await textOf(await next(sumsEntry)), await textOf(entry)));
    yield entry;
  }
  await end();
}

const verify = async (
  path: string,
  decipher: Decipher | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly Fault[]> => {
  const faults: Fault[] = [];
  const [read, expected] = [createHash('sha256'), createHash('sha256')];
  try {
    await readEntries(path, decipher, read, async (entries) => {
      // Written again from what was read, so that headers and padding are compared as well.
      for await (const piece of tarOf(checkedEntries(path, entries, faults))) {
        signal?.throwIfAborted();
        expected.update(piece);
      }
    });
    if (faults.length === 0 && read.digest('hex') !== expected.digest('hex'))
      faults.push(damaged(`${path} has headers or padding that Tollkeeper does not write`));
  } catch (error) {
    signal?.throwIfAborted();
    if (!isFault(error)) throw error;
    faults.push(error);
  }
  return faults;
};

const restore = async (
  path: string,
  decipher: Decipher | undefined,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const faults: Fault[] = [];
  try {
    await readEntries(path, decipher, createHash('sha256'), async (entries) => {
      for await (const entry of checkedEntries(path, entries, faults))
        if (![manifestEntry, sumsEntry].includes(entry.name))
          await restoreFile(folder, { path: entry.name, mode: entry.mode }, entry.content, signal);
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  const [first] = faults;
  if (first !== undefined) throw first;
};

/** A backup in a file, of which only the manifest was read. @throws fault backup-foreign, backup-identity, backup-damaged, backup-newer */
export const openBackupFile = async (path: string, decipher: Decipher | undefined): Promise<OpenBackup> => {
  const manifest: Manifest = await readEntries(path, decipher, createHash('sha256'), async ({ next }) =>
    readManifest(await textOf(await next(manifestEntry)), path),
  );
  return {
    name: nameOf(manifest.at),
    manifest,
    verify: async (signal) => verify(path, decipher, signal),
    restore: async (folder, signal) => restore(path, decipher, folder, signal),
  };
};
