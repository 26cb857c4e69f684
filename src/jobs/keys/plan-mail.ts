import { formatSlot, countText, type UnixMillis } from '../../core/index.ts';
import { describeHead, type AuditHead } from '../../keys/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail, type AlertBlock } from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import { noCostOwners } from '../cost-owners.ts';

/** Keeps a mail about many keys readable. */
const maxKeys = 40;

export type PlannedKey = {
  readonly name: string;
  /** `60 days`; missing when the gateway does not report it. */
  readonly age?: string | undefined;
  readonly service: string;
  readonly skipped: boolean;
  readonly message: string;
};

export type PlanEmail = {
  /** `3 keys would be rotated, 2 skipped`. */
  readonly title: string;
  readonly keys: readonly PlannedKey[];
  /** Number of keys skipped for ordinary reasons, such as their age. */
  readonly usual: number;
};

const blockOf = ({ name, age, service, skipped, message }: PlannedKey): AlertBlock => ({
  heading: name,
  tone: skipped ? 'bad' : 'good',
  lines: [
    ...(service === name ? [] : [['Service', service] as const]),
    ...(age === undefined ? [] : [['Age', age] as const]),
    [skipped ? 'Skipped' : 'Planned', message],
  ],
});

type PlanSource = {
  /** The setting that holds the recipients. */
  readonly recipients: string;
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
  { title, keys, usual }: PlanEmail,
  { job, account, slot, zone, audit, recipients, page }: PlanSource,
): { readonly subject: string; readonly html: string; readonly text: string } => {
  const blocks = keys.slice(0, maxKeys).map(blockOf);
  const more = keys.length - blocks.length;
  return renderAlertEmail({
    title,
    tone: 'good',
    preview: keys
      .slice(0, 3)
      .map(({ name }) => name)
      .join(', '),
    blocks,
    recipients,
    page,
    closing: [
      ...(more > 0 ? [`… and ${more} more keys.`] : []),
      ...(usual === 0
        ? []
        : [
            `${usual === 1 ? '1 other key is' : `${usual} other keys are`} skipped as expected: not due yet, being rotated, or replaced by a newer one.`,
          ]),
      `Plan of job ${job}, account ${account}, created ${formatSlot(slot, zone)}. Nothing was changed.`,
      `\`tollkeeper keys plan ${job} -o plan.json\` writes it to a file, \`tollkeeper keys apply plan.json\` carries it out.`,
      'With `mode: apply` the job carries it out automatically.',
      ...(audit === undefined ? [] : [describeHead(audit)]),
    ],
  });
};

/** Enqueues the plan once per slot, for the operators or the recipients of the job. Returns a sentence for the summary. */
export const mailPlan = async (
  plan: PlanEmail,
  to: readonly string[] | undefined,
  context: JobContext,
): Promise<{ readonly notified: number; readonly mailed: string }> => {
  // Keys skipped for ordinary reasons need no mail.
  if (plan.keys.length === 0) return { notified: 0, mailed: '' };
  const { mail, account, warehouse, reports, clock, slot, zone, name, costOwners = noCostOwners } = context;
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
        recipients: to === undefined ? 'mail.operators' : `mail.to of job ${name}`,
        page: reports.pageUrl,
      }),
    },
  );
  return { notified, mailed: `; the plan is enqueued for ${countText(notified, 'recipient')}` };
};
