import type { MailStore } from '../../../storage/index.ts';
import {
  hasCode,
  isThere,
  fault,
  messageOf,
  syncPath,
  systemCode,
  writeThrough,
  type Fault,
} from '../../../core/index.ts';
import { createHash } from 'node:crypto';
import { chmod, writeFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  draftPrefix,
  folderOf,
  mailsFile,
  manifestFile,
  type ReportKey,
  type ReportMails,
  type ReportManifest,
} from './manifest.ts';

export type ArchivedFile = {
  readonly name: string;
  readonly contentType: string;
  readonly content: Uint8Array | string;
};

const diskFault = (folder: string, error: unknown): Fault =>
  systemCode(error) === 'ENOSPC'
    ? fault('disk-full', `no space is left in ${folder} to keep a report`, { cause: error })
    : fault('path-unwritable', `a report cannot be kept in ${folder}: ${messageOf(error)}`, { cause: error });

const described = ({ name, contentType, content }: ArchivedFile) => ({
  name,
  contentType,
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
});

const alreadyThere = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '');

/**
 * Keeps a report atomically: after a crash its folder exists with all files, on the disk, or not at all. Never changes a kept
 * report: returns `known`. Folders 0700, files 0600. @throws faults disk-full, path-unwritable
 */
export const writeReport = async (
  root: string,
  key: ReportKey,
  manifest: Omit<ReportManifest, 'files'>,
  files: readonly ArchivedFile[],
): Promise<'kept' | 'known'> => {
  const target = join(root, folderOf(key));
  const jobFolder = dirname(target);
  let draft: string | undefined;
  try {
    await mkdir(jobFolder, { recursive: true, mode: 0o700 });
    await chmod(root, 0o700);
    draft = await mkdtemp(join(jobFolder, draftPrefix));
    const written: ReportManifest = { ...manifest, files: files.map(described) };
    for (const { name, content } of files) await writeThrough(join(draft, name), content);
    await writeThrough(join(draft, manifestFile), `${JSON.stringify(written, null, 2)}\n`);
    await syncPath(draft);
    await rename(draft, target);
    for (const folder of [jobFolder, root]) await syncPath(folder);
    return 'kept';
  } catch (error) {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    if (draft !== undefined && alreadyThere(error)) return 'known';
    throw diskFault(root, error);
  }
};

/** Records the mails of a kept report atomically. @throws faults disk-full, path-unwritable */
export const writeMails = async (root: string, key: ReportKey, mails: ReportMails): Promise<void> => {
  const path = join(root, folderOf(key), mailsFile);
  try {
    await writeThrough(`${path}.tmp`, `${JSON.stringify(mails, null, 2)}\n`);
    await rename(`${path}.tmp`, path);
    await syncPath(dirname(path));
  } catch (error) {
    await rm(`${path}.tmp`, { force: true }).catch(() => undefined);
    throw diskFault(root, error);
  }
};

/**
 * Copies a mail of the outbox under the name of its hash; undefined when the outbox no longer has it.
 * @throws faults disk-full, path-unwritable
 */
export const keepMail = async (
  root: string,
  key: ReportKey,
  mails: Pick<MailStore, 'load'>,
  file: string,
): Promise<void> => {
  const target = join(root, folderOf(key), file);
  // The name is the hash of the content, so an existing file is the same.
  if (await isThere(target)) return;
  try {
    await writeFile(`${target}.tmp`, await mails.load(file), { mode: 0o600 });
    await rename(`${target}.tmp`, target);
  } catch (error) {
    await rm(`${target}.tmp`, { force: true }).catch(() => undefined);
    const isGone = hasCode(error, 'mail-file-damaged') && ['ENOENT', undefined].includes(systemCode(error));
    if (!isGone) throw diskFault(root, error);
  }
};
