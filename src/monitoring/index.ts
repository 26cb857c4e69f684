export {
  assess,
  type Assessment,
  type DataState,
  type Level,
  type PeriodSums,
  type UnknownReason,
} from './budgets/assess.ts';
export { describeScope } from './budgets/budget.ts';
export type { Budget, BudgetPeriodKind, BudgetScope, Threshold } from './budgets/budget.ts';
export { conditionsOf, levelName } from './budgets/conditions.ts';
export { forecastAtPace, middleOf, type Forecast, type ForecastAccuracy } from './budgets/forecast.ts';
export { daysOver, forecastBy, forecastPath, type MonthOutlook } from './budgets/forecast-month.ts';
export { comparedWith, periodAt, periodBefore } from './budgets/period.ts';
export { decideAlerts, type AlertRecord, type Condition } from './alerts/decide-alerts.ts';
export {
  unmatchedAdvice,
  unmatchedSelectors,
  unmatchedText,
  type Selector,
  type Unmatched,
} from './selectors.ts';
export { inScope, type ScopeRules } from './budgets/scope.ts';
export { createSpendIndex, segmentsOf, sumsFor, type SpendIndex } from './budgets/spend-index.ts';
export { openSinceOf, planPeriods, type PlannedPeriod } from './alerts/plan-evaluation.ts';
export type { AlertCell, AlertShown, AlertView } from './alerts/alert-view.ts';
export {
  byReason,
  collectUnknown,
  unknownAlertsOf,
  type UnknownAlert,
  type UnknownAlerts,
} from './alerts/unknown-alerts.ts';
export { causeFactors, type CauseFactor, type ChangedCell, type Usage } from './causes/cell-factors.ts';
export { createExplainer, type CausePart, type Waterfall } from './causes/explain-change.ts';
export type { Contributor } from './causes/name-contributor.ts';
export {
  chartDays,
  dailySpend,
  sameInLastMonth,
  segmentsOfDays,
  spendDays,
  type DaySpend,
  type SpendSums,
  type TeamSums,
} from './spend/daily-spend.ts';
export { alertLinkDays, readAlertLink, signAlertLink, type AlertLink } from './alerts/alert-link.ts';
export {
  accuracyOf,
  byLastWeek,
  byModel,
  byPace,
  intervalFactors,
  originDays,
  recordMonths,
  replay,
  spreadOf,
  type DayOfSpend,
  type ForecastMethod,
  type PastForecast,
} from './forecast/month-forecast.ts';
export {
  firstOfRecord,
  firstToRead,
  isWithout,
  keepDays,
  keptForecast,
  recordOf,
  usedMethods,
  type IssuedForecast,
  type KeptForecast,
} from './forecast/kept-forecast.ts';
export { isExpected } from './forecast/expected-days.ts';
export { backtest, type Backtest } from './forecast/backtest.ts';
export { expectedSpend, fitSpend, leastDays, unusualDays } from './forecast/spend-model.ts';
export {
  findUnusual,
  leastBusy,
  leastGrowth,
  readSeconds,
  type HourlySpend,
  type SpentHour,
  type UnusualSpend,
  type UnusualWindow,
} from './unusual/find-unusual.ts';
export {
  judgeKey,
  leastByMean,
  leastHistory,
  usualIfSuspicious,
  type KeyBehaviour,
} from './unusual/key-behaviour.ts';
export {
  changedPrices,
  explains,
  firstDeviating,
  priceReasons,
  wrongPrices,
  type PriceFinding,
  type PriceReason,
} from './prices/price-change.ts';
