export { planLogPull, splitLogWindow, type LogWindow } from './call-log/log-windows.ts';
export { pullLogs, type PullSummary } from './call-log/pull-logs.ts';
export { planLogWork, type PlannedWindow } from './call-log/log-plan.ts';
export { revisitsFrom } from './call-log/log-revisits.ts';
export type { LogQuery } from './call-log/fetch-logs.ts';
export { openLogSession, type LogPull, type LogPullDeps, type LogSession } from './call-log/log-session.ts';
export { createRequestBudget, type RequestBudget } from './request-budget.ts';
export { afterQuestion, nextQuestion, searchGap, type GapAnswer } from './call-log/gap-search.ts';
export { planUsagePull, bucketsOf, type Granularity } from './usage/usage-windows.ts';
export { pullUsage, type OpenUsageWindow, type UsagePull, type UsagePullDeps } from './usage/pull-usage.ts';
export { fetchUsageWindow, type UsageQuery } from './usage/fetch-usage.ts';
export { agreedWhenLanded, joinRanges, lateness, settledThrough } from './reconcile-settled.ts';
export { probeLogs } from './call-log/probe-logs.ts';
export {
  cappedRanges,
  landedPieces,
  mayHaveSign,
  shortRanges,
  shortUsageRanges,
} from './call-log/short-ranges.ts';
export {
  afterFinding,
  afterTry,
  isLocated,
  daysToCheck,
  monthsToCheck,
  planLatePulls,
} from './call-log/late-windows.ts';
export { logPullDeps, pullDeps, type PullContext } from './pull-deps.ts';
