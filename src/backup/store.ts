import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fault,
  hasCode,
  messageOf,
  syncPath,
  systemCode,
  writeThrough,
  type Cipher,
  type Decipher,
} from '../core/index.ts';
import { manifestText, readManifest, sha256Of, type Manifest, type ManifestDraft } from './manifest.ts';

/**
 * A folder of backups. `chunks/ab/…` holds each chunk of a file once, by its SHA-256; `backups/AT.manifest` lists the
 * chunks of a backup. Paths, sizes and times of files stay readable in an encrypted backup.
 */
export type BackupStore = {
  readonly folder: string;
  /** Stores a chunk unless it is there already; returns its name and whether it is new. */
  readonly put: (chunk: Uint8Array) => Promise<{ readonly name: string; readonly isNew: boolean }>;
  /** Removes chunks that no backup uses. */
  readonly drop: (names: readonly string[]) => Promise<void>;
  /** @throws fault backup-damaged when it is missing or is not what its name says. */
  readonly get: (name: string) => Promise<Uint8Array>;
  /** Completes a backup, whose chunks are then on disk, and returns its name. */
  readonly complete: (draft: ManifestDraft) => Promise<string>;
  /** Names of the complete backups, such as `20261126T090000Z`, oldest first. */
  readonly list: () => Promise<readonly string[]>;
  /** Its facts are absent if they are encrypted and the store has no decipher. @throws fault backup-damaged, backup-newer, backup-identity */
  readonly read: (name: string) => Promise<Manifest>;
};

/** A cipher encrypts what is written; a decipher reads it. */
type StoreOptions = { readonly cipher?: Cipher | undefined; readonly decipher?: Decipher | undefined };

const marker = 'tollkeeper-backups';
const markerText = 'Backups of Tollkeeper, version 1. Do not edit: `tollkeeper restore` reads this folder.\n';
const suffix = '.manifest';

/** ISO 8601 as a name that every file system and shell takes: `20261126T090000Z`. */
const nameOf = (at: string): string => at.replaceAll(/[-:]|\.\d+/g, '');

const writable = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw fault(full ? 'disk-full' : 'path-unwritable', `${folder}: ${messageOf(error)}`, { cause: error });
  }
};

/** Whether the folder is a store of backups, or empty; anything else belongs to someone else. */
const checkFolder = async (folder: string): Promise<boolean> => {
  const names = await readdir(folder);
  if (names.length === 0) return false;
  const text = await readFile(join(folder, marker), 'utf8').catch(() => undefined);
  if (text === markerText) return true;
  throw text === undefined
    ? fault('backup-foreign', `${folder} is not empty and holds no backups of Tollkeeper`)
    : fault('backup-newer', `${folder} was written by another version, or its file ${marker} is damaged`);
};

const storeIn = (folder: string, { cipher, decipher }: StoreOptions): BackupStore => {
  const placeOf = (name: string): string => join(folder, 'chunks', name.slice(0, 2), name);
  const manifestOf = (name: string): string => join(folder, 'backups', `${name}${suffix}`);
  const touched = new Set<string>();
  /** Chunks that this store has written or read whole. */
  const seen = new Set<string>();

  /** A file that is complete or absent, after a crash as well; its folder is synced at the end of the backup. */
  const place = async (path: string, content: Uint8Array | string): Promise<void> => {
    const partial = `${path}.partial`;
    await writeThrough(partial, content);
    await rename(partial, path);
  };

  const get = async (name: string): Promise<Uint8Array> => {
    const chunk = await readFile(placeOf(name)).catch((error: unknown) => {
      throw fault('backup-damaged', `the chunk ${name} of ${folder} cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    });
    if (sha256Of(chunk) !== name)
      throw fault('backup-damaged', `the chunk ${name} of ${folder} does not match its checksum`);
    return chunk;
  };

  return {
    folder,
    put: async (chunk) => {
      const name = sha256Of(chunk);
      // A damaged chunk of an earlier backup is replaced: its content is here.
      if (seen.has(name)) return { name, isNew: false };
      const isStored = await get(name).then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, 'backup-damaged')) return false;
          throw error;
        },
      );
      if (!isStored)
        await writable(folder, async () => {
          const parent = join(folder, 'chunks', name.slice(0, 2));
          await mkdir(parent, { recursive: true, mode: 0o700 });
          await place(placeOf(name), chunk);
          touched.add(parent);
        });
      seen.add(name);
      return { name, isNew: !isStored };
    },
    drop: async (names) => {
      for (const name of names) await rm(placeOf(name), { force: true });
    },
    get,
    complete: async (draft) =>
      writable(folder, async () => {
        for (const parent of [...touched, join(folder, 'chunks')]) await syncPath(parent);
        touched.clear();
        const text = await manifestText(draft, { encrypted: cipher !== undefined, cipher });
        await place(manifestOf(nameOf(draft.at)), text);
        await syncPath(join(folder, 'backups'));
        return nameOf(draft.at);
      }),
    list: async () =>
      (await readdir(join(folder, 'backups')))
        .filter((name) => name.endsWith(suffix))
        .map((name) => name.slice(0, -suffix.length))
        .toSorted(),
    read: async (name) => {
      const file = manifestOf(name);
      return readManifest(await readFile(file, 'utf8'), file, decipher);
    },
  };
};

/** Opens a store of backups, or makes one of an empty or new folder. @throws faults backup-foreign, backup-newer, path-unwritable, disk-full */
export const openStore = async (folder: string, options: StoreOptions = {}): Promise<BackupStore> => {
  await writable(folder, async () => mkdir(folder, { recursive: true, mode: 0o700 }));
  if (!(await checkFolder(folder)))
    await writable(folder, async () => {
      for (const name of ['chunks', 'backups'])
        await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
      await writeThrough(join(folder, marker), markerText);
      await syncPath(folder);
    });
  return storeIn(folder, options);
};
