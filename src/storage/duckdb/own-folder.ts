import { mkdir } from 'node:fs/promises';
import { fault, systemCode } from '../../core/index.ts';

/** Creates a folder, and its parents, unless it exists. @throws faults disk-full, path-unwritable. */
export const ownFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = systemCode(error) === 'ENOSPC' ? 'disk-full' : 'path-unwritable';
    throw fault(code, `the folder ${path} cannot be created (${systemCode(error) ?? 'unknown'})`, {
      cause: error,
    });
  }
};
