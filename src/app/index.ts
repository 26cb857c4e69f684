export { openCommands } from './commands.ts';
export { serve } from './daemon.ts';
export { reportsKept } from './list-reports.ts';
export { createLocalCommands } from './local-commands.ts';
export { openApp } from './open-app.ts';
export type { App } from './open-app.ts';
export { needsPerson } from '../server/index.ts';
export type { ListedReport, ReportList } from '../jobs/index.ts';
export type {
  Commands,
  DoctorView,
  JobView,
  NextSlot,
  OutboxAnswer,
  OutboxView,
  ReconcileView,
  RunResult,
  RunView,
  StatusView,
} from '../server/index.ts';
