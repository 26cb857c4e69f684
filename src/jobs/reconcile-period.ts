import { errorFields, isFault, unixSeconds } from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import { reconcile } from '../ingest/index.ts';
import type { Reconciliation } from '../ingest/index.ts';
import type { JobContext } from './job-kind.ts';
import { spendInOtherCurrency } from './other-currency.ts';

/** What comparing with the gateway's own statistics came to; `unknown` when it could not be asked. */
export type PeriodReconciliation =
  | { readonly known: true; readonly reconciliation: Reconciliation }
  | { readonly known: false; readonly reason: string };

/**
 * Compares the warehouse with the statistics endpoint over one period. The answer is a sum and can't be trimmed, so
 * both readings of the range's end are asked for: up to the last second, and up to the first second after it.
 */
export const reconcilePeriod = async (
  period: Interval<UnixSeconds>,
  context: JobContext,
): Promise<PeriodReconciliation> => {
  const { account, warehouse, log, signal } = context;
  try {
    const inclusive = await account.gateway.statistics(
      { start: period.start, end: unixSeconds(period.end - 1) },
      { signal },
    );
    const exclusive = await account.gateway.statistics({ start: period.start, end: period.end }, { signal });
    const spend = await warehouse.spend(account.name, period);
    const readings = [inclusive.quota, exclusive.quota];
    const help = { unitsPerCurrency: account.profile.unitsPerCurrency };
    const reconciliation = reconcile(spend, readings, help);
    if (reconciliation.good) return { known: true, reconciliation };
    const otherCurrency = await spendInOtherCurrency(period, context);
    return { known: true, reconciliation: reconcile(spend, readings, { ...help, otherCurrency }) };
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn('the statistics endpoint could not be compared with', errorFields(error));
    return { known: false, reason: error.message };
  }
};
