import { unixMillis } from '../../core/index.ts';
import type { UnixMillis, UnixSeconds } from '../../core/index.ts';
import {
  alertStatusSchema,
  budgetStatusOf,
  conditionsOf,
  decideAlerts,
  runwayConditions,
  runwayStatusOf,
} from '../../monitoring/index.ts';
import type { AlertRecord, Assessment, Budget, BudgetStatus, Condition } from '../../monitoring/index.ts';
import type { AlertNotification, AlertStatus, StoredAlert } from '../../warehouse/index.ts';
import type { JobContext } from '../job-kind.ts';
import { nobodyPays } from '../cost-owners.ts';
import type { AlertSettings } from './alert-shape.ts';
import { readCauses } from './read-causes.ts';
import {
  budgetAlert,
  budgetRecovery,
  runwayAlert,
  runwayRecovery,
  unknownAlert,
  unknownRecovery,
} from './messages.ts';
import type { MessageContext } from './messages.ts';
import { readBudgets } from './read-budgets.ts';
import type { AssessedBudget } from './read-budgets.ts';
import { readRunways } from './read-runways.ts';
import type { ReadRunway } from './read-runways.ts';

/** Everything that one evaluation found. */
export type Evaluation = {
  readonly budgets: readonly AssessedBudget[];
  readonly runways: readonly ReadRunway[];
  readonly conditions: readonly Condition[];
  /** Budgets whose state has been unknown for longer than `unknown_after`. */
  readonly unknown: readonly Assessment[];
  readonly statuses: readonly Omit<AlertStatus, 'account'>[];
};

const currentOf = ({ periods }: AssessedBudget): Assessment | undefined => periods.at(-1)?.assessment;

const budgetStatusesOf = (stored: readonly AlertStatus[]): ReadonlyMap<string, BudgetStatus> =>
  new Map(
    stored.flatMap(({ alert, status }) => {
      const content = alertStatusSchema.safeParse(JSON.parse(status));
      return content.success && content.data.kind === 'budget' ? [[alert, content.data] as const] : [];
    }),
  );

/** The budgets that the job names. */
export const budgetsOf = (
  { budgets: named }: AlertSettings,
  { costOwners = nobodyPays }: Pick<JobContext, 'costOwners'>,
): readonly Budget[] =>
  (costOwners.budgets ?? []).filter(({ name }) => named === undefined || named.includes(name));

/** Since when the budget has been unknown: stale data counts from where it ends. */
const unknownSinceOf = (
  { state, reason }: Assessment,
  before: AlertStatus | undefined,
  now: UnixMillis,
): UnixMillis | undefined => {
  if (state !== 'unknown') return undefined;
  const seen = before?.unknownSince ?? now;
  return reason?.kind === 'stale' ? unixMillis(Math.min(seen, reason.reaches * 1000)) : seen;
};

/** Reads and assesses everything; writes nothing. */
export const evaluate = async (
  settings: AlertSettings,
  needed: UnixSeconds,
  context: JobContext,
): Promise<Evaluation> => {
  const { account, warehouse, clock, progress } = context;
  const now = clock.now();
  const budgets = budgetsOf(settings, context);
  const stored = await warehouse.alerts.statuses(account.name);
  progress({ step: 'evaluating budgets' });
  const assessed = await readBudgets({ budgets, needed, before: budgetStatusesOf(stored) }, context);
  const runways = await readRunways(now, context);
  const unknownSince = new Map(
    assessed.flatMap((one) => {
      const current = currentOf(one);
      const since =
        current === undefined
          ? undefined
          : unknownSinceOf(
              current,
              stored.find(({ alert }) => alert === one.budget.name),
              now,
            );
      return since === undefined ? [] : [[one.budget.name, since] as const];
    }),
  );
  const unknown = assessed.flatMap((one) => {
    const since = unknownSince.get(one.budget.name);
    const current = currentOf(one);
    return since === undefined || current === undefined || now - since < settings.unknown_after
      ? []
      : [current];
  });
  const data: Condition = {
    // A job that evaluates some budgets knows nothing about the data of the others.
    alert: settings.budgets === undefined ? 'data' : `data:${context.name}`,
    level: 'unknown',
    state: unknown.length > 0 ? 'firing' : unknownSince.size === 0 ? 'clear' : 'unchanged',
  };
  return {
    budgets: assessed,
    runways,
    unknown,
    conditions: [
      ...assessed.flatMap(({ periods }) => periods.flatMap(({ assessment }) => conditionsOf(assessment))),
      ...runways.flatMap(({ alert, kind, runway }) =>
        runwayConditions(alert, runway, kind === 'runway' ? settings.runway_days : settings.key_days),
      ),
      data,
    ],
    statuses: [
      ...assessed.flatMap((one) => {
        const current = currentOf(one);
        return current === undefined
          ? []
          : [
              {
                alert: one.budget.name,
                evaluatedAt: now,
                unknownSince: unknownSince.get(one.budget.name),
                status: JSON.stringify(budgetStatusOf(current, one.openSince)),
              },
            ];
      }),
      ...runways.map(({ alert, kind, runway, readAt }) => ({
        alert,
        evaluatedAt: now,
        status: JSON.stringify(runwayStatusOf(kind, runway, readAt)),
      })),
    ],
  };
};

/** Records of one budget and period, or of one other alert. */
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

/** What an evaluation changed. */
export type Decided = { readonly raised: number; readonly recovered: number };

/**
 * Decides which alerts begin and end, and stores them with their notifications in one transaction. Causes are read
 * before, for the alerts that begin as far as is known then.
 */
export const decide = async (
  evaluation: Evaluation,
  now: UnixMillis,
  context: JobContext,
): Promise<Decided> => {
  const { account, warehouse, zone, costOwners = nobodyPays } = context;
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
