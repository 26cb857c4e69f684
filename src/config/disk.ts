import { readFile, readdir } from 'node:fs/promises';
import type { ConfigFiles } from './read-sources.ts';

/** Config files on the disk. */
export const configDisk: ConfigFiles = {
  readFile: (path) => readFile(path, 'utf8'),
  listFiles: (folder) => readdir(folder),
};
