import { resolve } from 'node:path';
import { z } from 'zod';
import { countText, fault, focusFormats, focusVersions, money, sum } from '../../core/index.ts';
import { jobFolder, jobMail } from '../../config/index.ts';
import { formatInteger, formatMoney, linesOf, localeOf } from '../../messages/index.ts';
import { notify, sizeInTransit } from '../../notify/index.ts';
import { contentTypes, renderAlertEmail } from '../../reports/index.ts';
import { defineJobKind, type JobContext } from '../job-kind.ts';
import { exportFocus, type ExportedMonth } from './export-focus.ts';
import { fileIn, inMemory, type ExportedFile } from './put-file.ts';

const shape = z.strictObject({
  period: z
    .union([
      z.literal('last-month'),
      z
        .string()
        .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, { error: 'must be last-month or a month such as 2026-10' }),
    ])
    .default('last-month')
    .describe(
      'The month: last-month, or a month such as 2026-10. It is closed first if it is open and can be closed.',
    ),
  version: z.enum(focusVersions).default(focusVersions[0]).describe('Version of FOCUS.'),
  format: z.enum(focusFormats).default(focusFormats[0]).describe('Form of the files.'),
  folder: jobFolder
    .optional()
    .describe(
      'Folder into which the files are written; relative paths start at the working directory. Defaults to focus if no mail is set.',
    ),
  mail: jobMail.optional().describe('Recipients of a mail with the files.'),
});

type Settings = z.output<typeof shape>;

/** Where the files are written; undefined if they are only mailed. */
const folderOf = ({ folder, mail }: Settings): string | undefined =>
  folder ?? (mail === undefined ? 'focus' : undefined);

/** Enqueues the mail of a month once per slot. Files beyond the limit of attachments stay in the folder, and the mail names it. */
const mailExport = async (
  { format, folder, mail: recipients }: Settings,
  { month, currency, spend, rows, corrections, files }: ExportedMonth<ExportedFile>,
  context: JobContext,
): Promise<number> => {
  const { mail, account, warehouse, reports, clock, slot, name, locale: tag } = context;
  if (recipients === undefined) return 0;
  if (mail === undefined)
    throw fault('mail-not-configured', `job ${name} sends mail, and no mail server is declared`);
  const locale = localeOf(tag);
  const { exports } = locale.mails;
  const isTooLarge = sum(files.map(({ bytes }) => sizeInTransit(bytes))) > reports.attachLimit;
  if (isTooLarge && folder === undefined)
    throw fault('wrong-use', `the files of ${month} are too large for a mail`, {
      advice: 'set `folder` in the job, or `format: parquet`, or raise mail.attach_limit',
    });
  const attachments = isTooLarge
    ? []
    : await Promise.all(
        files.map(async (file) => ({
          filename: file.name,
          contentType: contentTypes[format],
          content: await file.content(),
        })),
      );
  const countOf = (count: number): string => formatInteger(money(String(count)), locale);
  const enqueued = await notify(
    { outbox: warehouse.outbox, clock, ...mail },
    {
      key: { account: account.name, kind: `focus:${name}`, subject: new Date(slot).toISOString() },
      from: mail.from,
      to: recipients.to,
      ...renderAlertEmail({
        title: exports.title(account.name, month),
        locale,
        tone: 'good',
        blocks: [
          {
            tone: 'good',
            lines: linesOf(
              {
                account: account.name,
                period: month,
                spend: formatMoney(money(spend), currency, locale),
                rows: corrections === 0 ? countOf(rows) : exports.rows(countOf(rows), countOf(corrections)),
                files: files.map((file) => file.name).join(', '),
              },
              locale.mails,
            ),
          },
        ],
        closing: [
          ...(corrections === 0 ? [] : [exports.corrections]),
          ...(isTooLarge && folder !== undefined ? [exports.elsewhere(folder)] : []),
        ],
        recipients: `jobs.${name}.mail.to`,
        page: reports.pageUrl,
      }),
      attachments,
    },
  );
  return enqueued.length;
};

/** Exports a closed month in FOCUS, into a folder, by mail, or both. */
export const focusKind = defineJobKind({
  kind: 'focus',
  description: 'Exports a closed month in FOCUS, the format in which accounting loads bills.',
  shape,
  run: async (settings, context) => {
    const folder = folderOf(settings);
    const { period, version, format } = settings;
    const put = folder === undefined ? inMemory : fileIn(resolve(folder));
    const exported = await exportFocus({ period, version, format }, context, put);
    const mails = await mailExport(settings, exported, context);
    const { month, currency, spend, rows, corrections, files } = exported;
    const places = [
      ...(folder === undefined ? [] : [`${countText(files.length, 'file')} in ${folder}`]),
      ...(settings.mail === undefined ? [] : [`enqueued for ${countText(mails, 'recipient')}`]),
    ];
    return {
      summary: `${month}: ${currency} ${spend} in ${countText(rows, 'row')}; ${places.join(', ')}`,
      figures: {
        month,
        spend,
        rows,
        corrections,
        mails,
        files: files.map(({ name }) => name).join(', '),
      },
    };
  },
  plan: async (settings, { account, zone }) => {
    const { period, version, format, mail } = settings;
    const folder = folderOf(settings);
    return Promise.resolve([
      `close ${period} of ${account.name} (${zone}), if it is open`,
      `export it in FOCUS ${version} as ${format}`,
      ...(folder === undefined ? [] : [`write the files to ${folder}`]),
      ...(mail?.to ?? []).map((recipient) => `mail them to ${recipient}`),
    ]);
  },
});
