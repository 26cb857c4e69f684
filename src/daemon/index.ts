export { openCommands } from './commands.ts';
export type { OpenCommands } from './commands.ts';
export { serve } from './daemon.ts';
export { createReport } from './new-report.ts';
export { reportsKept } from './views/list-reports.ts';
export { createHandlers } from './handlers/handlers.ts';
export type { CommandAnswer, Commands } from './handlers/handlers.ts';
export type { RunResult } from './handlers/run-result.ts';
export type { BackfillStep, NextSlot } from './handlers/runs.ts';
export type { CommandInput, CommandName } from '../control/index.ts';
export { openApp } from './open-app.ts';
export type { App } from './open-app.ts';
export { auditKeys } from './keys/audit.ts';
export type { AuditView } from './keys/audit.ts';
export { mailTones, needsPerson, runTones } from '../web/index.ts';
export type { ListedReport, ReportList } from '../jobs/index.ts';
export type { JobView, OutboxView, RunView, StatusView } from '../web/index.ts';
export type { DoctorView } from '../doctor/index.ts';
export type { OutboxAnswer } from './handlers/outbox.ts';
export type { ReconcileView } from './views/reconcile-requested.ts';
export type {
  KeyHistory,
  KeyListView,
  KeyOutcome,
  KeyPlanView,
  KeyView,
  PlanCheck,
  PlannedChange,
  ReconciledKeys,
  RotationState,
} from './keys/key-views.ts';
