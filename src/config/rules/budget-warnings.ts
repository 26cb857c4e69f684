import { compareMoney, money, multiplyMoney } from '../../core/index.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import type { Settings } from '../schema/settings-schema.ts';
import { shortForms } from './budget-rules.ts';
import type { Checked } from './check.ts';

/** A job that evaluates budgets of its account: those that it names, or all. */
export type AlertJob = { readonly account: string; readonly budgets: readonly string[] | undefined };

const hundred = money('100');
const two = money('2');

/** Thresholds such as `[80, 100]` on 500: allowed, but they are amounts. */
const percentLike = ({ value: settings, source }: Checked<Settings>): readonly ConfigFault[] =>
  Object.entries(settings?.budgets ?? {}).flatMap(([name, budget]) =>
    (['thresholds', 'forecast_thresholds'] as const).flatMap((key): readonly ConfigFault[] => {
      const bare = budget[key].flatMap((threshold) => ('amount' in threshold ? [threshold] : []));
      const highest = bare
        .map(({ amount }) => amount)
        .toSorted(compareMoney)
        .at(-1);
      if (
        highest === undefined ||
        compareMoney(highest, hundred) > 0 ||
        compareMoney(budget.amount, multiplyMoney(highest, two)) < 0
      )
        return [];
      const labels = bare.map(({ label }) => label);
      return [
        {
          file: source.file,
          ...source.at(['budgets', name, key]),
          message: `budgets.${name}.${key} ${labels.join(', ')} ${labels.length === 1 ? 'is an amount' : 'are amounts'}, far below the budget of ${budget.amount}`,
          advice: `for percentages write ${key}: [${labels.map((label) => `"${label}%"`).join(', ')}]`,
        },
      ];
    }),
  );

/** Budgets that no job of kind alert evaluates. */
const unevaluated = (
  { value: settings, source }: Checked<Settings>,
  jobs: readonly AlertJob[],
): readonly ConfigFault[] => {
  if (settings === undefined) return [];
  const [only = ''] = Object.keys(settings.accounts);
  const isEvaluated = (name: string, account: string | undefined): boolean =>
    jobs.some(
      (job) =>
        (account === undefined || job.account === account) &&
        (job.budgets === undefined || job.budgets.includes(name)),
    );
  const declared = [
    ...Object.entries(settings.budgets).map(([name, budget]) => ({
      name,
      account: budget.account ?? only,
      path: ['budgets', name],
    })),
    // The budget of a team counts its spend in whichever account it has keys.
    ...[...shortForms(settings)].map(([name, place]) => ({
      name,
      account: place.startsWith('accounts.') ? place.split('.')[1] : undefined,
      path: place.split('.'),
    })),
  ];
  return declared.flatMap(({ name, account, path }) =>
    isEvaluated(name, account)
      ? []
      : [
          {
            file: source.file,
            ...source.atKey(path),
            message: `no job of kind alert evaluates the budget ${name}, so no alert is sent when it is exceeded`,
            advice:
              jobs.length === 0
                ? 'add a job to a file in jobs/, such as alerts: { kind: alert, needs: [pull-logs] }'
                : `add ${name} to budgets of a job of kind alert`,
          },
        ],
  );
};

export const budgetWarnings = (
  part: Checked<Settings>,
  jobs: readonly AlertJob[],
): readonly ConfigFault[] => [...percentLike(part), ...unevaluated(part, jobs)];
