import {
  compareMoney,
  dateAt,
  daySeconds,
  groupBy,
  hourSeconds,
  interval,
  subtractMoney,
  sumMoney,
  unixSeconds,
  zero,
  type Money,
  type UnixSeconds,
} from '../../../../core/index.ts';
import {
  findUnusual,
  isExpected,
  leastBusy,
  leastGrowth,
  readSeconds,
  type HourlySpend,
  type UnusualSpend,
  type UnusualWindow,
} from '../../../../monitoring/index.ts';
import type { Growth, HourSums, SeriesQuery } from '../../../../warehouse/index.ts';
import type { RuleContext } from '../../rule.ts';

/** What is judged: the account, a model, or a service with all of its keys. */
export type UnusualScope = { readonly kind: 'account' | 'model' | 'service'; readonly name: string };

/** A model and service, and what they cost more than a week before. */
export type Contribution = { readonly model: string; readonly service: string; readonly more: Money };

export type FoundUnusual = {
  readonly scope: UnusualScope;
  readonly unusual: UnusualSpend;
  readonly currency: string;
  /** The largest first. */
  readonly contributions: readonly Contribution[];
};

/** What an evaluation knows; undefined where the call log does not suffice for a judgement, or has no hour that is not judged. */
export type UnusualReading = {
  readonly found: readonly FoundUnusual[];
  /** The end of the last whole hour. */
  readonly end: UnixSeconds;
};

/** Seconds of call log below which nothing is compared. */
const leastKnown = 6 * daySeconds;

/** Sums of doubles differ from those of the warehouse in their last places: what is just below a limit is judged too. */
const slack = 0.999;

/** Of so few names the hours are read, which are one scan; of more, only those of which an hour can be unusual. */
const mostHourly = 100;

/** Contributions that are shown. */
const mostContributions = 3;

type Candidate = { readonly name: string; readonly windows: readonly UnusualWindow[] };

/** Names that can be unusual. */
const candidatesOf = (growth: Growth = new Map()): readonly Candidate[] =>
  [...growth].map(([name, { hour, day }]) => ({
    name,
    windows: [...(hour ? (['hour'] as const) : []), ...(day ? (['day'] as const) : [])],
  }));

/** The models and services that cost more in the unusual hours than in the same hours a week before. */
const contributionsOf = ([
  now = [],
  before = [],
]: readonly (readonly HourSums[])[]): readonly Contribution[] => {
  const key = ({ model, service }: HourSums): string => JSON.stringify([model, service]);
  const earlier = groupBy(before, key);
  return [...groupBy(now, key)]
    .map(([name, rows]) => ({
      model: rows[0].model,
      service: rows[0].service,
      more: subtractMoney(
        sumMoney(rows.map(({ spend }) => spend)),
        sumMoney((earlier.get(name) ?? []).map(({ spend }) => spend)),
      ),
    }))
    .filter(({ more }) => compareMoney(more, zero) > 0)
    .toSorted((one, other) => compareMoney(other.more, one.more))
    .slice(0, mostContributions);
};

