import {
  addMoney,
  compareMoney,
  subtractMoney,
  sumMoney,
  toMillis,
  unixSeconds,
  zero,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../core/index.ts';
import { settledThrough } from '../ingest/index.ts';
import type { EntryTotals, UsageValue } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { findingOf, type Explanation, type Finding } from './finding.ts';
import { explainGrowth, momentText } from './late.ts';
import { matchTotal, type ReconcileDeps, type SourcePart } from './total.ts';
import { agreement } from './verdict.ts';
import { bucketsIn } from './buckets.ts';
import { decimalsOf, directionOf, matchFigures } from './match-figures.ts';
import { figureFor, type LogSums } from './figures.ts';

type Range = Interval<UnixSeconds>;
type By = 'model' | 'key';
type Granularity = 'hour' | 'day' | 'week';

/** The usage of the part of a range that both it and the log cover. */
type Covered = {
  readonly granularity: Granularity;
  readonly buckets: readonly Range[];
  readonly values: readonly UsageValue[];
};

const dimensions: Readonly<Record<By, string>> = { model: 'model', key: 'token' };
const granularities = ['hour', 'day', 'week'] as const;

const lengthOf = (buckets: readonly Range[]): number => (buckets.at(-1)?.end ?? 0) - (buckets[0]?.start ?? 0);

/** Of the pulled series, the one that covers most of the range. */
const coveredUsage = async (
  range: Range,
  by: By,
  context: ReconcileContext,
): Promise<Covered | undefined> => {
  const { account, warehouse } = context;
  let best: Covered | undefined;
  const all = { account: account.name, dimension: dimensions[by], metric: 'spend' };
  const watermarks = await warehouse.usage.watermarks(all);
  for (const granularity of granularities) {
    const series = { ...all, granularity };
    const watermark = watermarks.get(granularity);
    if (watermark === undefined) continue;
    const start = Math.max(range.start, Math.ceil(watermark.start / 1000));
    const end = Math.min(range.end, Math.floor(watermark.end / 1000));
    if (end <= start) continue;
    const both = { start: unixSeconds(start), end: unixSeconds(end) };
    const values = await warehouse.usage.values(series, {
      start: toMillis(both.start),
      end: toMillis(both.end),
    });
    const seen = values.map(({ bucket }) => bucket);
    const buckets = bucketsIn(both, seen, granularity, account.profile.usageZone);
    const isWhole = buckets.every((bucket) => bucket.start % 900 === 0 && bucket.end % 900 === 0);
    if (isWhole && lengthOf(buckets) > lengthOf(best?.buckets ?? [])) best = { granularity, buckets, values };
  }
  return best;
};

const none: LogSums = { net: zero, consumption: zero, refunds: zero, topUps: zero, rows: 0 };

const plus = (left: LogSums, right: LogSums): LogSums => ({
  net: addMoney(left.net, right.net),
  consumption: addMoney(left.consumption, right.consumption),
  refunds: addMoney(left.refunds, right.refunds),
  topUps: addMoney(left.topUps, right.topUps),
  rows: left.rows + right.rows,
});

type Side = { readonly sums: LogSums; readonly values: readonly Money[] };

/** Both sides by entry, for the buckets that the filter accepts. */
const byEntry = (
  entries: readonly EntryTotals[],
  values: readonly UsageValue[],
  numbers: ReadonlyMap<number, number>,
): ReadonlyMap<string, Side> => {
  const sides = new Map<string, { sums: LogSums; values: Money[] }>();
  const sideOf = (name: string) => {
    const side = sides.get(name) ?? { sums: none, values: [] };
    sides.set(name, side);
    return side;
  };
  const kept = new Set(numbers.values());
  for (const one of entries) {
    if (!kept.has(one.bucket)) continue;
    const side = sideOf(one.entry);
    side.sums = plus(side.sums, one);
  }
  for (const { bucket, entry, value } of values)
    if (numbers.has(bucket) && value !== zero) sideOf(entry.trim()).values.push(value);
  return sides;
};

/** Both sides by bucket and entry, for entries of the log. */
const cellsOf = (
  entries: readonly EntryTotals[],
  values: readonly UsageValue[],
  numbers: ReadonlyMap<number, number>,
): readonly SourcePart[] => {
  const cellOf = (bucket: number, entry: string): string => JSON.stringify([bucket, entry]);
  const readings = new Map<string, Money[]>();
  for (const { bucket, entry, value } of values) {
    const number = numbers.get(bucket);
    if (number === undefined) continue;
    const cell = cellOf(number, entry.trim());
    readings.set(cell, [...(readings.get(cell) ?? []), value]);
  }
  return entries.map((sums) => {
    const found = readings.get(cellOf(sums.bucket, sums.entry)) ?? [];
    return { sums, reading: sumMoney(found), cells: found.length };
  });
};

const numbersOf = (
  buckets: readonly Range[],
  until = Number.POSITIVE_INFINITY,
): ReadonlyMap<number, number> =>
  new Map(
    buckets.flatMap(({ start, end }, number) => (end <= until ? [[start * 1000, number] as const] : [])),
  );

const wholeOf = (sides: ReadonlyMap<string, Side>): Side => ({
  sums: [...sides.values()].reduce((sum, side) => plus(sum, side.sums), none),
  values: [...sides.values()].flatMap(({ values }) => values),
});

const readingOf = (values: readonly Money[]) => ({
  value: sumMoney(values),
  cells: Math.max(1, values.length),
  places: Math.max(0, ...values.map(decimalsOf)),
});

/** The log's sums of a range before it landed again, if that was after the moment. */
const sumsBefore = async (
  range: Range,
  moment: UnixMillis,
  now: LogSums,
  { account, warehouse }: ReconcileContext,
): Promise<LogSums | undefined> => {
  const changed = await warehouse.restatements.since(account.name, moment, range);
  if (changed.quarters.length === 0) return undefined;
  const before = (name: 'net' | 'consumption' | 'refunds'): Money =>
    addMoney(now[name], subtractMoney(changed.old[name], changed.new[name]));
  return { ...now, net: before('net'), consumption: before('consumption'), refunds: before('refunds') };
};

const isDifferent = ({ sums, values }: Side): boolean =>
  sums.consumption !== zero || sums.refunds !== zero || values.length > 0;

/** Compares the usage export by model or by key with the log: in total, and entry by entry. */
export const compareUsage = async (
  asked: Range,
  by: By,
  deps: ReconcileDeps,
): Promise<readonly Finding[]> => {
  const { context } = deps;
  const { account, warehouse } = context;
  const source = by === 'model' ? ('usage by model' as const) : ('usage by key' as const);
  const covered = await coveredUsage(asked, by, context);
  const [first, last] = [covered?.buckets[0], covered?.buckets.at(-1)];
  if (covered === undefined || first === undefined || last === undefined) return [];
  const { buckets, values, granularity } = covered;
  const range = { start: first.start, end: last.end };
  const entries = await warehouse.comparisons.entries(account.name, by, buckets);
  const sides = byEntry(entries, values, numbersOf(buckets));
  const whole = wholeOf(sides);
  const request = {
    source,
    range,
    sums: whole.sums,
    readings: [readingOf(whole.values)],
    written: whole.values,
    cells: async () => Promise.resolve(cellsOf(entries, values, numbersOf(buckets))),
    parts: async () =>
      Promise.resolve(
        [...sides.values()].map((side) => ({
          sums: side.sums,
          reading: sumMoney(side.values),
          cells: side.values.length,
        })),
      ),
  };
  const total = await matchTotal(request, deps);

  const landings = await warehouse.comparisons.landings(account.name, range);
  const usageLandings = await warehouse.comparisons.usageLandings(
    account.name,
    { dimension: dimensions[by], granularity },
    range,
  );
  const settled = Math.min(settledThrough(range, landings), settledThrough(range, usageLandings));

  const matchPart = (side: Side): ReturnType<typeof matchFigures> =>
    matchFigures([readingOf(side.values)], [figureFor(total.figure, side.sums)], {
      unit: total.figure.unit,
      refunds: total.refunds ?? 'unknown',
      isSettled: true,
    });
  const explain = async (): Promise<Explanation | undefined> => {
    if (settled < range.end) {
      const part = wholeOf(byEntry(entries, values, numbersOf(buckets, settled)));
      if (agreement(matchPart(part)) !== undefined)
        return {
          verdict: 'late data',
          why: `it is after ${momentText(settled, context)}, and figures may still change`,
        };
    }
    const pulled = usageLandings[0]?.landedAt;
    if (pulled !== undefined) {
      const before = await sumsBefore(range, pulled, whole.sums, context);
      if (before !== undefined && agreement(matchPart({ ...whole, sums: before })) !== undefined)
        return {
          verdict: 'late data',
          why: 'the log showed the same before it was pulled again, and the usage export is older; pull it again',
        };
    }
    return explainGrowth(range, total, context);
  };
  const found = await findingOf({ source, range, match: total }, explain);

  const ofEntry = async ([entry, side]: readonly [string, Side]): Promise<Finding> => {
    const match = matchPart(side);
    return findingOf({ source, entry, range, match }, async () =>
      // If the total is late data, an entry that differs in the same direction is part of it.
      found.verdict === 'late data' && directionOf(match) === directionOf(total)
        ? { verdict: 'late data', why: found.why ?? '' }
        : undefined,
    );
  };
  const parts: Finding[] = [];
  for (const side of [...sides].filter(([, one]) => isDifferent(one))) parts.push(await ofEntry(side));
  return [found, ...parts.toSorted((left, right) => compareMoney(right.match.reading, left.match.reading))];
};
