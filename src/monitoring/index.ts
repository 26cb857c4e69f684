export { assess } from './budgets/assess.ts';
export type { Assessment, DataState, Level, PeriodSums, UnknownReason } from './budgets/assess.ts';
export type { Budget, BudgetScope, Threshold } from './budgets/budget.ts';
export { conditionsOf, levelName } from './budgets/conditions.ts';
export { forecastAtPace } from './budgets/forecast.ts';
export { comparedWith, periodAt, periodBefore } from './budgets/period.ts';
export { decideAlerts } from './alerts/decide-alerts.ts';
export type { AlertRecord, Condition } from './alerts/decide-alerts.ts';
export { runwayConditions } from './runway/conditions.ts';
export { runwayOf, runwayDuration } from './runway/runway.ts';
export type { Runway } from './runway/runway.ts';
export { inScope } from './budgets/scope.ts';
export type { ScopeRules } from './budgets/scope.ts';
export { createSpendIndex, segmentsOf } from './budgets/spend-index.ts';
export type { SpendIndex } from './budgets/spend-index.ts';
export { openSinceOf, planPeriods } from './alerts/plan-evaluation.ts';
export type { PlannedPeriod } from './alerts/plan-evaluation.ts';
export { alertStatusSchema, budgetStatusOf, describeScope, runwayStatusOf } from './alerts/status.ts';
export type { AlertStatusContent, BudgetStatus, RunwayStatus } from './alerts/status.ts';
export { causeFactors, explainChange } from './causes/explain-change.ts';
export type {
  CauseFactor,
  CausePart,
  ChangedCell,
  ClassPrices,
  Contribution,
  Usage,
  Waterfall,
} from './causes/explain-change.ts';
