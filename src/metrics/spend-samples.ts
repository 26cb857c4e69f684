import { sumMoney, type Money } from '../core/index.ts';
import { sample, type Sample } from './sample.ts';

/** Spend of an account, as far as metrics show it. */
export type SpendView = {
  readonly account: string;
  readonly currency: string;
  /** Undefined while the unit of amounts is not proven or no data was pulled. */
  readonly sums?: { readonly today: Money; readonly yesterday: Money; readonly month: Money };
  /** By team, biggest month first; keys of no team are under the empty name. */
  readonly teams: readonly {
    readonly team: string;
    readonly today: Money;
    readonly yesterday: Money;
    readonly month: Money;
  }[];
};

const periods = ['today', 'yesterday', 'month'] as const;

/** Teams of an account with a series of their own. */
const mostTeams = 200;

/** No team can have the first name, and one may have the second. */
const noTeam = '(none)';
const rest = 'other';

const teamSamples = ({ account, currency, teams }: SpendView): readonly Sample[] => {
  const own = teams.slice(0, mostTeams).map((one) => ({ ...one, team: one.team === '' ? noTeam : one.team }));
  const others = teams.slice(mostTeams);
  return periods.flatMap((period) => {
    const sums = new Map(own.map((one) => [one.team, [one[period]]]));
    if (others.length > 0) sums.set(rest, [...(sums.get(rest) ?? []), ...others.map((one) => one[period])]);
    return [...sums].map(([team, amounts]) =>
      sample('tollkeeper_team_spend', { account, team, currency, period }, sumMoney(amounts)),
    );
  });
};

/** Nothing for an account whose amounts are unknown: unknown is not zero. */
export const spendSamples = (views: readonly SpendView[]): readonly Sample[] =>
  views.flatMap((view) => {
    const { account, currency, sums } = view;
    if (sums === undefined) return [];
    return [
      ...periods.map((period) => sample('tollkeeper_spend', { account, currency, period }, sums[period])),
      ...teamSamples(view),
    ];
  });
