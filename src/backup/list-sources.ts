import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../core/index.ts';
import type { BackupSource } from './write-backup.ts';

/** Files that are being written, which nothing refers to yet. */
const isDraft = (name: string): boolean => name.startsWith('.') || /\.(tmp|draft|partial)$/.test(name);

/**
 * The files below a folder as they are now, by path, for folders whose files are replaced whole. Empty when the folder does not
 * exist. `path` is the path of the folder in the manifest.
 */
export const listSources = async (folder: string, path: string): Promise<readonly BackupSource[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const sources: BackupSource[] = [];
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (isDraft(entry.name)) continue;
    const inner = { file: join(folder, entry.name), path: `${path}/${entry.name}` };
    if (entry.isDirectory()) sources.push(...(await listSources(inner.file, inner.path)));
    else if (entry.isFile()) sources.push({ ...inner, expected: await lstat(inner.file) });
  }
  return sources;
};
