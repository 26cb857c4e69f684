import { archiveKind } from './archive.ts';
import { expireKeysKind } from './expire-keys.ts';
import type { JobKind } from './job-kind.ts';
import { pullLogsKind } from './pull-logs.ts';
import { pullUsageKind } from './pull-usage.ts';
import { reportKind } from './report.ts';
import { rotateKeysKind } from './rotate-keys.ts';
import { snapshotKind } from './snapshot.ts';

/** Every kind of job there is; the config, its JSON Schema and the program all read this list. */
export const jobKinds: readonly JobKind[] = [
  pullLogsKind,
  pullUsageKind,
  snapshotKind,
  archiveKind,
  reportKind,
  rotateKeysKind,
  expireKeysKind,
];

export { builtFiles } from './built-files.ts';
export { createWatermarks } from './data-reach.ts';
export { checkReports, composeReport } from './compose-report.ts';
export type { ComposedReport } from './compose-report.ts';
export { expiryPolicy } from './expire-shape.ts';
export type { ExpireSettings } from './expire-shape.ts';
export { materializeExpiry } from './materialize-expiry.ts';
export type { JobAccount, JobContext, JobKind, JobOutcome, JobPlan } from './job-kind.ts';
export type { CostOwners } from './cost-owners.ts';
export { reconcilePeriod } from './reconcile-period.ts';
export { rotationPolicy } from './rotate-shape.ts';
export { sinkFaults } from './sink-faults.ts';
export type { RotateSettings } from './rotate-shape.ts';
export { reconcileHeld, reconcileRange } from './reconcile-range.ts';
export { listReports } from './report-archive/read-report.ts';
export type { ListedReport, ReportList } from './report-archive/read-report.ts';
export { trimReports } from './report-archive/trim-reports.ts';
export { jsonObject } from './snapshot.ts';
