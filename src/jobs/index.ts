import { alertKind } from './alert/alert.ts';
import { archiveKind } from './archive/archive.ts';
import { backupKind, restoreDrillKind } from './backup/backup.ts';
import { expireKeysKind } from './expire-keys/expire-keys.ts';
import { focusKind } from './focus/focus.ts';
import type { JobKind } from './job-kind.ts';
import { pullLogsKind } from './pull-logs/pull-logs.ts';
import { pullUsageKind } from './pull-usage/pull-usage.ts';
import { reportKind } from './report/report.ts';
import { rotateKeysKind } from './rotate-keys/rotate-keys.ts';
import { snapshotKind } from './snapshot/snapshot.ts';

/** The config, its JSON Schema and the program all read this list. */
export const jobKinds: readonly JobKind[] = [
  pullLogsKind,
  pullUsageKind,
  snapshotKind,
  archiveKind,
  reportKind,
  focusKind,
  alertKind,
  rotateKeysKind,
  expireKeysKind,
  backupKind,
  restoreDrillKind,
];

export type { BackupResult, Backups } from './backup/backups.ts';
export { exportFocus, type ExportedMonth } from './focus/export-focus.ts';
export { compressed, type CompressedFile } from './focus/put-file.ts';
export { journalOf } from './journal/journal-lines.ts';
export { monthOutlook } from './forecasts/month-outlook.ts';
export { builtFiles } from './report/built-files.ts';
export { runQuery, type QueryAnswer } from './report/run-query.ts';
export { testMail } from './report/test-mail.ts';
export { createWatermarks } from './watermarks.ts';
export { figureFaults } from './report/sending/figure-faults.ts';
export { checkReports, composeReport } from './report/compose-report.ts';
export type { ComposedReport } from './report/composed.ts';
export { expiryPolicy, type ExpireSettings } from './expire-keys/expire-shape.ts';
export { planExpiries } from './expire-keys/plan-expiries.ts';
export type { JobAccount, JobContext, JobKind, JobOutcome, JobPlan, ScheduledMail } from './job-kind.ts';
export { addressesOf, type CostOwners } from './cost-owners.ts';
export { rotationPolicy, type RotateSettings } from './rotate-keys/rotate-shape.ts';
export { viewAlerts } from './alert/view-alerts.ts';
export { backupFaults } from './backup/backup.ts';
export { clashes } from './rotate-keys/place-rules.ts';
export { sinkFaults } from './rotate-keys/sink-faults.ts';
export { folderOfJob } from './report/archive/manifest.ts';
export { listReports, namesIn, type ListedReport, type ReportList } from './report/archive/read-report.ts';
export { trimReports } from './report/archive/trim-reports.ts';
export { jsonObject } from './snapshot/snapshot.ts';
