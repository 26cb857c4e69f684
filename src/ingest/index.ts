export { planLogPull } from './log-windows.ts';
export { pullLogs } from './pull-logs.ts';
export type { LogPull, LogPullMeans, LogQuery } from './pull-logs.ts';
export { planUsagePull } from './usage-windows.ts';
export { pullUsage } from './pull-usage.ts';
export type { UsagePull, UsagePullMeans, UsageQuery } from './pull-usage.ts';
export { reconcile } from './reconcile.ts';
export type { Reconciliation } from './reconcile.ts';
