import type { Config } from '../../config/index.ts';
import type { CostOwners } from '../../jobs/index.ts';
import { budgetsOf } from './budgets.ts';

export const costOwnersOf = (settings: Config['settings'], account: string): CostOwners => {
  const { accounts, teams, tags, prices, mail } = settings;
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
    budgets: budgetsOf(settings, account),
  };
};
