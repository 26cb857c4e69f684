import { shellWord } from '../../core/index.ts';
import { describeHead, type SkippedKey } from '../../keys/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import { noCostOwners } from '../cost-owners.ts';

type Notice = { readonly title: string; readonly advice: string };

/** The decision a person must make before a key of the service is rotated; undefined for other reasons. */
const noticeOf = ({ service, name, reason }: SkippedKey, job: string): Notice | undefined => {
  if (reason === 'current-unknown')
    return {
      title: `The keys of ${service} are not rotated: it is unknown which one its consumers hold`,
      advice: '`tollkeeper keys rotate id:N`, with the id of the key to replace.',
    };
  if (reason !== 'name-too-long' && reason !== 'service-unusable') return undefined;
  return {
    title: `The key ${name} cannot be rotated because of its name`,
    advice: `\`tollkeeper keys adopt ${shellWord(name)} --service SHORTER --generation 1 --move\`, or a shorter \`name\` template in job ${job}.`,
  };
};

/** Notifies operators once per service and reason that a key gets no successor until they decide. */
export const notifyOfBlocked = async (skipped: readonly SkippedKey[], context: JobContext): Promise<void> => {
  const { mail, account, warehouse, reports, clock, name: job, costOwners = noCostOwners } = context;
  if (mail === undefined || costOwners.operators.length === 0) return;
  const audit = await warehouse.keys.last();
  for (const one of skipped) {
    const { service, name, message, reason } = one;
    const notice = noticeOf(one, job);
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
          recipients: 'mail.operators',
          page: reports.pageUrl,
          blocks: [
            {
              heading: name,
              tone: 'bad',
              lines: [
                ['What', message],
                ['What to do', advice],
              ],
            },
          ],
          closing: [
            'The key remains valid, and gets no successor until then. No further mail is sent about this.',
            ...(audit === undefined ? [] : [describeHead(audit)]),
          ],
        }),
      },
    );
  }
};
