import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fault,
  hasCode,
  isFault,
  messageOf,
  syncPath,
  systemCode,
  writeThrough,
  type Cipher,
  type Decipher,
} from '../core/index.ts';
import { sha256Of } from './manifest.ts';
import { writable } from './writable.ts';

/** A cipher encrypts what is written; a decipher reads it. */
export type StoreOptions = { readonly cipher?: Cipher | undefined; readonly decipher?: Decipher | undefined };

/**
 * The chunks of a store, each by the SHA-256 of its plain content. `recipients` are those of the manifest that names
 * the chunk, absent for a plain backup: an encrypted backup never relies on a plain chunk, or on one that its
 * recipients cannot decrypt.
 */
export type Chunks = {
  /** Stores a chunk unless it is there already, for the recipients of the cipher if there is one. */
  readonly put: (chunk: Uint8Array) => Promise<{ readonly name: string; readonly isNew: boolean }>;
  /** The plain content. @throws fault backup-damaged when it is missing or is not what its name says, backup-identity */
  readonly get: (name: string, recipients?: string) => Promise<Uint8Array>;
  /** As `get`, and returns the size of the plain content. Without an identity, the encrypted content is checked and the size is unknown. */
  readonly check: (name: string, recipients?: string) => Promise<number | undefined>;
  /** Puts on disk what was stored. */
  readonly sync: () => Promise<void>;
  /** Deletes the chunks that were stored since the store was opened, except those of a backup that was completed. */
  readonly discard: (completed?: ReadonlySet<string>) => Promise<void>;
  /** Deletes partial files and the chunks that none of these manifests names; returns how many bytes that freed. */
  readonly keepOnly: (manifests: readonly Named[]) => Promise<number>;
};

type Named = {
  readonly recipients?: string | undefined;
  readonly files: readonly { readonly chunks: readonly string[] }[];
};

/** `PLAIN`, or `PLAIN.RECIPIENTS.CIPHER.age`: the SHA-256 of the plain content and of the encrypted one. */
const filePattern = /^([0-9a-f]{64})(?:\.([0-9a-f]{16})\.([0-9a-f]{64})\.age)?$/;

const keyOf = (name: string, recipients: string | undefined): string => `${name} ${recipients ?? 'plain'}`;

/** A file that is complete or absent, after a crash as well; its folder is still to be synced. */
export const place = async (path: string, content: Uint8Array | string): Promise<void> => {
  const partial = `${path}.partial`;
  try {
    await writeThrough(partial, content);
    await rename(partial, path);
  } catch (error) {
    // On a full disk, it takes the space that the next backup needs.
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
};

/** Not its parents: a store that disappears is not created again on the disk below. */
export const makeFolder = async (path: string): Promise<void> =>
  mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });

const listFiles = async (root: string): Promise<readonly string[]> =>
  (
    await readdir(root, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      throw fault('backup-damaged', `${root} cannot be read: ${messageOf(error)}`, { cause: error });
    })
  )
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** The names of the files that hold a chunk; after a crash, a damaged one and its replacement. */
const indexOf = async (root: string): Promise<Map<string, readonly string[]>> => {
  const index = new Map<string, readonly string[]>();
  for (const file of await listFiles(root)) {
    const [, name, recipients] = filePattern.exec(file) ?? [];
    if (name === undefined) continue;
    const key = keyOf(name, recipients);
    index.set(key, [...(index.get(key) ?? []), file]);
  }
  return index;
};

