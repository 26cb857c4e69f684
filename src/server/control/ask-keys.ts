import type { Progress } from '../../core/index.ts';
import type { KeyCommands } from '../keys-port.ts';
import type { Call } from './call.ts';

type AskDaemon = <T>(call: Omit<Call, 'timeout' | 'onEvent'>, progress?: Progress) => Promise<T>;

/** The commands on keys, of the daemon. */
export const keysOver = (ask: AskDaemon): KeyCommands => ({
  list: (body, progress, signal) => ask({ name: 'POST /keys/list', body, signal }, progress),
  plan: (body, signal) => ask({ name: 'POST /keys/plan', body, signal }),
  checkPlan: (body, signal) => ask({ name: 'POST /keys/check-plan', body, signal }),
  apply: (body, progress, signal) => ask({ name: 'POST /keys/apply', body, signal }, progress),
  rotate: (body, progress, signal) => ask({ name: 'POST /keys/rotate', body, signal }, progress),
  expire: (body, signal) => ask({ name: 'POST /keys/expire', body, signal }),
  create: (body, progress, signal) => ask({ name: 'POST /keys/create', body, signal }, progress),
  adopt: (body, signal) => ask({ name: 'POST /keys/adopt', body, signal }),
  confirm: (body) => ask({ name: 'POST /keys/confirm', body }),
  resume: (body, progress, signal) => ask({ name: 'POST /keys/resume', body, signal }, progress),
  reconcile: (body, signal) => ask({ name: 'POST /keys/reconcile', body, signal }),
  giveUp: (body) => ask({ name: 'POST /keys/give-up', body }),
  history: (body) => ask({ name: 'POST /keys/history', body }),
});
