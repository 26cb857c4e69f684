import type { LogPull } from '../../ingest/index.ts';
import type { JobContext } from '../job-kind.ts';

const point = 'log.row_cap';

/** Number of landings whose row density determines the window length. */
const recent = 30;

/** The row cap learned by earlier runs, and half the time in which that many rows occurred lately. */
export const knownRowCap = async ({ account, warehouse }: JobContext): Promise<LogPull['rowCap']> => {
  const known = (await warehouse.profile.points(account.name)).find((one) => one.point === point);
  const rows = Number(known?.value);
  if (!Number.isSafeInteger(rows) || rows < 1) return undefined;
  const landed = (await warehouse.logs.windows(account.name)).slice(-recent);
  const count = landed.reduce((sum, one) => sum + one.rows, 0);
  const seconds = landed.reduce((sum, { window }) => sum + window.end - window.start, 0);
  return count === 0 ? { rows } : { rows, seconds: Math.max(1, Math.floor((seconds / count) * (rows / 2))) };
};

/** Stores a newly found cap, or that a longer export has refuted it. */
export const learnRowCap = async (
  before: number | undefined,
  now: number | undefined,
  { account, warehouse }: JobContext,
): Promise<void> => {
  if (before === now) return;
  const evidence =
    now === undefined
      ? `an export held more than ${before} rows`
      : `exports of different windows ended after ${now} rows each, and their halves held more`;
  const value = now === undefined ? 'none seen' : String(now);
  await warehouse.profile.learn(account.name, [{ point, value, evidence, how: 'data' }]);
};
