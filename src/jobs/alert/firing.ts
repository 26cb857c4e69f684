import type { JobContext } from '../job-kind.ts';

/** Alerts of an account that fire and whose names begin so: those that a rule without a status for them still has to end. */
export const firingOf = async (
  prefix: string,
  { account, warehouse }: Pick<JobContext, 'account' | 'warehouse'>,
): Promise<readonly string[]> => [
  ...new Set(
    (await warehouse.alerts.firing()).flatMap((one) =>
      one.account === account.name && one.alert.startsWith(prefix) ? [one.alert] : [],
    ),
  ),
];
