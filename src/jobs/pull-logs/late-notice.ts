import { countText, rangeText } from '../../core/index.ts';
import { maxLateTries } from '../../ingest/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

/** Notifies operators, once per sum at the gateway, of windows that still lag after all attempts. */
export const notifyOfResting = async (context: JobContext): Promise<void> => {
  const { mail, account, warehouse, clock, zone, costOwners = noCostOwners } = context;
  if (mail === undefined || costOwners.operators.length === 0) return;
  const { comparisons, outbox } = warehouse;
  for (const window of await comparisons.lagging(account.name)) {
    const { range, gatewaySum, tries, notifiedAt } = window;
    if (tries < maxLateTries || notifiedAt !== undefined) continue;
    const text = rangeText.seconds(range, zone);
    const title = `the call log of ${account.name} ${text} lags behind the gateway`;
    const subject = `Tollkeeper: ${title}`;
    const message = `The gateway's sum is ${gatewaySum}, and the log still has less after ${countText(tries, 'pull')} on different days.`;
    await notify(
      { outbox, clock, ...mail, kinds: mail.kinds ?? new Map() },
      {
        key: { account: account.name, kind: 'late', subject: `${range.start}/${range.end}/${gatewaySum}` },
        from: mail.from,
        to: costOwners.operators,
        subject,
        ...renderAlertEmail({
          subject,
          title,
          tone: 'bad',
          preview: message,
          blocks: [
            {
              heading: text,
              tone: 'bad',
              lines: [
                ['What', message],
                ['What to do', '`tollkeeper reconcile` with this time range; ask the provider for the rows.'],
              ],
            },
          ],
          closing: [
            'The time range is pulled again when its sum at the gateway changes. No further mail is sent about this sum.',
          ],
        }),
      },
    );
    await comparisons.noteLagging(account.name, range, [{ ...window, notifiedAt: clock.now() }]);
  }
};
