import { formatSlot, countText, type UnixMillis } from '../../core/index.ts';
import { describeHead, type AuditHead } from '../../keys/index.ts';
import { notify } from '../../notify/index.ts';
import { renderAlertEmail, type AlertBlock } from '../../reports/index.ts';
import type { JobContext } from '../job-kind.ts';
import { noCostOwners } from '../cost-owners.ts';

/** Much to tell at once still makes a mail that can be read. */
const maxKeys = 40;

/** A key in a plan mail: what would be done with it, or why nothing is. */
export type PlannedKey = {
  readonly name: string;
  /** `60 days`; missing where the gateway does not tell. */
  readonly age?: string | undefined;
  readonly service: string;
  readonly skipped: boolean;
  readonly message: string;
};

export type PlanEmail = {
  /** `3 keys would be rotated, 2 skipped`. */
  readonly title: string;
  readonly keys: readonly PlannedKey[];
  /** How many are left alone as usual: too young, and the like. */
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
  readonly job: string;
  readonly account: string;
  readonly slot: UnixMillis;
  readonly zone: string;
  /** The last step of the audit log; missing before the first. */
  readonly audit?: AuditHead | undefined;
};

/** The notification of a plan. */
export const planEmail = (
  { title, keys, usual }: PlanEmail,
  { job, account, slot, zone, audit }: PlanSource,
): { readonly subject: string; readonly html: string; readonly text: string } => {
  const blocks = keys.slice(0, maxKeys).map(blockOf);
  const more = keys.length - blocks.length;
  const subject = `Tollkeeper: ${title}`;
  return {
    subject,
    ...renderAlertEmail({
      subject,
      title,
      tone: 'good',
      preview: keys
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', '),
      blocks,
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
    }),
  };
};

/** Enqueues the plan for the operators, or whom the job names, once a slot; as a sentence that end a summary. */
export const mailPlan = async (
  plan: PlanEmail,
  to: readonly string[] | undefined,
  context: JobContext,
): Promise<{ readonly notified: number; readonly mailed: string }> => {
  // Nothing is to be told of keys that go their usual way.
  if (plan.keys.length === 0) return { notified: 0, mailed: '' };
  const { mail, account, warehouse, clock, slot, zone, name, costOwners = noCostOwners } = context;
  const recipients = to ?? costOwners.operators;
  if (mail === undefined || recipients.length === 0)
    return { notified: 0, mailed: '; no notification is sent: no mail or no operators are declared' };
  const { length: notified } = await notify(
    { outbox: warehouse.outbox, clock, ...mail, kinds: mail.kinds ?? new Map() },
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
      }),
    },
  );
  return { notified, mailed: `; the plan is enqueued for ${countText(notified, 'recipient')}` };
};
