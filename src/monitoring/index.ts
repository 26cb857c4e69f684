export { assess } from './budgets/assess.ts';
export type {
  Assessment,
  DataState,
  Level,
  LevelState,
  PeriodSums,
  UnknownReason,
} from './budgets/assess.ts';
export type { Budget, BudgetPeriodKind, BudgetScope, Threshold } from './budgets/budget.ts';
export { conditionsOf, levelName } from './budgets/conditions.ts';
export { forecastAtPace, paceSeconds } from './budgets/forecast.ts';
export type { Forecast, ForecastInput } from './budgets/forecast.ts';
export { comparedWith, periodAt, periodBefore } from './budgets/period.ts';
export { decideAlerts } from './alerts/decide-alerts.ts';
export type { AlertDecision, AlertKey, AlertRecord, Condition } from './alerts/decide-alerts.ts';
