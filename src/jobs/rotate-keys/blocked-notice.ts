import { shellWord } from '../../core/index.ts';
import type { SkippedKey } from '../../keys/index.ts';
import { linesOf, localeOf, type Locale } from '../../messages/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import { noCostOwners } from '../cost-owners.ts';

/** The decision a person must make before a key of the service is rotated; undefined for other reasons. */
const noticeOf = ({ service, name, reason }: SkippedKey, job: string, { blocked }: Locale['plans']) => {
  if (reason === 'current-unknown') return blocked.current(service);
  return reason === 'name-too-long' || reason === 'service-unusable'
    ? blocked.name(name, shellWord(name), job)
    : undefined;
};

/** Notifies operators once per service and reason that a key gets no successor until they decide. */
export const notifyOfBlocked = async (skipped: readonly SkippedKey[], context: JobContext): Promise<void> => {
  const {
    mail,
    account,
    warehouse,
    reports,
    clock,
    name: job,
    locale: tag,
    costOwners = noCostOwners,
  } = context;
  if (mail === undefined || costOwners.operators.length === 0) return;
  const audit = await warehouse.keys.last();
  const locale = localeOf(tag);
  const { plans, keys, mails } = locale;
  for (const one of skipped) {
    const { service, name, message, reason } = one;
    const notice = noticeOf(one, job, plans);
    if (notice === undefined) continue;
    const { title, advice } = notice;
    await notify(
      { outbox: warehouse.outbox, clock, ...mail },
      {
        key: { account: account.name, kind: 'keys', subject: `${reason}/${service}` },
        from: mail.from,
        to: costOwners.operators,
        ...renderAlertEmail({
          title,
          locale,
          recipients: 'mail.operators',
          page: reports.pageUrl,
          blocks: [
            {
              heading: name,
              tone: 'bad',
              lines: linesOf({ what: plans.skipped(reason, message), toDo: advice }, mails),
            },
          ],
          closing: [
            plans.blocked.closing,
            ...(audit === undefined ? [] : [keys.auditHead(audit.seq, audit.hash)]),
          ],
        }),
      },
    );
  }
};
