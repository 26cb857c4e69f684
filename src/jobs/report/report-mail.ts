import { sizeText, sum, type LocaleTag, type AttachFormat, attachFormats } from '../../core/index.ts';
import { localeOf } from '../../messages/index.ts';
import { sizeInTransit } from '../../notify/index.ts';
import {
  dataFiles,
  renderReport,
  standaloneHtml,
  type DataFile,
  type RenderedReport,
  type ReportModel,
} from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import { signedFile } from './compose-report.ts';
import type { ComposedReport } from './composed.ts';
import type { ArchivedFile } from './archive/write-report.ts';

const filesElsewhere = (
  locale: LocaleTag,
  formats: readonly string[],
  bytes: number,
  where: string,
): string =>
  localeOf(locale).messages.reportMail.filesElsewhere(
    formats.map((format) => format.toUpperCase()).join(', '),
    sizeText(bytes),
    where,
  );

/** Placed before the notes on the figures. */
const withSentences = (model: ReportModel, sentences: readonly string[], source: string): ReportModel => ({
  ...model,
  mail: {
    ...model.mail,
    sections: [
      ...model.mail.sections,
      ...(sentences.length === 0 ? [] : [{ kind: 'text' as const, title: undefined, paragraphs: sentences }]),
    ],
    footer: [...model.mail.footer, source],
  },
});

type CarriedFile = ArchivedFile & Pick<DataFile, 'content'>;

type MailOptions = {
  readonly report: string;
  /** Formats in which the data is attached. */
  readonly attach: readonly AttachFormat[];
  /** Formats in which the data is built; includes `attach`. */
  readonly built: readonly AttachFormat[];
  /** Where files lie that are too large to be attached; without it all are attached. */
  readonly place?: string;
  /** The page that shows the whole report. */
  readonly page?: string | undefined;
  /** Who sends the mail, as the last sentence. */
  readonly source: string;
};

/** A report as it is mailed, with the files that the mail carries or names. */
export type ReportMail = {
  readonly model: ReportModel;
  readonly rendered: RenderedReport;
  readonly whole: CarriedFile;
  readonly data: readonly DataFile[];
  readonly signed: readonly CarriedFile[];
  readonly attached: readonly CarriedFile[];
  /** Where the files are, when they are too large to be attached. */
  readonly linked: string | undefined;
};

/** Adds to a report what only its mail says: where the rest is, what is attached, and who sends it. */
export const mailOfReport = async (
  composed: ComposedReport,
  { report, attach, built, place, page: publicPage, source }: MailOptions,
  { reports, warehouse, signal }: Pick<JobContext, 'reports' | 'warehouse' | 'signal'>,
): Promise<ReportMail> => {
  const data = await dataFiles(
    composed.model,
    report,
    built,
    async (table) => warehouse.writeParquet(table, signal),
    composed.csv,
  );
  const signed = signedFile(report, composed.model).map(({ name, text }) => ({
    name,
    contentType: 'application/json',
    content: Buffer.from(text),
  }));
  const locale = composed.model.locale;
  const isWhole = composed.model.mail.sections === composed.model.sections;
  const whole: CarriedFile = {
    name: `${report}.html`,
    contentType: 'text/html; charset=utf-8',
    content: Buffer.from(standaloneHtml(composed.rendered)),
  };
  const page = isWhole ? undefined : publicPage;
  // The mail names the signed file, so it must carry it, and the whole report where no page shows it.
  const chosen = [
    ...(isWhole || page !== undefined ? [] : [whole]),
    ...data.filter(({ format }) => attach.includes(format)),
    ...signed,
  ];
  const named = [
    ...(isWhole || page !== undefined ? [] : ['html']),
    ...attachFormats.filter((format) => attach.includes(format)),
    ...(signed.length === 0 ? [] : ['json']),
  ];
  const bytes = sum(chosen.map(({ content }) => sizeInTransit(content.length)));
  const linked = bytes > reports.attachLimit ? place : undefined;
  const sentences = [
    ...(isWhole ? [] : [localeOf(locale).messages.reportMail.whole(page ?? linked)]),
    ...(linked === undefined ? [] : [filesElsewhere(locale, named, bytes, linked)]),
  ];
  const model = withSentences(composed.model, sentences, source);
  return {
    model,
    rendered: await renderReport(model, composed.rendered),
    whole,
    data,
    signed,
    attached: linked === undefined ? chosen : [],
    linked,
  };
};
