import { dateAt, unixSeconds } from '../../core/index.ts';
import { daysOver } from '../../monitoring/index.ts';
import type { StoredForecast } from '../../warehouse/index.ts';
import { budgetStatus, type BudgetStatus } from '../alert/rules/budget/stored.ts';
import type { JobContext } from '../job-kind.ts';

/** The forecast of a month that is under way. */
const forecastOf = (status: BudgetStatus): readonly StoredForecast[] => {
  const { scope, zone, start, end, through, forecast, forecastLow, forecastHigh, forecastMethod } = status;
  if (forecast === undefined || forecastMethod === undefined || through === undefined || through >= end)
    return [];
  const month = dateAt(unixSeconds(start), zone);
  return [
    {
      scope,
      zone,
      anchorDay: Number(month.slice('YYYY-MM-'.length)),
      month,
      day: daysOver(unixSeconds(start), unixSeconds(through), zone),
      method: forecastMethod,
      amount: forecast,
      low: forecastLow ?? forecast,
      high: forecastHigh ?? forecast,
    },
  ];
};

/** Stores what the evaluation before forecast for months, which with time takes the place of replayed forecasts. */
export const issueForecasts = async ({
  account,
  warehouse,
  costOwners,
  clock,
}: Pick<JobContext, 'account' | 'warehouse' | 'costOwners' | 'clock'>): Promise<void> => {
  const months = new Set(
    (costOwners?.budgets ?? []).flatMap(({ name, period }) => (period === 'month' ? [name] : [])),
  );
  const forecasts = (await warehouse.alerts.statuses(account.name)).flatMap(({ alert, status }) => {
    const found = months.has(alert) ? budgetStatus.safeParse(JSON.parse(status)) : undefined;
    return found?.success === true ? forecastOf(found.data) : [];
  });
  // Budgets of one scope have one forecast.
  const bySubject = new Map(
    forecasts.map((one) => [JSON.stringify([one.scope, one.zone, one.month, one.day]), one]),
  );
  if (bySubject.size > 0) await warehouse.forecasts.issue(account.name, [...bySubject.values()], clock.now());
};
