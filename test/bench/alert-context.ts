import { join } from 'node:path';
import {
  interval,
  noProgress,
  silentLog,
  systemClock,
  unknownGateway,
  type UnixMillis,
} from '../../src/core/index.ts';
import type { JobContext } from '../../src/jobs/index.ts';
import type { Warehouse } from '../../src/warehouse/index.ts';

/** An evaluation asks the gateway nothing. */
const noGateway = new Proxy({} as JobContext['account']['gateway'], {
  get: () => {
    throw new Error('an evaluation called the gateway');
  },
});

/** What a job of kind alert evaluates an account with, at a moment, without recipients. */
export const alertContext = ({
  account,
  warehouse,
  folder,
  now,
}: {
  readonly account: string;
  readonly warehouse: Warehouse;
  readonly folder: string;
  readonly now: UnixMillis;
}): JobContext => ({
  name: 'alerts',
  runId: 'bench',
  slot: now,
  interval: interval(now, now),
  trigger: 'schedule',
  account: { name: account, currency: 'USD', profile: unknownGateway, gateway: noGateway },
  zone: 'UTC',
  locale: 'en',
  warehouse,
  spoolDirectory: join(folder, 'spool'),
  reportDirectories: [],
  reports: { folder: join(folder, 'reports'), attachLimit: 1 },
  costOwners: { teams: [], prices: [], operators: [], budgets: [] },
  mail: undefined,
  clock: { ...systemClock, now: () => now },
  log: silentLog,
  progress: noProgress,
  signal: new AbortController().signal,
});
