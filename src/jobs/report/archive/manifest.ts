import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { UnixMillis } from '../../../core/index.ts';

/** Of a report that was built for a slot of a job; one a part where a slot has several, such as one a team. */
export type ReportKey = {
  readonly job: string;
  readonly slot: UnixMillis;
  readonly part?: string | undefined;
};

const iso = z.iso.datetime();

const file = z.object({
  name: z.string(),
  bytes: z.int(),
  /** In hexadecimal. */
  sha256: z.string(),
  contentType: z.string(),
});

/** `manifest.json` beside the files of a report: what it says, and what its files are. Moments in UTC. */
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
  /** The headline first; decimals, `exact` is null where the value is unknown or a lower bound. */
  totals: z.array(
    z.object({
      label: z.string(),
      exact: z.string().nullable(),
      atLeast: z.string().nullable().optional(),
      unit: z.string().nullable(),
    }),
  ),
  /** How the sums compare with the gateway's own statistics. */
  verdict: z.object({ verdict: z.string(), text: z.string(), good: z.boolean() }),
  /** Of a report that closes a month: the SHA-256 of the file with the signed figures, or nothing where it is a draft. */
  seal: z
    .object({
      state: z.enum(['closed', 'draft']),
      file: z.string().optional(),
      sha256: z.string().optional(),
    })
    .optional(),
  files: z.array(file),
  /** Pictures that `mail.html` names by `cid:`. */
  images: z.array(z.object({ cid: z.string(), name: z.string(), alt: z.string() })),
  /** Which of the files the mail carries. */
  attached: z.array(z.string()),
  /** Where the mail says the files are, which were too large for it. */
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
/** What routes beside mail are told. */
export const announcementFile = 'announcement.json';
export const draftPrefix = '.draft-';

/** `daily-spend/20261121T070000.000Z`, from the folder of the archive: no mark in it is special to any file system. */
export const folderOf = ({ job, slot, part }: ReportKey): string =>
  join(job, `${new Date(slot).toISOString().replaceAll(/[-:]/g, '')}${part === undefined ? '' : `-${part}`}`);

/** Rejects as `node:fs` does, and with what is wrong with a file that is no manifest. */
export const readManifest = async (folder: string): Promise<ReportManifest> =>
  manifestShape.parse(JSON.parse(await readFile(join(folder, manifestFile), 'utf8')));
