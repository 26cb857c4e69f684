import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, messageOf, systemCode, unixMillis } from '../../../core/index.ts';
import type { SendInput } from '../sending/send-when.ts';
import { sendingText } from '../sending/sending-text.ts';
import type { Announcement } from '../../../notify/index.ts';
import {
  announcementFile,
  draftPrefix,
  folderOfJob,
  foldersOfPart,
  folderOf,
  mailsFile,
  mailTextFile,
  mailsShape,
  readManifest,
  type ReportKey,
  type ReportMails,
  type ReportManifest,
} from './manifest.ts';

export type KeptReport = {
  readonly manifest: ReportManifest;
  readonly html: string;
  readonly text: string;
  readonly announcement: Announcement;
  readonly images: readonly { readonly cid: string; readonly filename: string; readonly png: Buffer }[];
  readonly attachments: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: Buffer;
  }[];
};

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');

const damaged = (folder: string, message: string, cause?: unknown) =>
  fault('report-damaged', `the report kept in ${folder} ${message}`, cause === undefined ? {} : { cause });

/** Undefined when none is kept. @throws Fault `report-damaged` when a checksum does not match. */
export const readReport = async (root: string, key: ReportKey): Promise<KeptReport | undefined> => {
  const folder = join(root, folderOf(key));
  let manifest: ReportManifest;
  try {
    manifest = await readManifest(folder);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw damaged(folder, `cannot be read: ${messageOf(error)}`, error);
  }
  if (manifest.job !== key.job) throw damaged(folder, `belongs to job ${manifest.job}`);
  if (manifest.part !== key.part) throw damaged(folder, `is that of ${manifest.part ?? 'the account'}`);
  const fileOf = async (name: string) => {
    const file = manifest.files.find((candidate) => candidate.name === name);
    if (file === undefined) throw damaged(folder, `has no file ${name}`);
    const content = await readFile(join(folder, name)).catch((error: unknown) => {
      throw damaged(folder, `has an unreadable file ${name}: ${messageOf(error)}`, error);
    });
    if (createHash('sha256').update(content).digest('hex') !== file.sha256)
      throw damaged(folder, `has a modified file ${name}`);
    return { filename: name, contentType: file.contentType, content };
  };
  const images: KeptReport['images'][number][] = [];
  for (const { cid, name } of manifest.images) {
    const { filename, content } = await fileOf(name);
    images.push({ cid, filename, png: content });
  }
  const attachments: KeptReport['attachments'][number][] = [];
  for (const name of manifest.attached) attachments.push(await fileOf(name));
  return {
    manifest,
    html: (await fileOf('mail.html')).content.toString('utf8'),
    text: (
      await fileOf(manifest.files.some(({ name }) => name === mailTextFile) ? mailTextFile : 'report.txt')
    ).content.toString('utf8'),
    // The hash of the file was verified, so its shape is known.
    announcement: JSON.parse((await fileOf(announcementFile)).content.toString('utf8')) as Announcement,
    images,
    attachments,
  };
};

/** Empty when the folder does not exist. */
export const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw fault('report-damaged', `${folder} cannot be read (${systemCode(error) ?? messageOf(error)})`, {
      cause: error,
    });
  }
};

export type ListedReport = ReportManifest & {
  readonly folder: string;
  readonly mails: ReportMails;
  /** `not sent: REASON`; missing where it is sent. */
  readonly notSent?: string;
};

export type ReportList = {
  /** Newest slot first. */
  readonly reports: readonly ListedReport[];
  readonly damaged: readonly string[];
};

const readMails = async (folder: string): Promise<ReportMails> => {
  try {
    return mailsShape.parse(JSON.parse(await readFile(join(folder, mailsFile), 'utf8')));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

/** Includes reports of jobs that are no longer declared. */
export const listReports = async (
  root: string,
  { job, limit }: { readonly job?: string | undefined; readonly limit: number },
): Promise<ReportList> => {
  const folders: { readonly path: string; readonly name: string }[] = [];
  for (const name of job === undefined ? await namesIn(root) : [folderOfJob(job)])
    for (const slot of await namesIn(join(root, name)))
      if (!slot.startsWith(draftPrefix)) folders.push({ path: join(root, name, slot), name: slot });
  // Names of slots sort by time.
  const newest = folders.toSorted((left, right) => right.name.localeCompare(left.name, 'en'));
  const reports: ListedReport[] = [];
  const damagedFolders: string[] = [];
  for (const { path } of newest) {
    if (reports.length === limit) break;
    try {
      const manifest = await readManifest(path);
      const { sending, zone } = manifest;
      reports.push({
        ...manifest,
        folder: path,
        mails: await readMails(path),
        ...(sending?.sent === false ? { notSent: sendingText(sending, zone) } : {}),
      });
    } catch {
      damagedFolders.push(path);
    }
  }
  return { reports, damaged: damagedFolders };
};

/**
 * The report of the same job and part, of an earlier slot, that its recipients have last. `damaged`: a report after it cannot be read, which
 * may be what they have. @throws Fault `report-damaged` when the archive cannot be read
 */
export const lastSent = async (root: string, { job, slot, part }: ReportKey): Promise<SendInput['last']> => {
  const folder = join(root, folderOfJob(job));
  const earlier = foldersOfPart(await namesIn(folder), part).filter((one) => one.slot < slot);
  for (const { name } of earlier.toSorted((one, other) => other.slot - one.slot)) {
    try {
      const { sending, currency, totals, slot: own } = await readManifest(join(folder, name));
      if (sending?.sent !== false) return { slot: unixMillis(Date.parse(own)), currency, totals };
    } catch {
      return 'damaged';
    }
  }
  return 'none';
};
