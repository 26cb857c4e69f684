export { planLogPull } from './log-windows.ts';
export type { LogPlanRequest, LogWindow } from './log-windows.ts';
export { pullLogs } from './pull-logs.ts';
export type { LogPull, LogPullMeans, LogQuery, PullSummary } from './pull-logs.ts';
