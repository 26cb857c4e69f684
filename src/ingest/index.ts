export { planLogPull } from './call-log/log-windows.ts';
export { pullLogs } from './call-log/pull-logs.ts';
export { planLogWork } from './call-log/log-plan.ts';
export type { PlannedWindow } from './call-log/log-plan.ts';
export { revisitsFrom } from './call-log/log-revisits.ts';
export type { LogQuery } from './call-log/fetch-logs.ts';
export type { PullSummary } from './call-log/pull-logs.ts';
export { openLogSession } from './call-log/log-session.ts';
export type { LogPull, LogPullDeps, LogSession } from './call-log/log-session.ts';
export { createRequestBudget } from './request-budget.ts';
export type { RequestBudget } from './request-budget.ts';
export { afterQuestion, nextQuestion, searchGap } from './call-log/gap-search.ts';
export type { GapAnswer } from './call-log/gap-search.ts';
export { splitLogWindow } from './call-log/log-windows.ts';
export type { LogWindow } from './call-log/log-windows.ts';
export { planUsagePull } from './usage/usage-windows.ts';
export { pullUsage } from './usage/pull-usage.ts';
export type { OpenUsageWindow, UsagePull, UsagePullDeps, UsageQuery } from './usage/pull-usage.ts';
export { agreedWhenLanded, joinRanges, lateness, settledThrough } from './reconcile-settled.ts';
export { probeLogs } from './call-log/probe-logs.ts';
export { cappedRanges, landedPieces, shortRanges, shortUsageRanges } from './call-log/short-ranges.ts';
export {
  afterFinding,
  afterTry,
  isLocated,
  daysToCheck,
  maxLateTries,
  monthsToCheck,
  planLatePulls,
} from './call-log/late-windows.ts';
export { bucketsOf } from './usage/usage-windows.ts';
export type { Granularity } from './usage/usage-windows.ts';
export { logPullDeps, pullDeps } from './pull-deps.ts';
export type { PullContext } from './pull-deps.ts';
