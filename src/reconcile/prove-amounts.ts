import { errorFields, isFault, unixSeconds, type Interval, type UnixSeconds } from '../core/index.ts';
import { isProven } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { formBySource } from './form-by-source.ts';

/** Why the log cannot be compared with anything; without a full stop. */
export const unprovenAmounts =
  'the data does not yet show whether amounts in the log are a currency or integer units; set gateway.amounts of the account to units or currency';

/**
 * Whether the log's amounts may be compared. While their form is open, the statistics of the range are requested: if
 * they differ from the log by exactly the units per currency, that proves it.
 */
export const proveAmounts = async (
  range: Interval<UnixSeconds>,
  context: ReconcileContext,
): Promise<boolean> => {
  const { account, warehouse, signal, log } = context;
  const amounts = await warehouse.logs.amounts(account.name);
  if (isProven(amounts)) return true;
  if (amounts === undefined || amounts.form !== undefined) return false;
  const quota = await account.gateway
    .statistics({ start: range.start, end: unixSeconds(range.end - 1) }, { signal })
    .then(
      (answer) => answer.quota,
      (error: unknown) => {
        signal.throwIfAborted();
        if (!isFault(error)) throw error;
        log.warn('the statistics that show the form of amounts could not be fetched', errorFields(error));
        return undefined;
      },
    );
  if (quota === undefined) return false;
  const sums = await warehouse.comparisons.totals(account.name, range);
  const form = formBySource(quota, sums, account.profile.unitsPerCurrency);
  if (form === undefined) return false;
  log.info('the statistics prove the form of the amounts of the log', {
    form,
    statistics: quota,
    log: sums.net,
  });
  await warehouse.logs.proveAmounts(account.name, form);
  return true;
};
