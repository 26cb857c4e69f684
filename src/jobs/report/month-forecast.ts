import { zero } from '../../core/index.ts';
import type { Budget, Forecast } from '../../monitoring/index.ts';
import type { Period } from '../../reports/index.ts';
import { readBudgets } from '../alert/rules/budget/read-budgets.ts';
import { isWhole, type Part } from '../cost-owners.ts';
import { readKept, subjectOf } from '../forecasts/keep-forecasts.ts';
import type { JobContext } from '../job-kind.ts';

/**
 * The end of the month in which the period ends, for the account or a team of which past months are known. Undefined for a month that has
 * ended, and where the data does not suffice.
 */
export const monthForecast = async (
  { team, filters }: Part,
  { interval: { end } }: Pick<Period, 'interval'>,
  context: JobContext,
): Promise<Forecast | undefined> => {
  const { account, zone } = context;
  if (team === null || !isWhole({ filters })) return undefined;
  const budget: Budget = {
    name: 'month',
    scope: team === undefined ? { kind: 'account' } : { kind: 'team', name: team },
    amount: zero,
    currency: account.currency ?? '',
    period: 'month',
    anchorDay: 1,
    zone,
    thresholds: [],
    forecastThresholds: [],
    owner: [],
  };
  const keptOf = await readKept(context);
  if (keptOf(subjectOf(budget)) === undefined) return undefined;
  const request = { budgets: [budget], needed: end, until: end, before: new Map() };
  const [assessed] = await readBudgets(request, context);
  const assessment = assessed?.periods.at(-1)?.assessment;
  const forecast = assessment?.forecast;
  if (assessment === undefined || end >= assessment.period.end) return undefined;
  // The pace without a record is what the report computes itself.
  return forecast?.method === 'pace' && forecast.range === 'paces' ? undefined : forecast;
};
