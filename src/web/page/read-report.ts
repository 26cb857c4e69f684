import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** A link is not followed, and a pipe not waited at. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What jobs, and the folders of their slots, are called: never a dot first, and never a way elsewhere. */
const isFolderName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(name);

/** The HTML of a report in the archive; nothing where there is none under these names, or it is not a plain file there. */
export const readReport = async (
  archive: string,
  job: string,
  slot: string,
): Promise<Buffer<ArrayBuffer> | undefined> => {
  if (!isFolderName(job) || !isFolderName(slot)) return undefined;
  try {
    const folder = join(await realpath(archive), job, slot);
    // A link on the way would lead out of the archive.
    if ((await realpath(folder)) !== folder) return undefined;
    await using file = await open(join(folder, 'report.html'), flags);
    if (!(await file.stat()).isFile()) return undefined;
    return Buffer.from(await file.readFile());
  } catch {
    return undefined;
  }
};
