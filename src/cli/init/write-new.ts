import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, isThere, systemCode } from '../../core/index.ts';
import { unwritable } from '../ui/unwritable.ts';
import type { InitFile } from './files.ts';

const advice = 'make the folder writable, or choose another one; nothing was left there';

/**
 * Writes all files or none, and overwrites nothing. Secrets are readable by their owner alone.
 * @throws Fault `init-file-exists` naming every file that is there, `path-unwritable`, `disk-full`
 */
export const writeNew = async (folder: string, files: readonly InitFile[]): Promise<void> => {
  const there: string[] = [];
  for (const { path } of files) if (await isThere(join(folder, path))) there.push(path);
  if (there.length > 0)
    throw fault('init-file-exists', `${folder} already holds ${there.join(', ')}; nothing was written`);
  const written: string[] = [];
  for (const { path, text, isSecret } of files) {
    const whole = join(folder, path);
    try {
      const created = await mkdir(dirname(whole), { recursive: true });
      written.push(whole);
      await writeFile(whole, text, { flag: 'wx', mode: 0o600 });
      if (isSecret === true) continue;
      // The process creates private files; a container with another user reads these.
      if (created !== undefined) await chmod(dirname(whole), 0o755);
      await chmod(whole, 0o644);
    } catch (error) {
      // A file that another program wrote in the meantime is not ours to remove.
      if (systemCode(error) === 'EEXIST') written.pop();
      for (const one of written) await rm(one, { force: true });
      throw unwritable(whole, error, advice);
    }
  }
};
