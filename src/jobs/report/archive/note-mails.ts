import type { Warehouse } from '../../../warehouse/index.ts';
import type { MailStore } from '../../../storage/index.ts';
import type { ReportKey } from './manifest.ts';
import { keepMail, writeMails } from './write-report.ts';

/** Records the mails of a kept report and stores their exact bytes, under their SHA-256, beyond the retention of the outbox. */
export const noteMails = async (
  report: ReportKey,
  { account, kind, subject }: { readonly account: string; readonly kind: string; readonly subject: string },
  {
    warehouse,
    reports,
    mail,
  }: {
    readonly warehouse: Pick<Warehouse, 'outbox'>;
    readonly reports: { readonly folder: string };
    readonly mail: { readonly mails: MailStore };
  },
): Promise<void> => {
  const rows = (await warehouse.outbox.list({ kind, subject })).filter((row) => row.account === account);
  for (const { file } of rows) await keepMail(reports.folder, report, mail.mails, file);
  await writeMails(
    reports.folder,
    report,
    rows.map(({ recipient, messageId, file, queuedAt }) => ({
      recipient,
      messageId,
      sha256: file.replace(/\.eml$/, ''),
      queuedAt: new Date(queuedAt).toISOString(),
    })),
  );
};
