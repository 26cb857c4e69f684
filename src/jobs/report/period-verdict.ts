import type { Interval, LocaleTag, UnixSeconds } from '../../core/index.ts';
import { runNotes } from '../../messages/index.ts';
import { reconcilePeriod, type ReconcileContext } from '../../reconcile/index.ts';
import type { JobContext } from '../job-kind.ts';

/** Whether the landed calls of a period agree with the gateway's own sums. */
export type PeriodVerdict = {
  readonly verdict: string;
  /** A sentence in the language of the report. */
  readonly text: string;
  readonly good: boolean;
};

/** Compares the period with the gateway now. Where that is not possible the verdict is `unknown`, with the reason. */
export const periodVerdict = async (
  period: Interval<UnixSeconds>,
  locale: LocaleTag,
  context: JobContext & Pick<ReconcileContext, 'impatient'>,
): Promise<PeriodVerdict> => {
  const says = runNotes(locale, context.zone);
  const compared = await reconcilePeriod(period, context);
  if (!compared.known) return { verdict: 'unknown', text: says.notCompared(compared.reason), good: false };
  const { reconciliation, comparison, part, unread } = compared;
  const { verdict, good } = reconciliation;
  return { verdict, text: says.compared(comparison, part, unread), good };
};
