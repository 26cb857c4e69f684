import {
  addMoney,
  compareMoney,
  fault,
  isFault,
  shellWord,
  sumMoney,
  toMillis,
  unixSeconds,
  zero,
  type Fault,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import { fetchUsageWindow } from '../../ingest/index.ts';
import { bucketsIn, isStillCounted } from '../../reconcile/index.ts';
import { backfilled, wholeSeconds } from '../pull/backfill.ts';
import type { JobContext } from '../job-kind.ts';

type Range = Interval<UnixSeconds>;

/** What other sources have for a window of which the log export has no rows any more. */
type Evidence = {
  /** Undefined when the gateway does not answer. */
  readonly statistics: Money | undefined;
  readonly usage: Money | undefined;
  /** Of the usage that was landed before. */
  readonly landed: Money;
  /** Whether the change of used_quota still contains the calls. */
  readonly isCounted: boolean;
};

/** The answer, or undefined where the gateway has none. @throws the reason of an aborted signal */
const answerOf = async (
  ask: () => Promise<Money | undefined>,
  { signal }: JobContext,
): Promise<Money | undefined> => {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    return undefined;
  }
};

const byStatistics = async ({ start, end }: Range, { account, signal }: JobContext): Promise<Money> =>
  (await account.gateway.statistics({ start, end: unixSeconds(end - 1) }, { signal })).quota;

/** Buckets that lie completely in the range: others contain calls of other times. */
const wholeBuckets = (
  range: Range,
  seen: Parameters<typeof bucketsIn>[1],
  granularity: Parameters<typeof bucketsIn>[2],
  { account }: JobContext,
): ReadonlySet<number> =>
  new Set(bucketsIn(range, seen, granularity, account.profile.usageZone).map(({ start }) => toMillis(start)));

/** Undefined for a range without a whole hour. */
const byUsage = async (range: Range, context: JobContext): Promise<Money | undefined> => {
  const { account, signal } = context;
  const window = { start: toMillis(range.start), end: toMillis(range.end) };
  const query = { groupBy: 'model', metric: 'spend', granularity: 'hour', topN: 10_000 } as const;
  const { table } = await fetchUsageWindow(
    window,
    query,
    account.profile.usageZone,
    async (one) => account.gateway.exportUsage(one, { signal }),
    () => undefined,
  );
  const values = table?.values ?? [];
  const seen = values.map(({ bucket }) => bucket);
  const buckets = wholeBuckets(range, seen, 'hour', context);
  if (buckets.size === 0) return undefined;
  return sumMoney(values.flatMap(({ bucket, value }) => (buckets.has(bucket) ? [value] : [])));
};

/** The largest sum of any landed series. */
const byLandedUsage = async (range: Range, context: JobContext): Promise<Money> => {
  const { account, warehouse } = context;
  const window = { start: toMillis(range.start), end: toMillis(range.end) };
  let most = zero;
  for (const dimension of ['model', 'token'])
    for (const granularity of ['hour', 'day', 'week'] as const) {
      const series = { account: account.name, dimension, metric: 'spend', granularity };
      const values = await warehouse.usage.values(series, window);
      const seen = values.map(({ bucket }) => bucket);
      const buckets = wholeBuckets(range, seen, granularity, context);
      const sum = values.reduce(
        (before, { bucket, value }) => (buckets.has(bucket) ? addMoney(before, value) : before),
        zero,
      );
      if (compareMoney(sum, most) > 0) most = sum;
    }
  return most;
};

const evidenceOf = async (range: Range, context: JobContext): Promise<Evidence> => ({
  statistics: await answerOf(async () => byStatistics(range, context), context),
  usage: await answerOf(async () => byUsage(range, context), context),
  landed: await byLandedUsage(range, context),
  isCounted: await isStillCounted(range, { context, others: undefined, thorough: false }),
});

const evidenceText = ({ statistics, usage, landed, isCounted }: Evidence): string =>
  [
    `the statistics ${statistics ?? 'no answer'}`,
    `the usage export ${usage ?? 'no answer'}`,
    ...(landed === zero ? [] : [`the usage that was landed before ${landed}`]),
    ...(isCounted ? ['and used_quota still counts them'] : []),
  ].join(', ');

/** A purge of old data also gives 0 and 0. Another source that still counts the calls contradicts it. */
const isEmptied = ({ statistics, usage, landed, isCounted }: Evidence): boolean =>
  statistics === zero && usage === zero && landed === zero && !isCounted;

const written = (seconds: UnixSeconds): string =>
  new Date(toMillis(seconds)).toISOString().replace('.000Z', 'Z');

const adviceOf = (range: Range, evidence: Evidence, context: JobContext): string => {
  if (isEmptied(evidence))
    return `if the calls are gone for good, \`tollkeeper run ${shellWord(context.name)} --from ${written(range.start)} --to ${written(range.end)} --accept-empty\` removes them here as well`;
  return evidence.statistics === undefined || evidence.usage === undefined
    ? 'run it again once the gateway answers both'
    : 'run it again; if it stays so, ask the operator of the gateway where the calls are';
};

/** A run also lands windows outside the range that a person named. */
const isAsked = (range: Range, context: JobContext): boolean => {
  const again = backfilled(context);
  if (again === undefined) return false;
  const { start, end } = wholeSeconds(again);
  return range.start >= start && range.end <= end;
};

/**
 * Judges windows of which the log export has no rows any more: it returns where a person has accepted that and no other
 * source contradicts it. @throws fault export-emptied, with what was compared
 */
export const judgeEmptied =
  (context: JobContext) =>
  async (range: Range, found: Fault): Promise<void> => {
    const evidence = await evidenceOf(range, context);
    const isAccepted = context.acceptEmpty === true && isAsked(range, context);
    const compared = evidenceText(evidence);
    if (!isAccepted || !isEmptied(evidence))
      throw fault('export-emptied', `${found.message}; other sources have for it: ${compared}`, {
        cause: found,
        advice: adviceOf(range, evidence, context),
      });
    context.log.warn('stored rows are removed, since the gateway has no calls any more', {
      from: written(range.start),
      to: written(range.end),
      compared,
    });
  };