/** Judges the last 24 whole hours of the account, of each model and of each service, once an hour: `judgedUntil` is the end of the last one. */
export const readUnusual = async (
  floor: Money,
  judgedUntil: number,
  { job }: Pick<RuleContext, 'job'>,
): Promise<UnusualReading | undefined> => {
  const { account, warehouse, signal, zone } = job;
  const covered = await warehouse.logs.watermark(account.name);
  if (covered === undefined) return undefined;
  const end = unixSeconds(Math.floor(covered.end / hourSeconds) * hourSeconds);
  const known = unixSeconds(Math.ceil(covered.start / hourSeconds) * hourSeconds);
  if (end - known < leastKnown || end <= judgedUntil) return undefined;
  job.progress({ step: 'looking for unusual spend' });
  const from = (seconds: number): UnixSeconds => unixSeconds(Math.max(0, end - seconds));
  const whole = interval(from(readSeconds), end);
  const expected = await warehouse.alerts.expected(account.name);
  const expectedHours = new Set<number>();
  for (let hour: number = whole.start; hour < end; hour += hourSeconds)
    if (isExpected(dateAt(unixSeconds(hour), zone), expected)) expectedHours.add(hour);
  const week = interval(from(8 * daySeconds), end);
  const areExpected = (seconds: number): boolean =>
    Array.from({ length: seconds / hourSeconds }, (_, at) => week.start + at * hourSeconds).some((hour) =>
      expectedHours.has(hour),
    );
  const isWeekKnown = known <= week.start;
  // A day that is expected, or not known, is not compared with.
  const times = isWeekKnown && !areExpected(daySeconds) ? leastGrowth : { hour: 0, day: 0 };
  const isWhole = isWeekKnown && !areExpected(7 * daySeconds);
  const {
    growth,
    isProven,
    currency = '',
  } = await warehouse.hours(
    {
      account: account.name,
      growth: (['model', 'service'] as const).map((by) => ({
        range: week,
        by,
        floor: Number(floor) * slack,
        hour: { times: times.hour * slack, calls: leastBusy(isWhole) },
        day: { times: times.day * slack },
      })),
    },
    signal,
  );
  if (!isProven) return undefined;
  const [models, services] = [candidatesOf(growth[0]), candidatesOf(growth[1])];
  const seriesOf = (name: 'model' | 'service', all: readonly Candidate[]): readonly SeriesQuery[] => {
    const isHourly = ({ windows }: Candidate): boolean =>
      all.length <= mostHourly || windows.includes('hour');
    return (['hour', 'day'] as const).map((each) => ({
      range: whole,
      by: name,
      each,
      only: all.filter((one) => isHourly(one) === (each === 'hour')).map((one) => one.name),
    }));
  };
  const { series } = await warehouse.hours(
    {
      account: account.name,
      series: [
        { range: whole, each: 'hour' },
        ...seriesOf('model', models),
        ...seriesOf('service', services),
      ],
    },
    signal,
  );
  const [ofAccount, ...ofParts] = series;
  const judge = (
    scope: UnusualScope,
    hours: HourlySpend = new Map(),
    windows: readonly UnusualWindow[] = ['hour', 'day'],
  ) => ({
    scope,
    unusual: findUnusual({
      hours,
      end,
      known,
      floor: Number(floor),
      windows,
      isExpected: (hour) => expectedHours.has(hour),
    }),
  });
  const judgeAll = (
    kind: 'model' | 'service',
    candidates: readonly Candidate[],
    parts: readonly ReadonlyMap<string, HourlySpend>[],
  ) =>
    candidates.map(({ name, windows }) =>
      judge(
        { kind, name },
        parts.map((part) => part.get(name)).find((one) => one !== undefined),
        windows,
      ),
    );
  const judged = [
    judge({ kind: 'account', name: account.name }, ofAccount?.get('')),
    ...judgeAll('model', models, ofParts.slice(0, 2)),
    ...judgeAll('service', services, ofParts.slice(2)),
  ];
  const found: FoundUnusual[] = [];
  const unusual = judged.flatMap((one) =>
    one.unusual === undefined ? [] : [{ ...one, unusual: one.unusual }],
  );
  // One incident is of several scopes, and begins in the same hour.
  for (const [since, same] of groupBy(unusual, (one) => one.unusual.since)) {
    const weekBefore = interval(unixSeconds(since - 7 * daySeconds), unixSeconds(end - 7 * daySeconds));
    const pairs = await warehouse.hours(
      {
        account: account.name,
        queries: [
          { range: interval(since, end), by: ['model', 'service'], each: 'range' },
          { range: weekBefore, by: ['model', 'service'], each: 'range' },
        ],
      },
      signal,
    );
    for (const one of same) {
      const { kind, name } = one.scope;
      const isOwn = ({ model, service }: HourSums): boolean =>
        kind === 'account' || name === (kind === 'model' ? model : service);
      const contributions = contributionsOf(pairs.found.map((rows) => rows.filter(isOwn)));
      found.push({ scope: one.scope, unusual: one.unusual, currency, contributions });
    }
  }
  // In the order of the scopes: the account comes first.
  const order = new Map(unusual.map(({ scope }, at) => [scope, at]));
  found.sort((one, other) => (order.get(one.scope) ?? 0) - (order.get(other.scope) ?? 0));
  return { found, end };
};
