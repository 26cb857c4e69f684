import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { unixMillis, type UnixMillis } from '../../../core/index.ts';
import { sendingShape } from '../sending/send-when.ts';

/** A report of one slot of a job; `part` distinguishes several reports of a slot, such as one per team. */
export type ReportKey = {
  readonly job: string;
  readonly slot: UnixMillis;
  readonly part?: string | undefined;
};

const iso = z.iso.datetime();

const file = z.object({
  name: z.string(),
  bytes: z.int(),
  /** Hexadecimal. */
  sha256: z.string(),
  contentType: z.string(),
});

/** `manifest.json` beside the files of a report: its statements and its files. Times in UTC. */
export const manifestShape = z.object({
  version: z.literal(1),
  job: z.string(),
  part: z.string().optional(),
  slot: iso,
  runId: z.string(),
  account: z.string(),
  report: z.string(),
  locale: z.string(),
  zone: z.string(),
  period: z.object({ label: z.string(), from: iso, to: iso }),
  currency: z.string(),
  title: z.string(),
  subject: z.string(),
  preheader: z.string(),
  builtAt: iso,
  /** Headline first; decimals, `exact` is null when the value is unknown or a lower bound. */
  totals: z.array(
    z.object({
      label: z.string(),
      /** The same in every language; older manifests have none. */
      name: z.string().optional(),
      exact: z.string().nullable(),
      atLeast: z.string().nullable().optional(),
      unit: z.string().nullable(),
    }),
  ),
  /** Result of the reconciliation with the gateway's own statistics. */
  verdict: z.object({ verdict: z.string(), text: z.string(), good: z.boolean() }),
  /** Whether it is sent by `send_when`; missing where each report is sent. */
  sending: sendingShape.optional(),
  /** For a report that closes a month: the SHA-256 of the file with the signed figures; missing for a draft. */
  seal: z
    .object({
      state: z.enum(['closed', 'draft']),
      file: z.string().optional(),
      sha256: z.string().optional(),
    })
    .optional(),
  files: z.array(file),
  images: z.array(z.object({ cid: z.string(), name: z.string(), alt: z.string() })),
  attached: z.array(z.string()),
  /** Where the mail says that oversized files are. */
  linked: z.string().optional(),
});

export type ReportManifest = z.output<typeof manifestShape>;

/** `mails.json`: the mails of the report, and the SHA-256 of the exact bytes of each. */
export const mailsShape = z.array(
  z.object({ recipient: z.string(), messageId: z.string(), sha256: z.string(), queuedAt: iso }),
);

export type ReportMails = z.output<typeof mailsShape>;

export const manifestFile = 'manifest.json';
export const mailsFile = 'mails.json';
export const announcementFile = 'announcement.json';
/** The text part of the mail; versions that mailed the whole report have none. */
export const mailTextFile = 'mail.txt';
export const draftPrefix = '.draft-';

/** Names of jobs and parts, which may contain any sign, as names of folders in ASCII: others as their hash, behind a dot, which follows no kind in a name. */
const folderName = (name: string, kind: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)
    ? name
    : `${kind}.${createHash('sha256').update(name).digest('hex').slice(0, 20)}`;

/** The kind of a part: `team` of `team-growth`. */
const kindOf = (part: string): string => /^[a-z]+/.exec(part)?.[0] ?? 'part';

/** `job.1f0c…` for a name that is not plain ASCII. */
export const folderOfJob = (job: string): string => folderName(job, 'job');

const suffixOf = (part: string | undefined): string =>
  part === undefined ? '' : `-${folderName(part, kindOf(part))}`;

/** `20261121T070000.000Z`, and the part; names of one part sort by time. */
const nameOf = (slot: UnixMillis, part: string | undefined): string =>
  `${new Date(slot).toISOString().replaceAll(/[-:]/g, '')}${suffixOf(part)}`;

/** Folders of the part among those of a job, with their slots. */
export const foldersOfPart = (
  names: readonly string[],
  part: string | undefined,
): readonly { readonly name: string; readonly slot: UnixMillis }[] => {
  const suffix = suffixOf(part);
  return names.flatMap((name) => {
    if (!name.endsWith(suffix)) return [];
    const own = name.slice(0, name.length - suffix.length);
    const found = /^(\d{4})(\d{2})(\d{2}T\d{2})(\d{2})(\d{2}\.\d{3}Z)$/.exec(own);
    if (found === null) return [];
    const [, year, month, hour, minute, second] = found;
    const slot = Date.parse(`${year}-${month}-${hour}:${minute}:${second}`);
    return Number.isNaN(slot) ? [] : [{ name, slot: unixMillis(slot) }];
  });
};

/** `daily-spend/20261121T070000.000Z`, relative to the report archive; uses only characters that every file system allows. */
export const folderOf = ({ job, slot, part }: ReportKey): string =>
  join(folderOfJob(job), nameOf(slot, part));

/** Rejects like `node:fs`, and with the reason when the file is not a manifest. */
export const readManifest = async (folder: string): Promise<ReportManifest> =>
  manifestShape.parse(JSON.parse(await readFile(join(folder, manifestFile), 'utf8')));