/** Opens the chunks of the store in `folder`, whose names it reads once. */
export const openChunks = async (folder: string, { cipher, decipher }: StoreOptions): Promise<Chunks> => {
  const root = join(folder, 'chunks');
  const index = await indexOf(root);
  const touched = new Set<string>();
  /** Chunks that were written or read whole since the store was opened. */
  const seen = new Set<string>();
  /** Files of chunks that no earlier backup can name. */
  const added = new Set<string>();
  const parentOf = (file: string): string => join(root, file.slice(0, 2));
  const placeOf = (file: string): string => join(parentOf(file), file);

  const readFileOf = async (name: string, file: string): Promise<Uint8Array> => {
    const content = await readFile(placeOf(file)).catch((error: unknown) => {
      throw fault('backup-damaged', `the chunk ${name} of ${folder} cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    });
    const [, plain, , sealed = plain] = filePattern.exec(file) ?? [];
    if (sha256Of(content) !== sealed)
      throw fault('backup-damaged', `the chunk ${name} of ${folder} does not match its checksum`);
    return content;
  };

  /** The content of its file, which may be encrypted. */
  const stored = async (name: string, recipients: string | undefined): Promise<Uint8Array> => {
    let problem = fault('backup-damaged', `the chunk ${name} of ${folder} is missing`);
    for (const file of index.get(keyOf(name, recipients)) ?? []) {
      try {
        return await readFileOf(name, file);
      } catch (error) {
        if (!isFault(error)) throw error;
        problem = error;
      }
    }
    throw problem;
  };

  const get = async (name: string, recipients?: string): Promise<Uint8Array> => {
    const content = await stored(name, recipients);
    if (recipients === undefined) return content;
    if (decipher === undefined)
      throw fault('backup-identity', `the backup in ${folder} is encrypted, and no identity is given`);
    const plain = await decipher.decrypt(content).catch((error: unknown) => {
      throw fault(
        'backup-identity',
        `the identity does not decrypt the chunk ${name} of ${folder}: ${messageOf(error)}`,
        { cause: error },
      );
    });
    if (sha256Of(plain) !== name)
      throw fault('backup-damaged', `the chunk ${name} of ${folder} does not contain what its name says`);
    return plain;
  };

  return {
    put: async (chunk) => {
      const name = sha256Of(chunk);
      if (seen.has(name)) return { name, isNew: false };
      // A damaged chunk of an earlier backup is replaced: its content is here.
      const isStored = await stored(name, cipher?.recipients).then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, 'backup-damaged')) return false;
          throw error;
        },
      );
      if (isStored) {
        seen.add(name);
        return { name, isNew: false };
      }
      const content = cipher === undefined ? chunk : await cipher.encrypt(chunk);
      const file = cipher === undefined ? name : `${name}.${cipher.recipients}.${sha256Of(content)}.age`;
      await writable(folder, async () => {
        const parent = parentOf(file);
        await makeFolder(parent);
        await place(placeOf(file), content);
        touched.add(parent);
        const key = keyOf(name, cipher?.recipients);
        if (!index.has(key)) added.add(file);
        const damaged = (index.get(key) ?? []).filter((other) => other !== file);
        index.set(key, [file]);
        for (const other of damaged) await rm(placeOf(other), { force: true });
      });
      seen.add(name);
      return { name, isNew: true };
    },
    get,
    check: async (name, recipients) => {
      if (recipients === undefined || decipher !== undefined) return (await get(name, recipients)).byteLength;
      await stored(name, recipients);
      return undefined;
    },
    sync: async () =>
      writable(folder, async () => {
        for (const parent of [...touched, root]) await syncPath(parent);
        touched.clear();
      }),
    discard: async (completed = new Set()) => {
      for (const file of added) {
        const [, name = '', recipients] = filePattern.exec(file) ?? [];
        if (completed.has(name)) continue;
        await rm(placeOf(file), { force: true });
        index.delete(keyOf(name, recipients));
        seen.delete(name);
      }
      added.clear();
    },
    keepOnly: async (manifests) =>
      writable(folder, async () => {
        const kept = new Set(
          manifests.flatMap(({ files, recipients }) =>
            files.flatMap(({ chunks }) => chunks.map((name) => keyOf(name, recipients))),
          ),
        );
        let bytes = 0;
        for (const file of await listFiles(root)) {
          const [, name, recipients] = filePattern.exec(file) ?? [];
          const key = name === undefined ? undefined : keyOf(name, recipients);
          const isUnused = key === undefined ? file.endsWith('.partial') : !kept.has(key);
          if (!isUnused) continue;
          bytes += (await stat(placeOf(file))).size;
          await rm(placeOf(file));
          if (key !== undefined) index.delete(key);
          if (name !== undefined) seen.delete(name);
        }
        return bytes;
      }),
  };
};
