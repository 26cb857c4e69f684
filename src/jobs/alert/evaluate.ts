import { unixMillis, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import {
  alertStatusSchema,
  budgetStatusOf,
  conditionsOf,
  runwayConditions,
  runwayStatusOf,
  type Assessment,
  type Budget,
  type BudgetStatus,
  type Condition,
} from '../../monitoring/index.ts';
import type { AlertStatus } from '../../warehouse/index.ts';
import type { JobContext } from '../job-kind.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { AlertSettings } from './alert-shape.ts';
import { readBudgets, type AssessedBudget } from './read-budgets.ts';
import { readRunways, type ReadRunway } from './read-runways.ts';

export type Evaluation = {
  readonly budgets: readonly AssessedBudget[];
  readonly runways: readonly ReadRunway[];
  readonly conditions: readonly Condition[];
  /** Budgets whose state has been unknown for longer than `unknown_after`. */
  readonly unknown: readonly Assessment[];
  readonly statuses: readonly Omit<AlertStatus, 'account'>[];
};

export const currentOf = ({ periods }: AssessedBudget): Assessment | undefined => periods.at(-1)?.assessment;

const budgetStatusesOf = (stored: readonly AlertStatus[]): ReadonlyMap<string, BudgetStatus> =>
  new Map(
    stored.flatMap(({ alert, status }) => {
      const content = alertStatusSchema.safeParse(JSON.parse(status));
      return content.success && content.data.kind === 'budget' ? [[alert, content.data] as const] : [];
    }),
  );

export const budgetsOf = (
  { budgets: named }: AlertSettings,
  { costOwners = noCostOwners }: Pick<JobContext, 'costOwners'>,
): readonly Budget[] =>
  (costOwners.budgets ?? []).filter(({ name }) => named === undefined || named.includes(name));

/** Stale data makes the budget unknown from the end of the data. */
const unknownSinceOf = (
  { state, reason }: Assessment,
  before: AlertStatus | undefined,
  now: UnixMillis,
): UnixMillis | undefined => {
  if (state !== 'unknown') return undefined;
  const seen = before?.unknownSince ?? now;
  return reason?.kind === 'stale' ? unixMillis(Math.min(seen, reason.reaches * 1000)) : seen;
};

/** Writes nothing. */
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
