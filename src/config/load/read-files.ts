import { createHash } from 'node:crypto';
import { messageOf, systemCode } from '../../core/index.ts';
import type { ConfigFiles } from './read-sources.ts';

/** The sources of a config: YAML, secrets and certificates, and the folders that were listed. */
export type ReadFiles = { readonly files: readonly string[]; readonly folders: readonly string[] };

export type Recorder = {
  /** The same files; every read is recorded. */
  readonly files: Required<ConfigFiles>;
  readonly read: () => ReadFiles;
  /** One hash over everything that was read, as it was then. */
  readonly fingerprint: () => string;
};

const hash = (text: string): string => createHash('sha256').update(text).digest('base64');

const absence = (error: unknown): string => `none: ${systemCode(error) ?? messageOf(error)}`;

/** Editors and mounts leave files that are not part of the config: `.a.yaml.swp`, `a.yaml~`, `..data`. */
const counts = (name: string): boolean => !name.startsWith('.') && !name.endsWith('~');

/** Records every read; of a file read twice, the first state. Stores only hashes of contents. */
export const recordReads = (files: ConfigFiles): Recorder => {
  const contents = new Map<string, string>();
  const listings = new Map<string, string>();
  const note = (known: Map<string, string>, path: string, state: string): void => {
    if (!known.has(path)) known.set(path, state);
  };
  const hashOf = files.hashFile ?? (async (path) => hash(await files.readFile(path)));
  return {
    files: {
      hashFile: async (path) => {
        try {
          const hashed = await hashOf(path);
          note(contents, path, hashed);
          return hashed;
        } catch (error) {
          note(contents, path, absence(error));
          throw error;
        }
      },
      readFile: async (path) => {
        try {
          const text = await files.readFile(path);
          note(contents, path, hash(text));
          return text;
        } catch (error) {
          note(contents, path, absence(error));
          throw error;
        }
      },
      listFiles: async (folder) => {
        try {
          const names = await files.listFiles(folder);
          note(listings, folder, hash(JSON.stringify(names.filter(counts).sort())));
          return names;
        } catch (error) {
          note(listings, folder, absence(error));
          throw error;
        }
      },
    },
    read: () => ({ files: [...contents.keys()].sort(), folders: [...listings.keys()].sort() }),
    fingerprint: () => hash(JSON.stringify([[...contents].sort(byPath), [...listings].sort(byPath)])),
  };
};

const byPath = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : left > right ? 1 : 0;

/** Maximum number of files read at once. */
const together = 8;

/**
 * The fingerprint of the current files; equal to that of a load until one of its sources changes. A missing file or
 * folder is a state like any other. Never rejects; does not keep the contents.
 */
export const fingerprintConfig = async (files: ConfigFiles, what: ReadFiles): Promise<string> => {
  const recorder = recordReads(files);
  const ignore = (): void => undefined;
  for (const folder of what.folders) await recorder.files.listFiles(folder).then(ignore, ignore);
  const waiting = what.files.values();
  const work = async (): Promise<void> => {
    for (const path of waiting) await recorder.files.hashFile(path).then(ignore, ignore);
  };
  await Promise.all(Array.from({ length: together }, work));
  return recorder.fingerprint();
};
