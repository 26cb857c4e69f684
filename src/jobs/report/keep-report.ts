import { trimEndOf, type UnixMillis, type LocaleTag } from '../../core/index.ts';
import type { Announcement } from '../../notify/index.ts';
import {
  boundOf,
  dataFiles,
  dataFormats,
  renderReport,
  standaloneHtml,
  unitOf,
  type DataFile,
  type DataFileFormat,
  type RenderedReport,
  type ReportModel,
} from '../../reports/index.ts';
import { announceReport } from './announce-report.ts';
import { signedFile, type ComposedReport, type ReportRequest } from './compose-report.ts';
import type { JobContext } from '../job-kind.ts';
import { announcementFile, folderOf, type ReportKey, type ReportManifest } from './archive/manifest.ts';
import { readReport, type KeptReport } from './archive/read-report.ts';
import { writeReport, type ArchivedFile } from './archive/write-report.ts';

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const sentences: Readonly<Record<LocaleTag, (names: string, size: string, where: string) => string>> = {
  en: (names, size, where) =>
    `The files of this report (${names}; ${size}) are too large to be attached. They are kept in ${where}`,
  de: (names, size, where) =>
    `Die Dateien dieses Berichts (${names}; ${size.replace('.', ',')}) sind zu groß, um angehängt zu werden. Sie liegen unter ${where}`,
  zh: (names, size, where) => `本报告的文件（${names}；${size}）过大，无法作为附件发送。文件保存在 ${where}`,
};

const filesElsewhere = (
  locale: LocaleTag,
  formats: readonly string[],
  bytes: number,
  where: string,
): string =>
  sentences[locale](formats.map((format) => format.toUpperCase()).join(', '), sizeOf(bytes), where);

/** Bytes after encoding: base64 in lines of 76 characters. */
const travelling = (files: readonly Pick<DataFile, 'content'>[]): number =>
  files.reduce((sum, { content }) => sum + Math.ceil(content.length / 57) * 78, 0);

/** A link if the config declares the URL of the archive, else the folder. */
const placeOf = (key: ReportKey, filesUrl: string | undefined): string => {
  const folder = folderOf(key);
  if (filesUrl === undefined) return `reports/${folder}`;
  return `${trimEndOf(filesUrl, '/')}/${folder.split('/').map(encodeURIComponent).join('/')}/`;
};

/** Placed before the notes on the figures. */
const withSentence = (model: ReportModel, sentence: string): ReportModel => ({
  ...model,
  sections: [...model.sections, { kind: 'text', title: undefined, paragraphs: [sentence] }],
});

const archivedFiles = (
  { html, text, images }: RenderedReport,
  announcement: Announcement,
  files: readonly ArchivedFile[],
): readonly ArchivedFile[] => [
  { name: 'report.html', contentType: 'text/html; charset=utf-8', content: standaloneHtml({ html, images }) },
  { name: 'report.txt', contentType: 'text/plain; charset=utf-8', content: text },
  { name: 'mail.html', contentType: 'text/html; charset=utf-8', content: html },
  { name: announcementFile, contentType: 'application/json', content: `${JSON.stringify(announcement)}\n` },
  ...images.map(({ filename, png }) => ({ name: filename, contentType: 'image/png', content: png })),
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
  totals: model.data.figures.rows.map((row) => {
    const [label, value = null] = row;
    const isExact = boundOf(row) === null;
    return {
      label: label ?? '',
      exact: isExact ? value : null,
      ...(isExact ? {} : { atLeast: value }),
      unit: unitOf(row),
    };
  }),
  verdict,
  ...sealed(report, model),
  images: rendered.images.map(({ cid, filename, alt }) => ({ cid, name: filename, alt })),
});

export type KeepOptions = {
  readonly attach: readonly DataFileFormat[];
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
  { attach, part }: KeepOptions,
  context: JobContext,
): Promise<KeptReport> => {
  const { reports, warehouse, clock, signal, progress } = context;
  const key: ReportKey = { job: context.name, slot: context.slot, part };
  const known = await readReport(reports.folder, key);
  if (known !== undefined) return known;
  const composed = await compose();
  progress({ step: 'writing its files' });
  const data = await dataFiles(composed.model, report, dataFormats, async (table) =>
    warehouse.writeParquet(table, signal),
  );
  const signed = signedFile(report, composed.model).map(({ name, text }) => ({
    name,
    contentType: 'application/json',
    content: Buffer.from(text),
  }));
  const files = [...data, ...signed];
  // The mail names the signed file, so it must carry it.
  const chosen = [...data.filter(({ format }) => attach.includes(format)), ...signed];
  const named = [
    ...dataFormats.filter((format) => attach.includes(format)),
    ...(signed.length === 0 ? [] : ['json']),
  ];
  const bytes = travelling(chosen);
  const linked = bytes > reports.attachLimit ? placeOf(key, reports.filesUrl) : undefined;
  const model =
    linked === undefined
      ? composed.model
      : withSentence(composed.model, filesElsewhere(composed.model.locale, named, bytes, linked));
  const rendered = linked === undefined ? composed.rendered : await renderReport(model);
  await writeReport(
    reports.folder,
    key,
    {
      ...manifestOf({ ...composed, rendered }, report, key, context, clock.now()),
      attached: linked === undefined ? chosen.map(({ name }) => name) : [],
      ...(linked === undefined ? {} : { linked }),
    },
    archivedFiles(rendered, announceReport({ ...composed, model }, context.runId), files),
  );
  const kept = await readReport(reports.folder, key);
  if (kept === undefined) throw new RangeError('a report that was just written is missing');
  return kept;
};
