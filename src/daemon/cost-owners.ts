import type { Config } from '../config/index.ts';
import type { CostOwners } from '../jobs/index.ts';

/** What the config says of teams, budgets and prices, for one account. */
export const costOwnersOf = (
  { accounts, teams, prices, mail }: Config['settings'],
  account: string,
): CostOwners => {
  const budget = Object.hasOwn(accounts, account) ? accounts[account]?.budget?.month : undefined;
  return {
    teams: Object.entries(teams).map(([name, team]) => ({
      name,
      keys: team.keys,
      mail: team.mail ?? [],
      ...(team.budget === undefined ? {} : { budget: team.budget.month }),
    })),
    ...(budget === undefined ? {} : { budget }),
    prices: Object.entries(prices).map(([pattern, price]) => ({
      pattern,
      currency: price.currency,
      ...(price.input === undefined ? {} : { input: price.input }),
      ...(price.cached === undefined ? {} : { cached: price.cached }),
      ...(price.cache_write === undefined ? {} : { cacheWrite: price.cache_write }),
      ...(price.audio_input === undefined ? {} : { audioInput: price.audio_input }),
      ...(price.image === undefined ? {} : { image: price.image }),
      ...(price.output === undefined ? {} : { output: price.output }),
      ...(price.reasoning === undefined ? {} : { reasoning: price.reasoning }),
      ...(price.audio_output === undefined ? {} : { audioOutput: price.audio_output }),
    })),
    operators: mail?.operators ?? [],
  };
};
