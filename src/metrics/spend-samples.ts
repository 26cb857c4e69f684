import { compareMoney, sumMoney, type Money } from '../core/index.ts';
import { sample, type Sample } from './sample.ts';

/** Spend of an account, as far as metrics show it. */
type Spend = {
  readonly account: string;
  readonly currency: string;
  /** Missing while amounts are unknown. */
  readonly sums?: Sums;
  /** Keys of no team are under the empty name. */
  readonly teams: readonly (Sums & { readonly team: string })[];
};

type Sums = { readonly today: Money; readonly yesterday: Money; readonly month: Money };

const periods = ['today', 'yesterday', 'month'] as const;

/** Teams of an account with a series of their own: those with the highest spend of the month. */
const mostTeams = 200;

/** No team can have the first name, and one may have the second. */
const noTeam = '(none)';
const rest = 'other';

const teamSamples = ({ account, currency, teams }: Spend): readonly Sample[] => {
  const byMonth = teams.toSorted((left, right) => compareMoney(right.month, left.month));
  const own = byMonth
    .slice(0, mostTeams)
    .map((one) => ({ ...one, team: one.team === '' ? noTeam : one.team }));
  const others = byMonth.slice(mostTeams);
  return periods.flatMap((period) => {
    const sums = new Map(own.map((one) => [one.team, [one[period]]]));
    if (others.length > 0) sums.set(rest, [...(sums.get(rest) ?? []), ...others.map((one) => one[period])]);
    return [...sums].map(([team, amounts]) =>
      sample('tollkeeper_team_spend', { account, team, currency, period }, sumMoney(amounts)),
    );
  });
};

/** Nothing for an account whose amounts are unknown: unknown is not zero. */
export const spendSamples = (views: readonly Spend[]): readonly Sample[] =>
  views.flatMap((view) => {
    const { account, currency, sums } = view;
    if (sums === undefined) return [];
    return [
      ...periods.map((period) => sample('tollkeeper_spend', { account, currency, period }, sums[period])),
      ...teamSamples(view),
    ];
  });
