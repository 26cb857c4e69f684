import { addDays, dateAt, zero, type UnixSeconds } from '../../core/index.ts';
import { forecastPath, unusualDays, type Budget, type MonthOutlook } from '../../monitoring/index.ts';
import { readBudgets, type BudgetReader } from '../alert/rules/budget/read-budgets.ts';
import { readKept, subjectOf } from './keep-forecasts.ts';

/**
 * The end of the month in which the data ends, for the account or a team of which past months are known. Undefined for a month that has
 * ended, and where the data does not suffice.
 */
export const monthOutlook = async (
  asked: {
    readonly team?: string | undefined;
    readonly zone: string;
    /** Later data is ignored, and the data must reach it. */
    readonly end: UnixSeconds;
  },
  context: BudgetReader,
): Promise<MonthOutlook | undefined> => {
  const { team, zone, end } = asked;
  const budget: Budget = {
    name: 'month',
    scope: team === undefined ? { kind: 'account' } : { kind: 'team', name: team },
    amount: zero,
    currency: '',
    period: 'month',
    anchorDay: 1,
    zone,
    thresholds: [],
    forecastThresholds: [],
    owner: [],
  };
  const kept = (await readKept(context))(subjectOf(budget));
  if (kept === undefined) return undefined;
  const request = { budgets: [budget], needed: end, until: end, before: new Map() };
  const [assessed] = await readBudgets(request, context);
  const { period, through, spend, forecast } = assessed?.periods.at(-1)?.assessment ?? {};
  if (period === undefined || through === undefined || spend === undefined || forecast === undefined)
    return undefined;
  if (through >= period.end) return undefined;
  const { paceFrom: _from, ...shown } = forecast;
  return {
    forecast: shown,
    path: forecastPath(forecast, kept, { period, through, spend }, zone),
    unusual: unusualDays(kept.spend)
      .map(({ at, times }) => ({ date: addDays(kept.first, at), times }))
      .filter(({ date }) => date >= dateAt(period.start, zone)),
  };
};
