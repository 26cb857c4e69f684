import { lazy } from '../core/index.ts';

export type { AttemptView, JobView, OutboxView, ReplicaView, RunView, StatusView } from './status-view.ts';
export type {
  AccountView,
  ClockProblemView,
  DeadKeyView,
  KeptReportsView,
  OutdatedServiceView,
} from './status-data.ts';
export type { JobDays, KeyAgeView, KeysView, NextMailView, PageView } from './page-view.ts';
export type { SpendView } from './spend-view.ts';
export type { PageActions } from './page/actions.ts';
export type { FeedEntry } from './page/feed.ts';
export { createLinkUse, type LinkUse } from './link-use.ts';
export { readReport } from './read-report.ts';
export { needsPerson } from './needs-person.ts';
export { alertsJson, outboxJson, runJson, statusJson } from './status-json.ts';
export { mailTones, runTones } from './tones.ts';

/** Loaded only by a daemon that serves them. */
export const listenForHealth = lazy(async () => (await import('./health.ts')).listenForHealth);
export const listenForPage = lazy(async () => (await import('./page/listen.ts')).listenForPage);
export const listenForMetrics = lazy(async () => (await import('./metrics.ts')).listenForMetrics);
