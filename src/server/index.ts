export type {
  AttemptView,
  Commands,
  DoctorCheck,
  DoctorRequest,
  DoctorView,
  JobView,
  LearnedView,
  MailOutcome,
  NextSlot,
  OutboxAnswer,
  OutboxView,
  ReconcileRequest,
  ReconcileView,
  BuiltReport,
  ReportRequest,
  RunResult,
  RunView,
  StatusView,
} from './commands-port.ts';
export type {
  KeyCommands,
  KeyHistory,
  KeyListView,
  KeyOutcome,
  KeyPlanView,
  KeyView,
  PlanCheck,
  PlannedChange,
  ReconciledKeys,
  RotationState,
} from './keys-port.ts';
export type {
  AccountView,
  ClockProblemView,
  KeptReportsView,
  OpenRotationView,
  OutdatedServiceView,
} from './status-data.ts';
export { needsPerson } from './needs-person.ts';
export { mailTones, runTones } from './tones.ts';
export { listenForHealth } from './health.ts';
export { listenForPage } from './page/listen.ts';
export { askDaemon } from './control/ask.ts';
export type { DaemonCommands } from './control/ask.ts';
export { listenForCommands } from './control/listen.ts';
export type { CommandListenerOptions } from './control/listen.ts';
export { socketPath } from './control/socket-path.ts';
