import { lazy } from '../core/index.ts';

export { openCommands } from './control/commands.ts';
export { unmatchedWarnings } from './control/unmatched.ts';
export type { OpenCommands } from './control/open-own.ts';
export type { CommandAnswer, Commands } from './control/handlers.ts';
export type { RunResult } from './control/run-result.ts';
export type { BackfillStep, NextSlot } from './control/runs.ts';
export { commandTable, inputTexts, type CommandInput, type CommandName } from '../control/index.ts';
export type { App } from './compose.ts';
export type { ModelAccess } from './keys/model-access.ts';
export type { AuditView } from './control/keys/audit.ts';
export {
  alertBlocks,
  alertsJson,
  mailTones,
  needsPerson,
  outboxJson,
  partsOf,
  runJson,
  runTones,
  statusJson,
  terminalBlocks,
  type Block,
  type BlockCell,
  type BlockItem,
  type BlockNote,
  type BlockText,
  type JobView,
  type OutboxView,
  type RunView,
  type StatusView,
} from '../web/index.ts';
export type { AlertView } from '../monitoring/index.ts';
export type { BackupResult, ListedReport, QueryAnswer, ReportList } from '../jobs/index.ts';
export type { DoctorView } from '../doctor/index.ts';
export type { AlertAnswer } from './control/alerts.ts';
export type { AlertLogEntry, ExpectedEntry } from '../warehouse/index.ts';
export type { OutboxAnswer } from './control/outbox.ts';
export type { BacktestView } from './queries/backtest-requested.ts';
export type { ReconcileView } from './queries/reconcile-requested.ts';
export type {
  KeyHistory,
  KeyListView,
  KeyPlanView,
  KeyView,
  PlanCheck,
  PlannedChange,
  ReconciledKeys,
} from './control/keys/key-views.ts';
export { oldUnusedText, oldUseText, type KeyOutcome, type RotationView } from '../keys/index.ts';

export type { ListedBackup, VerifiedBackup } from './backups/read-backups.ts';
export type { MigrateResult } from './backups/migrate.ts';
export type { RestoreResult } from './backups/restore.ts';

/** Loaded on demand, so that a command that asks the daemon starts faster. */
export const openModelAccess = lazy(async () => (await import('./keys/model-access.ts')).openModelAccess);
export const serve = lazy(async () => (await import('./serve/serve.ts')).serve);
export const compose = lazy(async () => (await import('./compose.ts')).compose);
export const createReport = lazy(async () => (await import('./control/new-report.ts')).createReport);
export const reportsKept = lazy(async () => (await import('./queries/list-reports.ts')).reportsKept);
export const auditKeys = lazy(async () => (await import('./control/keys/audit.ts')).auditKeys);
export const listBackups = lazy(async () => (await import('./backups/read-backups.ts')).listBackups);
export const verifyBackup = lazy(async () => (await import('./backups/read-backups.ts')).verifyBackup);
export const restoreBackup = lazy(async () => (await import('./backups/restore.ts')).restoreBackup);
export const migrateData = lazy(async () => (await import('./backups/migrate.ts')).migrateData);
export const createHandlers = lazy(async () => (await import('./control/handlers.ts')).createHandlers);
