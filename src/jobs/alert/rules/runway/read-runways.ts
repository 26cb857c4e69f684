import { unixMillis, type UnixMillis } from '../../../../core/index.ts';
import type { JobContext } from '../../../job-kind.ts';
import { runwayOf, runwayDuration, type Runway } from './runway.ts';

export type ReadRunway = {
  /** `runway`, or `key:NAME`. */
  readonly alert: string;
  readonly kind: 'runway' | 'key';
  readonly runway: Runway;
  readonly readAt: UnixMillis | undefined;
};

/** Milliseconds; an older snapshot says nothing about today's balance. */
const oldest = 2 * 86_400_000;

/** The runway of the account and of every key with a quota, from the snapshots of the last weeks. */
export const readRunways = async (
  now: UnixMillis,
  { account, warehouse }: Pick<JobContext, 'account' | 'warehouse'>,
): Promise<readonly ReadRunway[]> => {
  const from = unixMillis(now - runwayDuration);
  const to = unixMillis(now + 1);
  const fresh = (at: UnixMillis | undefined): boolean => at !== undefined && now - at <= oldest;
  const accounts = await warehouse.snapshots.accountBetween(account.name, from, to);
  const last = accounts.at(-1);
  const ofAccount: readonly ReadRunway[] =
    last === undefined
      ? []
      : [
          {
            alert: 'runway',
            kind: 'runway',
            readAt: last.takenAt,
            runway: fresh(last.takenAt)
              ? runwayOf(
                  accounts.map(({ takenAt, balance, usedQuota }) => ({
                    at: takenAt,
                    left: balance,
                    used: usedQuota,
                  })),
                )
              : { state: 'unknown', reason: 'old-reading' },
          },
        ];
  const keys = await warehouse.snapshots.quotaReadings(account.name, from, to);
  return [
    ...ofAccount,
    ...keys.map(({ name, readings }): ReadRunway => {
      const readAt = readings.at(-1)?.at;
      return {
        alert: `key:${name}`,
        kind: 'key',
        readAt,
        runway: fresh(readAt) ? runwayOf(readings) : { state: 'unknown', reason: 'old-reading' },
      };
    }),
  ];
};
