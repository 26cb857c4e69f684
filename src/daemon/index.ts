export { openCommands } from './commands.ts';
export type { OpenCommands } from './commands.ts';
export { serve } from './daemon.ts';
export { createReport } from './new-report.ts';
export { reportsKept } from './views/list-reports.ts';
export { createLocalCommands } from './local-commands.ts';
export { openApp } from './open-app.ts';
export type { App } from './open-app.ts';
export { auditKeys } from './keys/audit.ts';
export type { AuditView } from './keys/audit.ts';
export { mailTones, needsPerson, runTones } from '../server/index.ts';
export type { ListedReport, ReportList } from '../jobs/index.ts';
export type {
  Commands,
  DoctorView,
  JobView,
  KeyHistory,
  KeyListView,
  KeyOutcome,
  KeyPlanView,
  KeyView,
  NextSlot,
  OutboxAnswer,
  OutboxView,
  PlanCheck,
  PlannedChange,
  ReconcileView,
  ReconciledKeys,
  RotationState,
  RunResult,
  RunView,
  StatusView,
} from '../server/index.ts';
