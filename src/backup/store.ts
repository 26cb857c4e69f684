import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, hasCode, isFault, messageOf, syncPath, systemCode, type Fault } from '../core/index.ts';
import { makeFolder, openChunks, place, type Chunks, type StoreOptions } from './chunks.ts';
import { manifestText, nameOf, readManifest, type Manifest, type ManifestDraft } from './manifest.ts';
import { writable } from './writable.ts';

/**
 * A folder of backups. `chunks/ab/…` holds each chunk of a file once, by its SHA-256; `backups/AT.manifest` lists the
 * chunks of a backup. Paths, sizes and times of files stay readable in an encrypted backup,
 * and so do the SHA-256 of plain chunks: whoever reads the folder can confirm a guess of a whole chunk.
 */
export type BackupStore = Pick<Chunks, 'put' | 'get' | 'check' | 'discard'> & {
  readonly folder: string;
  /** Completes a backup, whose chunks are then on disk, and returns its name. */
  readonly complete: (draft: ManifestDraft) => Promise<string>;
  /** Names of the complete backups, such as `20261126T090000Z`, oldest first. */
  readonly list: () => Promise<readonly string[]>;
  /** Its facts are absent if they are encrypted and the store has no decipher. @throws fault backup-damaged, backup-newer, backup-identity */
  readonly read: (name: string) => Promise<Manifest>;
  /**
   * Deletes backups, then the chunks that no remaining one names and what interrupted backups left. No backup may be
   * written meanwhile. If a remaining manifest cannot be read, no chunk is deleted, and its fault is returned.
   * `bytes` is what was freed of chunks.
   */
  readonly remove: (
    names: readonly string[],
  ) => Promise<{ readonly bytes: number; readonly faults: readonly Fault[] }>;
};

const marker = 'tollkeeper-backups';
const markerText = 'Backups of Tollkeeper, version 1. Do not edit: `tollkeeper restore` reads this folder.\n';
const suffix = '.manifest';

/** Whether the folder is a store of backups, or empty; any other folder is refused. */
const checkFolder = async (folder: string): Promise<boolean> => {
  const unreadable = (path: string, error: unknown): Fault =>
    fault('backup-missing', `${path} cannot be read (${systemCode(error) ?? messageOf(error)})`, {
      cause: error,
    });
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  // A crash can leave the marker unfinished; anything else comes after it.
  if (names.every((name) => name === `${marker}.partial`)) return false;
  const text = await readFile(join(folder, marker), 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw unreadable(join(folder, marker), error);
  });
  if (text === markerText) return true;
  throw text === undefined
    ? fault('backup-foreign', `${folder} is not empty and contains no backups of Tollkeeper`)
    : fault('backup-newer', `${folder} was written by another version, or its file ${marker} is damaged`);
};

const listIn = async (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: unknown) => {
    throw fault('backup-damaged', `${folder} cannot be read: ${messageOf(error)}`, { cause: error });
  });

const storeIn = async (folder: string, options: StoreOptions): Promise<BackupStore> => {
  const { cipher, decipher } = options;
  const chunks = await openChunks(folder, options);
  const parent = join(folder, 'backups');
  const manifestOf = (name: string): string => join(parent, `${name}${suffix}`);

  const list = async (): Promise<readonly string[]> =>
    (await listIn(parent))
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length))
      .toSorted();

  const read = async (name: string, by?: StoreOptions['decipher']): Promise<Manifest> => {
    const file = manifestOf(name);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw fault('backup-damaged', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
    });
    return readManifest(text, file, by);
  };

  return {
    folder,
    put: chunks.put,
    get: chunks.get,
    check: chunks.check,
    discard: chunks.discard,
    complete: async (draft) => {
      await chunks.sync();
      const text = await manifestText(draft, cipher);
      await writable(folder, async () => {
        await place(manifestOf(nameOf(draft.at)), text);
        await syncPath(parent);
      });
      return nameOf(draft.at);
    },
    list,
    read: async (name) => read(name, decipher),
    remove: async (names) => {
      await writable(folder, async () => {
        for (const name of names) await rm(manifestOf(name), { force: true });
        for (const name of await listIn(parent)) if (name.endsWith('.partial')) await rm(join(parent, name));
        // A manifest that is back after a crash would name chunks that are gone.
        await syncPath(parent);
      });
      const manifests: Manifest[] = [];
      const faults: Fault[] = [];
      for (const name of await list()) {
        try {
          manifests.push(await read(name));
        } catch (error) {
          if (!isFault(error)) throw error;
          faults.push(error);
        }
      }
      return { bytes: faults.length > 0 ? 0 : await chunks.keepOnly(manifests), faults };
    },
  };
};

/** Opens a store of backups and changes nothing there; undefined if the folder is empty. @throws faults backup-foreign, backup-newer, backup-damaged */
export const readStore = async (folder: string, options: StoreOptions): Promise<BackupStore | undefined> =>
  (await checkFolder(folder)) ? storeIn(folder, options) : undefined;

/** Opens a store of backups, or makes one of an empty or new folder. @throws faults backup-foreign, backup-newer, path-unwritable, disk-full */
export const openStore = async (folder: string, options: StoreOptions = {}): Promise<BackupStore> => {
  await writable(folder, async () => mkdir(folder, { recursive: true, mode: 0o700 }));
  const isStore = await checkFolder(folder);
  await writable(folder, async () => {
    if (!isStore) await place(join(folder, marker), markerText);
    for (const name of ['chunks', 'backups']) await makeFolder(join(folder, name));
    await syncPath(folder);
  });
  return storeIn(folder, options);
};

/** Runs work that stores a backup. Chunks of one that does not fit take the space of other data, and each further try would add to them. */
export const discardIfFull = async <T>(
  store: Pick<BackupStore, 'discard'>,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, 'disk-full')) await store.discard();
    throw error;
  }
};
