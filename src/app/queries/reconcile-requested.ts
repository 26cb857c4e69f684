import {
  fault,
  interval,
  readMoment,
  toSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { JobContext } from '../../jobs/index.ts';
import type { CommandInput } from '../../control/index.ts';
import { reconcileCovered } from '../../reconcile/index.ts';

/** A comparison of the call log with another source. Times in seconds UTC, amounts as exact decimal text. */
export type ComparisonView = {
  readonly source: string;
  /** A model or a key; missing for the total of the source. */
  readonly entry?: string | undefined;
  readonly range: Interval<UnixSeconds>;
  readonly ours: string;
  readonly theirs: string;
  /** The other source minus the call log. */
  readonly gap: string;
  readonly unit: string;
  readonly verdict: string;
  readonly text: string;
  readonly comparedAt: UnixMillis;
};

export type ReconcileView = {
  readonly account: string;
  readonly zone: string;
  readonly asked: Interval<UnixSeconds>;
  /** The part of the interval that the call log covers. */
  readonly compared: Interval<UnixSeconds>;
  readonly comparisons: readonly ComparisonView[];
  readonly notCompared: readonly { readonly source: string; readonly reason: string }[];
  readonly conclusion: string;
  /** Something was compared, and nothing is unexplained or truncated. */
  readonly good: boolean;
};

const secondOf = (text: string, zone: string): UnixSeconds => {
  const moment = readMoment(text, zone);
  if (moment !== undefined) return toSeconds(moment);
  throw fault('wrong-use', `${JSON.stringify(text)} is not a valid time`, {
    advice: `write 2026-11-21, 2026-11-21T08:00 (read in ${zone}) or 2026-11-21T08:00Z`,
  });
};

/** @throws Fault `wrong-use` */
export const reconcileRequested = async (
  request: CommandInput<'reconcile'>,
  context: JobContext,
): Promise<ReconcileView> => {
  const { zone, account, progress } = context;
  const [start, end] = [secondOf(request.from, zone), secondOf(request.to, zone)];
  if (start >= end)
    throw fault('wrong-use', `--from ${request.from} is not before --to ${request.to}`, {
      advice: '--to is exclusive: the first time that is not part of the range',
    });
  progress({ step: 'comparing the call log with other sources', detail: account.name });
  const asked = interval(start, end);
  return { account: account.name, zone, asked, ...(await reconcileCovered(asked, context)) };
};
