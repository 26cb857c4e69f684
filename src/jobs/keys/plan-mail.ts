import { countText, type UnixMillis } from '../../core/index.ts';
import type { AuditHead } from '../../keys/index.ts';
import { linesOf, localeOf, type Locale } from '../../messages/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail, type AlertBlock } from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import type { KeyPlan } from './key-plan.ts';
import { noCostOwners } from '../cost-owners.ts';

/** Keeps a mail about many keys readable. */
const maxKeys = 40;

type PlanSource = {
  readonly locale: Locale;
  /** The recipients that the job declares; operators by default. */
  readonly to?: readonly string[] | undefined;
  /** The public URL of the status page. */
  readonly page?: string | undefined;
  readonly job: string;
  readonly account: string;
  readonly slot: UnixMillis;
  readonly zone: string;
  /** The last step of the audit log; missing before the first. */
  readonly audit?: AuditHead | undefined;
};

export const planEmail = (
  { counts, keys, usual }: KeyPlan,
  { job, account, slot, zone, audit, locale, to, page }: PlanSource,
): ReturnType<typeof renderAlertEmail> => {
  const { plans, mails, outages } = locale;
  const at = (moment: UnixMillis): string => outages.at(moment, zone);
  const blocks = keys.slice(0, maxKeys).map(({ name, age, service, facts }): AlertBlock => ({
    heading: name,
    tone: facts.kind === 'skip' ? 'bad' : 'good',
    lines: linesOf(
      {
        service: service === name ? undefined : service,
        age: age === undefined ? undefined : plans.age(age),
        ...(facts.kind === 'skip'
          ? {
              skipped: plans.skipped(
                facts.reason,
                facts.message,
                facts.at === undefined ? undefined : at(facts.at),
              ),
            }
          : { planned: plans.planned(facts, at) }),
      },
      mails,
    ),
  }));
  const more = keys.length - blocks.length;
  return renderAlertEmail({
    title: plans.title(counts),
    locale,
    tone: 'good',
    preview: keys
      .slice(0, 3)
      .map(({ name }) => name)
      .join(', '),
    blocks,
    recipients: to === undefined ? 'mail.operators' : plans.recipients(job),
    page,
    closing: [
      ...(more > 0 ? [plans.more(more)] : []),
      ...(usual === 0 ? [] : [plans.usual(usual)]),
      ...plans.closing(job, account, at(slot)),
      ...(audit === undefined ? [] : [locale.keys.auditHead(audit.seq, audit.hash)]),
    ],
  });
};

/** Enqueues the plan once per slot, for the operators or the recipients of the job. Returns a sentence for the summary. */
export const mailPlan = async (
  plan: KeyPlan,
  to: readonly string[] | undefined,
  context: JobContext,
): Promise<{ readonly notified: number; readonly mailed: string }> => {
  // Keys skipped for ordinary reasons need no mail.
  if (plan.keys.length === 0) return { notified: 0, mailed: '' };
  const { mail, account, warehouse, reports, clock, slot, zone, name, locale } = context;
  const { costOwners = noCostOwners } = context;
  const recipients = to ?? costOwners.operators;
  if (mail === undefined || recipients.length === 0)
    return { notified: 0, mailed: '; no notification is sent: no mail or no operators are declared' };
  const { length: notified } = await notify(
    { outbox: warehouse.outbox, clock, ...mail },
    {
      key: { account: account.name, kind: `key-plan:${name}`, subject: new Date(slot).toISOString() },
      from: mail.from,
      to: recipients,
      ...planEmail(plan, {
        job: name,
        account: account.name,
        slot,
        zone,
        audit: await warehouse.keys.last(),
        locale: localeOf(locale),
        to,
        page: reports.pageUrl,
      }),
    },
  );
  return { notified, mailed: `; the plan is enqueued for ${countText(notified, 'recipient')}` };
};
