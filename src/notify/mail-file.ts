import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, messageOf, syncPath, systemCode, writeThrough, type Fault } from '../core/index.ts';
import { intactMail, mailName, type MailStore } from '../storage/index.ts';

const diskFault = (folder: string, error: unknown): Fault =>
  systemCode(error) === 'ENOSPC'
    ? fault('disk-full', `no space left in ${folder} to store a mail`, { cause: error })
    : fault('path-unwritable', `a mail cannot be stored in ${folder}: ${messageOf(error)}`, { cause: error });

/** Matches mail files and what a crash left of writing them. Other files in the folder are not ours to delete. */
const isOurs = (file: string): boolean => /^[0-9a-f]{64}\.eml(\.([0-9a-f-]{36}\.)?tmp)?$/.test(file);

/** Bytes in files of a folder, synced to the disk. Folder 0700, files 0600. */
export const mailFolder = (folder: string): MailStore => ({
  where: folder,
  store: async (bytes) => {
    const file = mailName(bytes);
    const path = join(folder, file);
    const unfinished = `${path}.${randomUUID()}.tmp`;
    try {
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncPath(dirname(made));
      await chmod(folder, 0o700);
      await writeThrough(unfinished, bytes);
      await rename(unfinished, path);
      await syncPath(folder);
      return file;
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw diskFault(folder, error);
    }
  },
  load: async (file) => {
    const path = join(folder, file);
    const bytes = await readFile(path).catch((error: unknown) => {
      throw fault('mail-file-damaged', `the stored mail ${path} cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    });
    return intactMail(bytes, file, path);
  },
  remove: (file) => rm(join(folder, file), { force: true }),
  list: async () => {
    try {
      return (await readdir(folder, { withFileTypes: true }))
        .filter((entry) => entry.isFile() && isOurs(entry.name))
        .map(({ name }) => name);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  },
});

/** Whether the stored bytes exist unchanged. */
export const holdsMail = (mails: MailStore, file: string): Promise<boolean> =>
  mails.load(file).then(
    () => true,
    () => false,
  );
