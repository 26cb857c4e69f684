import type { UnixMillis } from '../../core/index.ts';
import { decideAlerts, type AlertRecord, type Assessment } from '../../monitoring/index.ts';
import type { AlertNotification, StoredAlert } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import { currentOf, type Evaluation } from './evaluate.ts';
import { budgetAlert, budgetRecovery } from './messages/budgets.ts';
import type { MessageContext } from './messages/notification.ts';
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

export type Decided = { readonly raised: number; readonly recovered: number };

/**
 * Decides which alerts begin and end, and stores them with their notifications in one transaction.
 * Reads the causes before, for the alerts known to begin by then.
 */
export const decide = async (
  evaluation: Evaluation,
  now: UnixMillis,
  context: JobContext,
): Promise<Decided> => {
  const { account, warehouse, zone, costOwners = noCostOwners } = context;
  const { conditions, budgets } = evaluation;
  const alerts = [...new Set(conditions.map(({ alert }) => alert))];
  const decisionOf = (records: readonly StoredAlert[], muted: ReadonlySet<string>) =>
    decideAlerts({ conditions, records, isMuted: (alert) => muted.has(alert), now });
  const mutes = await warehouse.alerts.mutes(now);
  const muted = new Set(mutes.flatMap((mute) => (mute.account === account.name ? [mute.alert] : [])));
  const known = (await warehouse.alerts.records(account.name)).filter(({ alert }) => alerts.includes(alert));
  const expected = decisionOf(known, muted);
  const causes = await readCauses(
    budgets.flatMap(({ periods }) =>
      periods.filter(({ assessment: { budget, period } }) =>
        expected.raised.some((one) => one.alert === budget.name && one.period === String(period.start)),
      ),
    ),
    context,
  );
  const messages: MessageContext = { account: account.name, zone, now, operators: costOwners.operators };
  let decided: Decided = { raised: 0, recovered: 0 };
  await warehouse.alerts.decide(account.name, alerts, now, ({ records, mutes: stored }) => {
    const silent = new Set(stored.map(({ alert }) => alert));
    const { raised, recovered, dropped } = decisionOf(records, silent);
    decided = { raised: raised.length, recovered: recovered.length };
    const notifications = [
      ...groupsOf(raised).map((group) => notificationOf('alert', group, evaluation, causes, messages)),
      ...groupsOf(recovered.filter(({ alert }) => !silent.has(alert))).map((group) =>
        notificationOf('recovered', group, evaluation, causes, messages),
      ),
    ];
    return {
      records: [...raised, ...recovered, ...dropped],
      notifications: notifications.filter((one) => one !== undefined),
    };
  });
  return decided;
};
