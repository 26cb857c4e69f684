import { errorFields, isFault, rangeText } from '../core/index.ts';
import type { Interval, UnixSeconds } from '../core/index.ts';
import type { Comparison } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { heldPart, reconcileRange } from './range.ts';
import { isBad, isGood } from './verdict.ts';

/** What comparing the log with other sources came to: the worst there is to say, in a sentence. */
export type Reconciliation = {
  readonly verdict: string;
  readonly text: string;
  /** The whole period was compared, and nothing is left open. */
  readonly good: boolean;
};

/** `unknown` where nothing could be compared. */
export type PeriodReconciliation =
  | {
      readonly known: true;
      readonly reconciliation: Reconciliation;
      /** What the sentence is about. */
      readonly comparison: Comparison;
      /** What was compared, when it is less than the period. */
      readonly part: Interval<UnixSeconds> | undefined;
    }
  | { readonly known: false; readonly reason: string };

/**
 * Compares the log with the statistics endpoint, and with usage and snapshots where they are there, over one period: its
 * part that the log holds.
 */
export const reconcilePeriod = async (
  period: Interval<UnixSeconds>,
  context: ReconcileContext,
): Promise<PeriodReconciliation> => {
  const { log, signal, zone } = context;
  try {
    const held = await heldPart(period, context);
    if (held === undefined) return { known: false, reason: 'the call log has no data for the period' };
    const { comparisons, notCompared } = await reconcileRange(held, context);
    const totals = comparisons.filter(({ entry }) => entry === undefined);
    const first = totals.find(({ source }) => source === 'statistics') ?? totals[0];
    const told =
      totals.find(({ verdict }) => isBad(verdict)) ??
      comparisons.find(({ verdict }) => isBad(verdict)) ??
      first;
    if (told === undefined)
      return { known: false, reason: notCompared[0]?.reason ?? 'no source to compare with' };
    const isWhole = held.start === period.start && held.end === period.end;
    return {
      known: true,
      comparison: told,
      part: isWhole ? undefined : held,
      reconciliation: {
        verdict: told.verdict,
        text: isWhole
          ? told.text
          : `${told.text} The comparison covers what the log contains: ${rangeText.seconds(held, zone)}.`,
        good: isWhole && isGood(told.verdict),
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    log.warn('the call log could not be compared with other sources', errorFields(error));
    return { known: false, reason: error.message };
  }
};
