import type { AttachFormat } from '../../core/index.ts';
import { localeOf } from '../../messages/index.ts';
import type { Mail } from '../../notify/index.ts';
import type { JobContext } from '../job-kind.ts';
import type { ComposedReport } from './composed.ts';
import { mailOfReport } from './report-mail.ts';

/** The mail that a job would send, marked as a test. It is in no archive, so it carries every file. */
export const testMail = async (
  composed: ComposedReport,
  {
    report,
    attach,
    to,
  }: { readonly report: string; readonly attach: readonly AttachFormat[]; readonly to: string },
  context: Pick<JobContext, 'account' | 'clock' | 'mail' | 'reports' | 'warehouse' | 'signal'>,
): Promise<Mail> => {
  const { testMark, sentByHand } = localeOf(composed.model.locale).messages.reportMail;
  const { rendered, attached } = await mailOfReport(
    composed,
    { report, attach, built: attach, source: sentByHand },
    context,
  );
  return {
    // Each test is a mail of its own.
    key: {
      account: context.account.name,
      kind: 'report-test',
      subject: `${report} ${context.clock.now()}`,
    },
    from: context.mail?.from ?? '',
    to: [to],
    subject: `${testMark} ${rendered.subject}`,
    html: rendered.mail.html,
    text: rendered.mail.text,
    images: rendered.mail.images,
    attachments: attached.map(({ name, contentType, content }) => ({ filename: name, contentType, content })),
  };
};
