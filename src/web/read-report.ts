import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** Does not follow a link, and does not block on a pipe. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Names of jobs and slot folders: without a leading dot or a path separator, so that no name leaves the archive. */
const isFolderName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(name);

/** The HTML of an archived report; undefined if it is missing or not a plain file in the archive. */
export const readReport = async (archive: string, job: string, slot: string): Promise<string | undefined> => {
  if (!isFolderName(job) || !isFolderName(slot)) return undefined;
  try {
    const folder = join(await realpath(archive), job, slot);
    // A link in the path would lead out of the archive.
    if ((await realpath(folder)) !== folder) return undefined;
    await using file = await open(join(folder, 'report.html'), flags);
    if (!(await file.stat()).isFile()) return undefined;
    return await file.readFile('utf8');
  } catch {
    return undefined;
  }
};
