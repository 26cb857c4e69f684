import { money, tagNames, type Money } from '../../core/index.ts';
import { thresholdAmount, type Config, type WrittenBudget } from '../../config/index.ts';
import type { Budget, BudgetScope, Threshold } from '../../monitoring/index.ts';
import type { CostOwners } from '../../jobs/index.ts';

type Settings = Config['settings'];

const scopeOf = ({ team, service, keys, model, tag }: WrittenBudget): BudgetScope => {
  if (team !== undefined) return { kind: 'team', name: team };
  if (service !== undefined) return { kind: 'service', name: service };
  if (keys !== undefined) return { kind: 'keys', name: keys };
  if (model !== undefined) return { kind: 'model', name: model };
  const [tagged] = tagNames.flatMap((name) =>
    tag?.[name] === undefined ? [] : [[name, tag[name]] as const],
  );
  return tagged === undefined ? { kind: 'account' } : { kind: 'tag', tag: tagged[0], name: tagged[1] };
};

const thresholdsOf = (written: WrittenBudget['thresholds'], amount: Money): readonly Threshold[] =>
  written.map((one) => ({ label: one.label, amount: thresholdAmount(one, amount) }));

const monthly = (
  name: string,
  scope: BudgetScope,
  amount: Money,
  { currency, zone, owner }: Pick<Budget, 'currency' | 'zone' | 'owner'>,
): Budget => {
  const percent = (label: string, of: string): Threshold => ({
    label,
    amount: thresholdAmount({ label, percent: money(of) }, amount),
  });
  return {
    name,
    scope,
    amount,
    currency,
    period: 'month',
    anchorDay: 1,
    zone,
    thresholds: [percent('80%', '80'), percent('100%', '100')],
    forecastThresholds: [percent('100%', '100')],
    owner,
  };
};

export const budgetsOf = (
  { accounts, teams, budgets, timezone }: Settings,
  account: string,
): readonly Budget[] => {
  const own = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
  if (own === undefined) return [];
  const { currency } = own;
  const only = Object.keys(accounts).length === 1;
  return [
    ...(own.budget === undefined
      ? []
      : [
          monthly(`account-${account}`, { kind: 'account' }, own.budget.month, {
            currency,
            zone: timezone,
            owner: [],
          }),
        ]),
    ...Object.entries(teams).flatMap(([name, { budget, mail }]) =>
      budget === undefined
        ? []
        : [
            monthly(`team-${name}`, { kind: 'team', name }, budget.month, {
              currency,
              zone: timezone,
              owner: mail ?? [],
            }),
          ],
    ),
    ...Object.entries(budgets).flatMap(([name, budget]): readonly Budget[] =>
      (budget.account ?? (only ? account : undefined)) !== account
        ? []
        : [
            {
              name,
              scope: scopeOf(budget),
              amount: budget.amount,
              currency,
              period: budget.period,
              anchorDay: budget.anchor_day ?? 1,
              zone: budget.timezone ?? timezone,
              thresholds: thresholdsOf(budget.thresholds, budget.amount),
              forecastThresholds: thresholdsOf(budget.forecast_thresholds, budget.amount),
              owner: budget.owner,
            },
          ],
    ),
  ];
};

const mailOf = (addressed: Settings['owners']): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(addressed).map(([name, { mail }]) => [name, mail]));

export const costOwnersOf = (settings: Config['settings'], account: string): CostOwners => {
  const { accounts, teams, tags, owners, cost_centers: costCenters, prices, mail } = settings;
  const budget = Object.hasOwn(accounts, account) ? accounts[account]?.budget?.month : undefined;
  return {
    teams: Object.entries(teams).map(([name, team]) => ({
      name,
      keys: team.keys,
      mail: team.mail ?? [],
      ...(team.budget === undefined ? {} : { budget: team.budget.month }),
    })),
    budget,
    prices: Object.entries(prices).map(([pattern, price]) => ({ pattern, ...price })),
    operators: mail?.operators ?? [],
    tags: Object.entries(tags).map(([pattern, given]) => ({ pattern, tags: given })),
    mailOf: { owner: mailOf(owners), cost_center: mailOf(costCenters) },
    budgets: budgetsOf(settings, account),
  };
};
