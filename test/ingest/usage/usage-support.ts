import { noProgress, silentLog, systemClock, unixMillis, unknownGateway } from '../../../src/core/index.ts';
import type { UsagePull, UsagePullDeps } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';

/** Milliseconds. */
export const day = 86_400_000;

/** 2025-01-01T00:00:00Z in milliseconds. */
export const start = Date.UTC(2025, 0, 1);

/** Spend by model and day, from `start` to `until` in milliseconds. */
export const usagePullOf = (
  warehouse: Warehouse,
  { fetchUsage }: Pick<UsagePullDeps, 'fetchUsage'>,
  until: number,
  change: Partial<UsagePull & UsagePullDeps> = {},
): UsagePull & UsagePullDeps => ({
  account: 'main',
  dimensions: ['model'],
  metric: 'spend',
  granularity: 'day',
  topN: 10_000,
  since: unixMillis(start),
  until: unixMillis(until),
  profile: unknownGateway,
  fetchUsage,
  warehouse,
  spoolDirectory: '.',
  clock: systemClock,
  log: silentLog,
  progress: noProgress,
  ...change,
});
