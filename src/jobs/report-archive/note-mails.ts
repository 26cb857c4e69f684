import type { Warehouse } from '../../warehouse/index.ts';
import type { ReportKey } from './manifest.ts';
import { writeMails } from './write-report.ts';

/** Notes beside a kept report which mails it went into: files of the outbox are named by the SHA-256 of their bytes. */
export const noteMails = async (
  report: ReportKey,
  { account, kind, subject }: { readonly account: string; readonly kind: string; readonly subject: string },
  {
    warehouse,
    reports,
  }: { readonly warehouse: Pick<Warehouse, 'outbox'>; readonly reports: { readonly folder: string } },
): Promise<void> => {
  const rows = await warehouse.outbox.list({ kind, subject });
  await writeMails(
    reports.folder,
    report,
    rows
      .filter((row) => row.account === account)
      .map(({ recipient, messageId, file, queuedAt }) => ({
        recipient,
        messageId,
        sha256: file.replace(/\.eml$/, ''),
        queuedAt: new Date(queuedAt).toISOString(),
      })),
  );
};
