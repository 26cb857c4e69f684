import { errorFields, isFault, rangeText, type Interval, type UnixSeconds } from '../core/index.ts';
import type { Comparison } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { coveredPart, reconcileRange } from './range.ts';
import { isBad, isGood } from './verdict.ts';

/** The outcome of comparing the log with other sources: the worst finding, in a sentence. */
export type Reconciliation = {
  readonly verdict: string;
  readonly text: string;
  /** The whole period was compared, without an open gap. */
  readonly good: boolean;
};

/** `unknown` when nothing could be compared. */
export type PeriodReconciliation =
  | {
      readonly known: true;
      readonly reconciliation: Reconciliation;
      /** The comparison that the sentence describes. */
      readonly comparison: Comparison;
      /** The compared part, when it is shorter than the period. */
      readonly part: Interval<UnixSeconds> | undefined;
      /** Rows of the compared part in quarantine, which are in no figure of the log: with any, nothing is reconciled. */
      readonly unread: number;
    }
  | { readonly known: false; readonly reason: string };

/**
 * Compares the log with the statistics endpoint, and with stored usage and snapshots, over the part of a period that
 * the log covers.
 */
export const reconcilePeriod = async (
  period: Interval<UnixSeconds>,
  context: ReconcileContext,
): Promise<PeriodReconciliation> => {
  const { log, signal, zone } = context;
  try {
    const landed = await coveredPart(period, context);
    if (landed === undefined) return { known: false, reason: 'the call log has no data for the period' };
    const { comparisons, notCompared, unread } = await reconcileRange(landed, context);
    const totals = comparisons.filter(({ entry }) => entry === undefined);
    const first = totals.find(({ source }) => source === 'statistics') ?? totals[0];
    const found =
      totals.find(({ verdict }) => isBad(verdict)) ??
      comparisons.find(({ verdict }) => isBad(verdict)) ??
      first;
    if (found === undefined)
      return { known: false, reason: notCompared[0]?.reason ?? 'no source to compare with' };
    const isWhole = landed.start === period.start && landed.end === period.end;
    return {
      known: true,
      comparison: found,
      unread,
      part: isWhole ? undefined : landed,
      reconciliation: {
        verdict: found.verdict,
        text: isWhole
          ? found.text
          : `${found.text} The comparison covers what the log contains: ${rangeText.seconds(landed, zone)}.`,
        good: isWhole && unread === 0 && isGood(found.verdict),
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    log.warn('the call log could not be compared with other sources', errorFields(error));
    return { known: false, reason: error.message };
  }
};
