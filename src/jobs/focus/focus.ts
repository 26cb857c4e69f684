import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { countText, fault, focusFormats, focusVersions, money } from '../../core/index.ts';
import { jobMail } from '../../config/index.ts';
import { formatMoney, formatNumber, linesOf, localeOf } from '../../messages/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import { defineJobKind, type JobContext } from '../job-kind.ts';
import { exportFocus, type ExportedMonth } from './export-focus.ts';
import { fileIn, inMemory } from './put-file.ts';

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
  folder: z
    .string()
    .min(1)
    .refine((value) => !value.includes('\0'), { error: 'must be a path' })
    .optional()
    .describe(
      'Folder into which the files are written; relative paths start at the working directory. Defaults to focus if no mail is set.',
    ),
  mail: jobMail.optional().describe('Recipients of a mail with the files.'),
});

type Settings = z.output<typeof shape>;
type File = { readonly name: string; readonly path?: string; readonly content: () => Promise<Buffer> };

/** Where the files are written; undefined if they are only mailed. */
const folderOf = ({ folder, mail }: Settings): string | undefined =>
  folder ?? (mail === undefined ? 'focus' : undefined);

const exportFiles = async (settings: Settings, context: JobContext): Promise<ExportedMonth<File>> => {
  const { period, version, format } = settings;
  const folder = folderOf(settings);
  const request = { period, version, format };
  if (folder === undefined)
    return exportFocus(request, context, async (name, pieces) => {
      const { content } = await inMemory(name, pieces);
      return { name, content: async () => content };
    });
  const write = fileIn(resolve(folder));
  return exportFocus(request, context, async (name, pieces) => {
    const { path } = await write(name, pieces);
    return { name, path, content: async () => readFile(path) };
  });
};

/** The media types of attachments. */
const contentTypes = { csv: 'text/csv; charset=utf-8', parquet: 'application/vnd.apache.parquet' } as const;

/** Enqueues the mail of a month once per slot. Files beyond the limit of attachments stay in the folder, and the mail names it. */
const mailExport = async (
  { format, folder, mail: recipients }: Settings,
  { month, currency, spend, rows, corrections, files }: ExportedMonth<File>,
  context: JobContext,
): Promise<number> => {
  const { mail, account, warehouse, reports, clock, slot, name, locale: tag } = context;
  if (recipients === undefined) return 0;
  if (mail === undefined)
    throw fault('mail-not-configured', `job ${name} sends mail, and no mail server is declared`);
  const locale = localeOf(tag);
  const { exports } = locale.mails;
  const attachments = await Promise.all(
    files.map(async (file) => ({
      filename: file.name,
      contentType: contentTypes[format],
      content: await file.content(),
    })),
  );
  // Base64 takes four bytes for three.
  const size = attachments.reduce((sum, { content }) => sum + Math.ceil(content.length / 3) * 4, 0);
  const isTooLarge = size > reports.attachLimit;
  if (isTooLarge && folder === undefined)
    throw fault('wrong-use', `the files of ${month} are too large for a mail`, {
      advice: 'set `folder` in the job, or `format: parquet`, or raise mail.attach_limit',
    });
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
                rows:
                  corrections === 0
                    ? formatNumber(money(String(rows)), locale, 0)
                    : exports.rows(
                        formatNumber(money(String(rows)), locale, 0),
                        formatNumber(money(String(corrections)), locale, 0),
                      ),
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
      attachments: isTooLarge ? [] : attachments,
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
    const exported = await exportFiles(settings, context);
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
        files: files.map(({ name }) => basename(name)).join(', '),
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
