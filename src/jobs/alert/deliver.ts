import { notify } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import { alertMessage } from './alert-message.ts';

/**
 * Enqueues decided notifications that are not in the outbox yet, each under the key of its alerts, so that a crash between
 * decision and enqueueing sends no mail twice. Returns the number of recipients.
 */
export const deliverAlerts = async ({
  mail,
  account,
  warehouse,
  clock,
  signal,
}: Pick<JobContext, 'mail' | 'account' | 'warehouse' | 'clock' | 'signal'>): Promise<number> => {
  if (mail === undefined) return 0;
  let recipients = 0;
  const pending = await warehouse.alerts.pending(account.name);
  for (const { id, content } of pending) {
    signal.throwIfAborted();
    const { title, to, blocks, closing } = alertMessage.parse(JSON.parse(content));
    const subject = `Tollkeeper: ${title}`;
    const distinct = [...new Set(to)];
    if (distinct.length > 0)
      recipients += (
        await notify(
          { outbox: warehouse.outbox, clock, ...mail, kinds: mail.kinds ?? new Map() },
          {
            key: { account: account.name, kind: 'alert', subject: id },
            from: mail.from,
            to: distinct,
            subject,
            ...renderAlertEmail({
              subject,
              title,
              tone: blocks.some(({ tone }) => tone === 'bad') ? 'bad' : 'good',
              preview: blocks[0]?.lines[0]?.[1] ?? title,
              blocks,
              closing,
            }),
          },
        )
      ).length;
  }
  if (pending.length > 0)
    await warehouse.alerts.enqueued(
      account.name,
      pending.map(({ id }) => id),
      clock.now(),
    );
  return recipients;
};
