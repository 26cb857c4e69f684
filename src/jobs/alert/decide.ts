import type { UnixMillis } from '../../core/index.ts';
import { decideAlerts, type AlertRecord, type Assessment } from '../../monitoring/index.ts';
import { prepare } from '../../notify/index.ts';
import { renderAlertEmail } from '../../reports/index.ts';
import type { OutboxEntry } from '../../storage/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import { currentOf, type Evaluation } from './evaluate.ts';
import { budgetAlert, budgetRecovery } from './messages/budgets.ts';
import type { AlertNotification, MessageContext } from './messages/notification.ts';
import { runwayAlert, runwayRecovery } from './messages/runways.ts';
import { unknownAlert, unknownRecovery } from './messages/unknown.ts';
import { readCauses } from './read-causes.ts';

const groupsOf = (records: readonly AlertRecord[]): readonly (readonly AlertRecord[])[] => {
  const groups = new Map<string, AlertRecord[]>();
  for (const record of records) {
    const name = JSON.stringify([record.alert, record.period]);
    groups.set(name, [...(groups.get(name) ?? []), record]);
  }
  return [...groups.values()];
};

type Causes = ReadonlyMap<Assessment, string>;

const notificationOf = (
  event: 'alert' | 'recovered',
  records: readonly AlertRecord[],
  { budgets, runways, unknown }: Evaluation,
  causes: Causes,
  context: MessageContext,
): AlertNotification | undefined => {
  const [first] = records;
  if (first === undefined) return undefined;
  if (first.alert === 'data' || first.alert.startsWith('data:'))
    return event === 'alert' ? unknownAlert(records, unknown, context) : unknownRecovery(records, context);
  const runway = runways.find(({ alert }) => alert === first.alert);
  if (runway !== undefined)
    return event === 'alert'
      ? runwayAlert(records, runway, context)
      : runwayRecovery(records, runway, context);
  const budget = budgets.find((one) => one.budget.name === first.alert);
  const assessment =
    budget?.periods.find(({ assessment: { period } }) => String(period.start) === first.period)?.assessment ??
    (budget === undefined ? undefined : currentOf(budget));
  if (assessment === undefined) return undefined;
  return event === 'alert'
    ? budgetAlert(records, assessment, causes.get(assessment), context)
    : budgetRecovery(records, assessment, context);
};

/** `notified` counts the messages that were enqueued, one for each recipient. */
export type Decided = { readonly raised: number; readonly recovered: number; readonly notified: number };

/** Renders the mails and stores their bytes. */
const mailsOf = async (
  notifications: readonly AlertNotification[],
  { mail, account, warehouse: { outbox }, clock, signal }: JobContext,
): Promise<readonly OutboxEntry[]> => {
  const entries: OutboxEntry[] = [];
  if (mail === undefined) return entries;
  for (const { id, to, ...message } of notifications) {
    signal.throwIfAborted();
    const key = { account: account.name, kind: 'alert', subject: id };
    const { from } = mail;
    const rendered = renderAlertEmail(message);
    entries.push(...(await prepare({ outbox, clock, ...mail }, { key, from, to, ...rendered })));
  }
  return entries;
};

/** Decides which alerts begin and end, and stores them together with their mails. */
export const decide = async (
  evaluation: Evaluation,
  now: UnixMillis,
  context: JobContext,
): Promise<Decided> => {
  const { account, warehouse, zone, costOwners = noCostOwners } = context;
  const { conditions, budgets } = evaluation;
  const alerts = [...new Set(conditions.map(({ alert }) => alert))];
  const messages: MessageContext = { account: account.name, zone, now, operators: costOwners.operators };
  let decided: Decided = { raised: 0, recovered: 0, notified: 0 };
  await warehouse.alerts.decide(account.name, alerts, now, async ({ records, mutes }) => {
    const muted = new Set(mutes.map(({ alert }) => alert));
    const isMuted = (alert: string): boolean => muted.has(alert);
    const { raised, recovered, dropped } = decideAlerts({ conditions, records, isMuted, now });
    const causes = await readCauses(
      budgets.flatMap(({ periods }) =>
        periods.filter(({ assessment: { budget, period } }) =>
          raised.some((one) => one.alert === budget.name && one.period === String(period.start)),
        ),
      ),
      context,
    );
    const notifications = [
      ...groupsOf(raised).map((group) => notificationOf('alert', group, evaluation, causes, messages)),
      ...groupsOf(recovered.filter(({ alert }) => !muted.has(alert))).map((group) =>
        notificationOf('recovered', group, evaluation, causes, messages),
      ),
    ];
    const mails = await mailsOf(
      notifications.filter((one) => one !== undefined),
      context,
    );
    decided = { raised: raised.length, recovered: recovered.length, notified: mails.length };
    return { records: [...raised, ...recovered, ...dropped], mails };
  });
  return decided;
};
