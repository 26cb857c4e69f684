export type { AttemptView, JobView, OutboxView, RunView, StatusView } from './status-view.ts';
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
