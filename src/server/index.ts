export type {
  AttemptView,
  BackfillOrder,
  Commands,
  ConfigFaultView,
  JobView,
  MailOutcome,
  NextSlot,
  RunOrder,
  RunResult,
  RunView,
  StatusView,
} from './commands-port.ts';
export { listenForHealth } from './health.ts';
