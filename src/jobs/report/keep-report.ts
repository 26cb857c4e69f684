import { trimEndOf, type UnixMillis, type AttachFormat } from '../../core/index.ts';
import { localeOf } from '../../messages/index.ts';
import type { Announcement } from '../../notify/index.ts';
import {
  boundOf,
  dataFormats,
  isEmptyReport,
  unitOf,
  type RenderedReport,
  type ReportModel,
} from '../../reports/index.ts';
import { announceReport } from './announce-report.ts';
import { signedFile } from './compose-report.ts';
import type { ComposedReport, ReportRequest } from './composed.ts';
import type { JobContext } from '../job-kind.ts';
import {
  announcementFile,
  folderOf,
  mailTextFile,
  type ReportKey,
  type ReportManifest,
} from './archive/manifest.ts';
import { decideSending, type Sending, type SendInput } from './sending/send-when.ts';
import { mailOfReport } from './report-mail.ts';
import { lastSent, readReport, type KeptReport } from './archive/read-report.ts';
import { writeReport, type ArchivedFile } from './archive/write-report.ts';

const urlUnder = (base: string, key: ReportKey): string =>
  `${trimEndOf(base, '/')}/${folderOf(key).split('/').map(encodeURIComponent).join('/')}`;

/** A link if the config declares the URL of the archive, else the folder. */
const placeOf = (key: ReportKey, filesUrl: string | undefined): string =>
  filesUrl === undefined ? `reports/${folderOf(key)}` : `${urlUnder(filesUrl, key)}/`;

/** The page of the archived report, where the status page has a public URL. */
const pageOf = (key: ReportKey, pageUrl: string | undefined): string | undefined =>
  pageUrl === undefined ? undefined : urlUnder(`${trimEndOf(pageUrl, '/')}/reports`, key);

const archivedFiles = (
  { text, mail }: RenderedReport,
  whole: string,
  announcement: Announcement,
  files: readonly ArchivedFile[],
): readonly ArchivedFile[] => [
  { name: 'report.html', contentType: 'text/html; charset=utf-8', content: whole },
  { name: 'report.txt', contentType: 'text/plain; charset=utf-8', content: text },
  { name: 'mail.html', contentType: 'text/html; charset=utf-8', content: mail.html },
  { name: mailTextFile, contentType: 'text/plain; charset=utf-8', content: mail.text },
  { name: announcementFile, contentType: 'application/json', content: `${JSON.stringify(announcement)}\n` },
  ...mail.images.map(({ filename, png }) => ({ name: filename, contentType: 'image/png', content: png })),
  ...files,
];

const sealed = (report: string, model: ReportModel): Pick<ReportManifest, 'seal'> => {
  const { seal } = model;
  if (seal === undefined) return {};
  const [file] = signedFile(report, model);
  return {
    seal:
      seal.state === 'closed' && file !== undefined
        ? { state: 'closed', file: file.name, sha256: seal.sha256 }
        : { state: 'draft' },
  };
};

const manifestOf = (
  { model, rendered, verdict, period }: ComposedReport,
  report: string,
  key: ReportKey,
  context: JobContext,
  builtAt: UnixMillis,
): Omit<ReportManifest, 'files' | 'attached' | 'linked'> => ({
  version: 1,
  job: key.job,
  part: key.part,
  slot: new Date(key.slot).toISOString(),
  runId: context.runId,
  account: context.account.name,
  report,
  locale: model.locale,
  zone: context.zone,
  period: {
    label: period.label,
    from: new Date(period.interval.start * 1000).toISOString(),
    to: new Date(period.interval.end * 1000).toISOString(),
  },
  currency: model.currency,
  title: model.title,
  subject: rendered.subject,
  preheader: rendered.preheader,
  builtAt: new Date(builtAt).toISOString(),
  totals: model.data.figures.rows.map((row, at) => {
    const [label, value = null] = row;
    const isExact = boundOf(row) === null;
    return {
      label: label ?? '',
      name: model.data.figureNames[at],
      exact: isExact ? value : null,
      ...(isExact ? {} : { atLeast: value }),
      unit: unitOf(row),
    };
  }),
  verdict,
  ...sealed(report, model),
  images: rendered.mail.images.map(({ cid, filename, alt }) => ({ cid, name: filename, alt })),
});

/** Whether it is sent, by `send_when` of the job; undefined where each report is. */
const decide = async (
  { model, verdict }: ComposedReport,
  totals: ReportManifest['totals'],
  { conditions, atLeastEvery }: SendOptions,
  key: ReportKey,
  { reports, dataLate }: JobContext,
): Promise<Sending | undefined> =>
  conditions.length === 0
    ? undefined
    : decideSending({
        conditions,
        atLeastEvery,
        slot: key.slot,
        currency: model.currency,
        totals,
        verdict,
        isLate: dataLate !== undefined,
        isEmpty: isEmptyReport(model.data),
        last: await lastSent(reports.folder, key),
      });

export type SendOptions = Pick<SendInput, 'conditions' | 'atLeastEvery'>;

export type KeepOptions = {
  readonly send: SendOptions;
  readonly attach: readonly AttachFormat[];
  /** The setting that holds the recipients of the mail. */
  readonly recipients: string;
  /** Distinguishes reports of one slot, such as one per team. */
  readonly part?: string | undefined;
};

/**
 * Returns the kept report of a slot, or builds and keeps it. A later run of the slot does not rebuild it, so that the archive
 * and every mail of it are identical.
 * @throws faults of `compose`, disk-full, path-unwritable, report-damaged
 */
export const keepReport = async (
  { report }: Pick<ReportRequest, 'report'>,
  compose: () => Promise<ComposedReport>,
  { attach, recipients, part, send }: KeepOptions,
  context: JobContext,
): Promise<KeptReport> => {
  const { reports, clock, progress } = context;
  const key: ReportKey = { job: context.name, slot: context.slot, part };
  const known = await readReport(reports.folder, key);
  if (known !== undefined) return known;
  const composed = await compose();
  progress({ step: 'writing its files' });
  const mail = await mailOfReport(
    composed,
    {
      report,
      attach,
      built: [...dataFormats, ...attach.filter((format) => format === 'pdf')],
      place: placeOf(key, reports.filesUrl),
      page: pageOf(key, reports.pageUrl),
      source: localeOf(composed.model.locale).messages.reportMail.sentBy(context.name, recipients),
    },
    context,
  );
  const { model, rendered, whole, data, signed, attached, linked } = mail;
  const manifest = manifestOf({ ...composed, rendered }, report, key, context, clock.now());
  const sending = await decide(composed, manifest.totals, send, key, context);
  await writeReport(
    reports.folder,
    key,
    {
      ...manifest,
      ...(sending === undefined ? {} : { sending }),
      attached: attached.map(({ name }) => name),
      ...(linked === undefined ? {} : { linked }),
    },
    archivedFiles(
      rendered,
      whole.content.toString(),
      announceReport({ ...composed, model: { ...model, ...model.mail } }, context.runId),
      [...(attached.includes(whole) ? [whole] : []), ...data, ...signed],
    ),
  );
  const kept = await readReport(reports.folder, key);
  if (kept === undefined) throw new RangeError('a report that was just written is missing');
  return kept;
};
