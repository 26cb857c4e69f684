import {
  absoluteMoney,
  addMoney,
  compareMoney,
  money,
  subtractMoney,
  toMillis,
  unixMillis,
  unixSeconds,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../core/index.ts';
import { lateness } from '../ingest/index.ts';
import type { AccountSnapshot } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { findingOf, type Explanation, type Finding } from './finding.ts';
import { momentText } from './late.ts';
import { matchTotal, type ReconcileDeps } from './total.ts';
import { figureFor, type LogSums } from './figures.ts';
import { directionOf, gapOf, possibleGaps, type Match } from './match-figures.ts';

type Range = Interval<UnixSeconds>;
type Pair = { readonly first: AccountSnapshot; readonly last: AccountSnapshot };

/** How far from the ends of the range a snapshot may be. */
const farthest = 31 * 86_400_000;

const whole = (millis: number): UnixSeconds => unixSeconds(Math.floor(millis / 1000));

/**
 * The two snapshots that enclose the range most closely, with the log covering all of it; without such a pair, the two
 * farthest apart inside the range.
 */
const bracket = async (
  range: Range,
  covered: Range,
  context: ReconcileContext,
): Promise<Pair | undefined> => {
  const { account, warehouse } = context;
  const from = Math.max(toMillis(range.start) - farthest, toMillis(covered.start) + lateness * 1000);
  const to = Math.min(toMillis(range.end) + farthest, toMillis(covered.end));
  if (to <= from) return undefined;
  const all = await warehouse.snapshots.accountBetween(account.name, unixMillis(from), unixMillis(to));
  const [start, end] = [toMillis(range.start), toMillis(range.end)];
  const first = all.findLast(({ takenAt }) => takenAt <= start) ?? all[0];
  const last = all.find(({ askedAt }) => askedAt >= end) ?? all.at(-1);
  return first === undefined || last === undefined || last.askedAt <= first.takenAt
    ? undefined
    : { first, last };
};

/**
 * The seconds that may begin or end the range between two readings: a row of the same second may be counted in either.
 */
const edgesOf = ({ askedAt, takenAt }: AccountSnapshot): readonly UnixSeconds[] =>
  [...new Set([whole(takenAt) + 1, whole(askedAt), whole(askedAt) + 1])].map(unixSeconds);

const rangesOf = ({ first, last }: Pair): readonly Range[] =>
  edgesOf(first).flatMap((start) => edgesOf(last).flatMap((end) => (end > start ? [{ start, end }] : [])));

/** Around a reading: a row of that time may have been counted before or after it. */
const zoneOf = ({ askedAt, takenAt }: AccountSnapshot): Range => ({
  start: unixSeconds(whole(askedAt) - lateness),
  end: unixSeconds(whole(takenAt) + 1),
});

/** The last place of four-digit amounts. */
const lastPlace = money('1e-4');

type Side = 'used_quota' | 'balance';

const figureOf = (snapshot: AccountSnapshot, side: Side): Money =>
  side === 'balance' ? snapshot.balance : snapshot.usedQuota;

type Between = { readonly range: Range; readonly sums: LogSums };

/** The log's sums between the readings, for each distinct way to assign rows in the seconds of the readings. */
const sumsBetween = async (
  pair: Pair,
  { account, warehouse }: ReconcileContext,
): Promise<readonly Between[]> => {
  const found = new Map<string, Between>();
  for (const range of rangesOf(pair)) {
    const sums = await warehouse.comparisons.totals(account.name, range);
    const key = JSON.stringify(sums);
    if (!found.has(key)) found.set(key, { range, sums });
  }
  return [...found.values()];
};

type Change = { readonly match: Match; readonly range: Range };

const sizeOf = ({ match }: Change): Money =>
  possibleGaps(match)
    .map(absoluteMoney)
    .reduce((left, right) => (compareMoney(left, right) <= 0 ? left : right));

/**
 * The match that fits; else what the log in the other currency proves; else the nearest of the ways to assign the edge
 * seconds.
 */
const matchChange = async (
  pair: Pair,
  between: readonly Between[],
  side: Side,
  deps: ReconcileDeps,
): Promise<Change> => {
  const written = [figureOf(pair.first, side), figureOf(pair.last, side)];
  const value = subtractMoney(figureOf(pair.last, side), figureOf(pair.first, side));
  const readings = [{ value, isDifference: true, isPlacesKnown: false }];
  const matchOver = async ({ range, sums }: Between, others: ReconcileDeps['others']): Promise<Change> => {
    const request = { source: side, range, sums, readings, written };
    return { match: await matchTotal(request, { ...deps, others }), range };
  };
  const open: Change[] = [];
  for (const one of between) {
    const change = await matchOver(one, undefined);
    if (change.match.fit !== undefined) return change;
    open.push(change);
  }
  const [nearest] = open.toSorted((left, right) => compareMoney(sizeOf(left), sizeOf(right)));
  const [first] = between;
  if (nearest === undefined || first === undefined)
    throw new RangeError('two snapshots of the same second enclose no time');
  const asked = await matchOver(first, deps.others);
  return asked.match.fit !== undefined || asked.match.figure.kind === 'other' ? asked : nearest;
};

/** How far the charges around the two readings may move the gap up and down, in the figure's unit. */
const uncertainty = async (pair: Pair, side: Side, match: Match, context: ReconcileContext) => {
  const { account, warehouse } = context;
  const around = async (snapshot: AccountSnapshot) => {
    const sums: LogSums = await warehouse.comparisons.totals(account.name, zoneOf(snapshot));
    const { consumption, refunds } = figureFor(match.figure, sums);
    const topUps = figureFor(match.figure, { ...sums, net: sums.topUps }).net;
    return { consumption, refunds, topUps: side === 'balance' ? topUps : zero };
  };
  const [before, after] = [await around(pair.first), await around(pair.last)];
  const paid = addMoney(before.topUps, after.topUps);
  return {
    more: addMoney(addMoney(before.consumption, after.refunds), paid),
    less: addMoney(addMoney(after.consumption, before.refunds), paid),
  };
};

const explainChange = async (
  pair: Pair,
  side: Side,
  match: Match,
  context: ReconcileContext,
): Promise<Explanation | undefined> => {
  const { more, less } = await uncertainty(pair, side, match, context);
  const isWithin = possibleGaps(match).some((gap) => {
    const charged = side === 'balance' ? subtractMoney(zero, gap) : gap;
    return (
      compareMoney(charged, addMoney(more, lastPlace)) <= 0 &&
      compareMoney(charged, subtractMoney(zero, addMoney(less, lastPlace))) >= 0
    );
  });
  if (!isWithin) return undefined;
  const moments = [pair.first, pair.last].map(({ takenAt }) => momentText(takenAt / 1000, context));
  return {
    verdict: 'late data',
    why: `charges in the ten minutes before the snapshots of ${moments.join(' and ')} may count on either side`,
  };
};

export type ComparedSnapshots = {
  readonly findings: readonly Finding[];
  /** Why only used_quota, and not the balance, is compared. */
  readonly withoutBalance?: string;
};

/**
 * Describes an unexplained rise of the balance when the log shows no top-ups at all and used_quota confirms the charges:
 * such a balance can't be compared with such a log.
 */
const unseenTopUp = async (
  used: Finding,
  balance: Finding,
  covered: Range,
  { account, warehouse }: ReconcileContext,
): Promise<string | undefined> => {
  const { fit, figure } = balance.match;
  const gap = gapOf(balance.match);
  if (balance.verdict !== undefined || fit !== undefined || used.match.fit === undefined) return undefined;
  if (directionOf(balance.match) <= 0) return undefined;
  const { topUps } = await warehouse.comparisons.totals(account.name, covered);
  return topUps === zero
    ? `used_quota matches, but the balance is ${gap === 'unknown' ? '' : `${gap} ${figure.unit} `}higher than it implies; the log contains no top-ups`
    : undefined;
};

/** Compares the change of `used_quota` and of the balance between two stored snapshots with the log. */
export const compareSnapshots = async (asked: Range, deps: ReconcileDeps): Promise<ComparedSnapshots> => {
  const { context } = deps;
  const { account, warehouse } = context;
  const covered = await warehouse.logs.watermark(account.name);
  const pair = covered === undefined ? undefined : await bracket(asked, covered, context);
  if (covered === undefined || pair === undefined || rangesOf(pair).length === 0) return { findings: [] };
  const between = await sumsBetween(pair, context);
  const compare = async (side: Side): Promise<Finding> => {
    const { range, match } = await matchChange(pair, between, side, deps);
    const isFalling = side === 'balance';
    return findingOf({ source: side, range, match, isFalling }, async () =>
      explainChange(pair, side, match, context),
    );
  };
  const [used, balance] = [await compare('used_quota'), await compare('balance')];
  const withoutBalance = await unseenTopUp(used, balance, covered, context);
  return withoutBalance === undefined ? { findings: [used, balance] } : { findings: [used], withoutBalance };
};

/**
 * Whether `used_quota` still contains the calls that the log has of the range: from before it until the newest snapshot, it
 * changed as the log says, rather than by the calls of the range less.
 */
export const isStillCounted = async (range: Range, deps: ReconcileDeps): Promise<boolean> => {
  const { account, warehouse, clock } = deps.context;
  const upToNow = { start: range.start, end: unixSeconds(Math.max(range.end, whole(clock.now()))) };
  const { findings } = await compareSnapshots(upToNow, deps);
  const used = findings.find(({ source }) => source === 'used_quota');
  if (used === undefined || used.range.start > range.start || used.range.end < range.end) return false;
  const { net, consumption } = figureFor(
    used.match.figure,
    await warehouse.comparisons.totals(account.name, range),
  );
  const charged = used.match.refunds === 'not taken off' ? consumption : net;
  return possibleGaps(used.match).some(
    (gap) => compareMoney(absoluteMoney(gap), absoluteMoney(addMoney(gap, charged))) < 0,
  );
};
