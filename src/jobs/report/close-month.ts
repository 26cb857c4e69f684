import { dateAt, fault } from '../../core/index.ts';
import type { Closing } from '../../warehouse/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';
import type { ComposedReport } from './composed.ts';

/**
 * Closes the month of a signed report of the whole account for accounting. A report whose headline is not `spend` closes none: the rows
 * have to add up to it. Undefined where the report closes none. @throws fault warehouse-failed when the log changed while the report was built
 */
export const closeMonth = async (
  { model: { seal, headline, currency }, period, definition, isOfAccount, reached, verdict }: ComposedReport,
  { account, warehouse, costOwners = noCostOwners, zone, log, signal }: JobContext,
): Promise<Exclude<Closing, { readonly state: 'changed' }> | undefined> => {
  const spend = definition.headline.name === 'spend' ? headline.value.exact : null;
  if (seal?.state !== 'closed' || !isOfAccount || spend === null || reached === undefined) return undefined;
  const month = dateAt(period.interval.start, zone).slice(0, 7);
  const closing = await warehouse.closed.close(
    {
      account: account.name,
      month,
      zone,
      spend,
      currency,
      verdict: verdict.verdict,
      reached,
      prices: costOwners.prices,
    },
    signal,
  );
  if (closing.state === 'changed')
    throw fault(
      'warehouse-failed',
      `the call log of ${month} changed while its report was built: the report has ${spend} ${currency}, the log ${closing.spend}`,
      { retryHelps: true, advice: 'nothing was closed or mailed; the next attempt builds the report again' },
    );
  if (closing.state === 'closed')
    log.info('the month is closed for accounting', {
      month,
      rows: closing.month.rows,
      corrections: closing.corrections,
    });
  else if (closing.state !== 'known')
    log.warn('the month is not closed for accounting', {
      month,
      ...(closing.state === 'other-zone'
        ? {
            zone: closing.zone,
            advice: 'let all reports that close months of the account use this time zone',
          }
        : {}),
    });
  return closing;
};
