import { linesOf, localeOf } from '../../messages/index.ts';
import { prepare } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { LaggingWindow } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

const emailOf = (
  { range, gatewaySum, tries }: LaggingWindow,
  { account, zone, locale: tag, reports }: JobContext,
) => {
  const locale = localeOf(tag);
  const { range: rangeText, late } = locale.outages;
  const heading = rangeText(range, zone);
  const lines = linesOf({ what: late.what(gatewaySum, tries), toDo: late.toDo }, locale.mails);
  return renderAlertEmail({
    title: late.title(account.name, heading),
    locale,
    blocks: [{ heading, tone: 'bad', lines }],
    recipients: 'mail.operators',
    page: reports.pageUrl,
    closing: [late.closing],
  });
};

/** Notifies operators, once per sum at the gateway, of windows that still lag after all attempts. */
export const notifyOfResting = async (context: JobContext): Promise<void> => {
  const { mail, account, warehouse, clock, costOwners = noCostOwners } = context;
  if (mail === undefined || costOwners.operators.length === 0) return;
  const { from } = mail;
  await warehouse.notifyOnce('late', account.name, async (windows) => {
    const entries = [];
    for (const window of windows) {
      const { range, gatewaySum } = window;
      const subject = `${range.start}/${range.end}/${gatewaySum}`;
      const key = { account: account.name, kind: 'late', subject };
      const email = emailOf(window, context);
      const deps = { outbox: warehouse.outbox, clock, ...mail };
      entries.push(...(await prepare(deps, { key, from, to: costOwners.operators, ...email })));
    }
    return entries;
  });
};
