import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, messageOf, syncPath, systemCode, writeThrough, type Fault } from '../core/index.ts';

const nameOf = (bytes: Uint8Array): string => `${createHash('sha256').update(bytes).digest('hex')}.eml`;

const diskFault = (folder: string, error: unknown): Fault =>
  systemCode(error) === 'ENOSPC'
    ? fault('disk-full', `no space left in ${folder} to store a mail`, { cause: error })
    : fault('path-unwritable', `a mail cannot be stored in ${folder}: ${messageOf(error)}`, { cause: error });

/** Stores the bytes in a file named by their SHA-256, synced to the disk, and returns its name. Folder 0700, file 0600. */
export const storeMail = async (folder: string, bytes: Uint8Array): Promise<string> => {
  const file = nameOf(bytes);
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
};

export const removeMail = (folder: string, file: string): Promise<void> =>
  rm(join(folder, file), { force: true });

/** @throws Fault `mail-file-damaged` when the bytes are gone or changed. */
export const loadMail = async (folder: string, file: string): Promise<Buffer> => {
  const path = join(folder, file);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fault('mail-file-damaged', `the stored mail ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  });
  if (nameOf(bytes) !== file)
    throw fault('mail-file-damaged', `the stored mail ${path} has changed since it was queued`);
  return bytes;
};

/** Whether the stored bytes exist unchanged. */
export const holdsMail = (folder: string, file: string): Promise<boolean> =>
  loadMail(folder, file).then(
    () => true,
    () => false,
  );
