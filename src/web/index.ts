import { lazy } from '../core/index.ts';

export type { AttemptView, JobView, RunView } from './sections/jobs.ts';
export type { ReplicaView } from './sections/process.ts';
export type { AccountView, KeptReportsView } from './sections/data.ts';
export type { KeyAgeView, KeysView } from './sections/keys.ts';
export type { NextMailView, OutboxView } from './sections/mails.ts';
export {
  alertsJson,
  needsPerson,
  outboxJson,
  runJson,
  statusJson,
  statusOfTeam,
  terminalBlocks,
  type JobDays,
  type PageView,
  type StatusView,
} from './sections/registry.ts';
export { alertBlocks } from './sections/alerts.ts';
export {
  partsOf,
  type Block,
  type Cell as BlockCell,
  type Item as BlockItem,
  type Note as BlockNote,
  type Text as BlockText,
} from './blocks.ts';
export type { SpendView } from './spend-view.ts';
export type { PageActions } from './page/actions.ts';
export type { FeedEntry } from './page/feed.ts';
export { createLinkUse, type LinkUse } from './link-use.ts';
export { readReport } from './read-report.ts';
export { mailTones, runTones } from './tones.ts';

/** Loaded only by a daemon that serves them. */
export const listenForHealth = lazy(async () => (await import('./health.ts')).listenForHealth);
export const listenForPage = lazy(async () => (await import('./page/listen.ts')).listenForPage);
export const listenForMetrics = lazy(async () => (await import('./metrics.ts')).listenForMetrics);
