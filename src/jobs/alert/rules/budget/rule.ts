import { z } from 'zod';
import { unixMillis, type UnixMillis } from '../../../../core/index.ts';
import { budgetName, positiveDuration } from '../../../../config/index.ts';
import {
  conditionsOf,
  type AlertRecord,
  type Assessment,
  type Budget,
} from '../../../../monitoring/index.ts';
import { noCostOwners } from '../../../cost-owners.ts';
import type { JobContext } from '../../../job-kind.ts';
import {
  defineAlertRule,
  groupsOf,
  type AlertEvent,
  type AlertNotice,
  type Before,
  type RuleContext,
} from '../../rule.ts';
import { budgetAlert, budgetRecovery } from './budget-mails.ts';
import { readBudgets, type AssessedBudget } from './read-budgets.ts';
import { readExplanations, type Explanation } from './read-explanations.ts';
import { budgetStatus, budgetStatusOf, type BudgetStatus } from './stored.ts';
import { unknownAlert, unknownRecovery } from './unknown-mails.ts';
import { budgetShown, dataShown } from './view.ts';

/** The alert on data: of all budgets, or of those of one job. */
export const isOnData = (alert: string): boolean => alert === 'data' || alert.startsWith('data:');

export const budgetsOf = (
  { budgets: named }: { readonly budgets?: readonly string[] | undefined },
  { costOwners = noCostOwners }: Pick<JobContext, 'costOwners'>,
): readonly Budget[] =>
  (costOwners.budgets ?? []).filter(({ name }) => named === undefined || named.includes(name));

type Found = AssessedBudget & {
  /** Of the current period. */
  readonly current: Assessment;
  /** Set while its state is unknown. */
  readonly unknownSince: UnixMillis | undefined;
  /** Whether its state has been unknown for longer than `unknown_after`. */
  readonly isOverdue: boolean;
};

/** Stale data makes the budget unknown from the end of the data. */
const unknownSinceOf = (
  { state, reason, budget }: Assessment,
  before: Before<BudgetStatus>,
  now: UnixMillis,
): UnixMillis | undefined => {
  if (state !== 'unknown') return undefined;
  const seen = before.get(budget.name)?.unknownSince ?? now;
  return reason?.kind === 'stale' ? unixMillis(Math.min(seen, reason.reaches * 1000)) : seen;
};

const dataState = (found: readonly Found[]): 'firing' | 'clear' | 'unchanged' => {
  if (found.some(({ isOverdue }) => isOverdue)) return 'firing';
  return found.every(({ unknownSince }) => unknownSince === undefined) ? 'clear' : 'unchanged';
};

/** One notice of data that is unknown, or known again. */
const dataNotices = (
  event: AlertEvent,
  records: readonly AlertRecord[],
  found: readonly Found[],
  context: RuleContext,
): readonly AlertNotice[] => {
  const overdue = found.filter(({ isOverdue }) => isOverdue).map(({ current }) => current);
  return groupsOf(records.filter(({ alert }) => isOnData(alert))).map((group) =>
    event === 'alert' ? unknownAlert(group, overdue, context) : unknownRecovery(group, context),
  );
};

/** The budgets of the configuration: thresholds of the spend and of its forecast, and data that does not suffice for them. */
export const budgetRule = defineAlertRule({
  name: 'budget',
  settings: {
    budgets: z
      .array(budgetName)
      .min(1)
      .optional()
      .describe(
        'Names of the budgets to evaluate. Defaults to all budgets of the account. The budget of an account is named account-NAME, that of a team team-NAME.',
      ),
    unknown_after: positiveDuration
      .prefault('6h')
      .describe('How long the state of a budget may be unknown before operators are notified.'),
  },
  stored: budgetStatus,
  owns: (alert) => isOnData(alert) || !alert.includes(':'),
  read: async (settings, before, { job, needed, now }): Promise<readonly Found[]> => {
    job.progress({ step: 'evaluating budgets' });
    const statuses = new Map([...before].map(([alert, { status }]) => [alert, status]));
    const assessed = await readBudgets({ budgets: budgetsOf(settings, job), needed, before: statuses }, job);
    return assessed.flatMap((one) => {
      const current = one.periods.at(-1)?.assessment;
      if (current === undefined) return [];
      const unknownSince = unknownSinceOf(current, before, now);
      const isOverdue = unknownSince !== undefined && now - unknownSince >= settings.unknown_after;
      return [{ ...one, current, unknownSince, isOverdue }];
    });
  },
  decide: (found, { budgets }, _before, { job }) => {
    const data = {
      // A job that evaluates some budgets knows nothing about the data of the others.
      alert: budgets === undefined ? 'data' : `data:${job}`,
      level: 'unknown',
      state: dataState(found),
    } as const;
    return {
      conditions: [
        ...found.flatMap(({ periods }) => periods.flatMap(({ assessment }) => conditionsOf(assessment))),
        data,
      ],
      stored: new Map(
        found.map(({ budget, current, openSince, unknownSince }) => [
          budget.name,
          { status: budgetStatusOf(current, openSince), unknownSince },
        ]),
      ),
    };
  },
  notices: async (event, records, found, context) => {
    const groups = groupsOf(records).flatMap((group) => {
      const [{ alert, period }] = group;
      const asked = found
        .find(({ budget }) => budget.name === alert)
        ?.periods.find(({ assessment }) => String(assessment.period.start) === period);
      return asked === undefined ? [] : [{ group, asked }];
    });
    const explanations =
      event === 'recovered'
        ? new Map<Assessment, Explanation>()
        : await readExplanations(
            groups.map(({ asked }) => asked),
            context.job,
          );
    return [
      ...groups.flatMap(({ group, asked: { assessment } }) =>
        event === 'alert'
          ? budgetAlert(group, assessment, explanations.get(assessment), context)
          : budgetRecovery(group, assessment, context),
      ),
      ...dataNotices(event, records, found, context),
    ];
  },
  view: ({ account, costOwners, stored, firing }) => {
    const fires = (alert: string): boolean => firing.some((one) => one.alert === alert);
    // A budget removed from the config has no state.
    const budgets = (costOwners.budgets ?? []).map((budget) =>
      budgetShown(budget, stored.get(budget.name), fires(budget.name), account),
    );
    const onData = new Set(firing.flatMap(({ alert }) => (isOnData(alert) ? [alert] : [])));
    return [...budgets, ...[...onData].map(dataShown)];
  },
});
