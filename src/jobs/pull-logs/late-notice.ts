import { countText, rangeText } from '../../core/index.ts';
import { prepare } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { LaggingWindow } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

const emailOf = (
  { range, gatewaySum, tries }: LaggingWindow,
  account: string,
  zone: string,
  page: string | undefined,
) => {
  const text = rangeText.seconds(range, zone);
  return renderAlertEmail({
    title: `The call log of ${account} ${text} lags behind the gateway`,
    blocks: [
      {
        heading: text,
        tone: 'bad',
        lines: [
          [
            'What',
            `The gateway's sum is ${gatewaySum}, and the log still has less after ${countText(tries, 'pull')} on different days.`,
          ],
          ['What to do', '`tollkeeper reconcile` with this time range; ask the provider for the rows.'],
        ],
      },
    ],
    recipients: 'mail.operators',
    page,
    closing: [
      'The time range is pulled again when its sum at the gateway changes. No further mail is sent about this sum.',
    ],
  });
};

/** Notifies operators, once per sum at the gateway, of windows that still lag after all attempts. */
export const notifyOfResting = async (context: JobContext): Promise<void> => {
  const { mail, account, warehouse, reports, clock, zone, costOwners = noCostOwners } = context;
  if (mail === undefined || costOwners.operators.length === 0) return;
  const { from } = mail;
  await warehouse.notifyOnce('late', account.name, async (windows) => {
    const entries = [];
    for (const window of windows) {
      const { range, gatewaySum } = window;
      const subject = `${range.start}/${range.end}/${gatewaySum}`;
      const key = { account: account.name, kind: 'late', subject };
      const email = emailOf(window, account.name, zone, reports.pageUrl);
      const deps = { outbox: warehouse.outbox, clock, ...mail };
      entries.push(...(await prepare(deps, { key, from, to: costOwners.operators, ...email })));
    }
    return entries;
  });
};
