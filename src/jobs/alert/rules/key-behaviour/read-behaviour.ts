import {
  daySeconds,
  groupBy,
  hourSeconds,
  interval,
  unixSeconds,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../../../core/index.ts';
import {
  judgeKey,
  leastByMean,
  leastHistory,
  usualIfSuspicious,
  type KeyBehaviour,
  type SpentHour,
} from '../../../../monitoring/index.ts';
import type { HoursQuery, SeriesQuery } from '../../../../warehouse/index.ts';
import type { RuleContext } from '../../rule.ts';

export type FoundBehaviour = KeyBehaviour & {
  readonly key: string;
  /** The service whose rotation replaces the key; undefined for a key that none manages. */
  readonly service: string | undefined;
  readonly currency: string;
  /** The start of the 24 hours. */
  readonly since: UnixSeconds;
};

/** What an evaluation knows; undefined where the call log does not suffice, or has no hour that is not judged. */
export type BehaviourReading = {
  readonly keys: readonly FoundBehaviour[];
  /** The end of the last whole hour. */
  readonly end: UnixSeconds;
};

/** The days of hours that are kept: what a key did before is unknown. */
const knownDays = 69;

/** Judges the last 24 whole hours of each key that spent more than the floor; `open`: keys whose alert fires. Once an hour: `judgedUntil` is the
 * end of the last one. */
export const readBehaviour = async (
  floor: Money,
  open: ReadonlySet<string>,
  judgedUntil: number,
  { job }: Pick<RuleContext, 'job'>,
): Promise<BehaviourReading | undefined> => {
  const { account, warehouse, signal } = job;
  const covered = await warehouse.logs.watermark(account.name);
  if (covered === undefined) return undefined;
  const end = unixSeconds(Math.floor(covered.end / hourSeconds) * hourSeconds);
  const since = unixSeconds(end - daySeconds);
  if (since - covered.start < leastHistory * daySeconds || end <= judgedUntil) return undefined;
  job.progress({ step: 'looking at the use of keys' });
  const last = interval(since, end);
  const first = Math.max(covered.start, since - knownDays * daySeconds);
  const days = Math.floor((since - first) / daySeconds);
  const before = interval(unixSeconds(since - days * daySeconds), since);
  const series = async (query: Omit<SeriesQuery, 'by'>) =>
    warehouse.hours({ account: account.name, series: [{ ...query, by: 'key' }] }, signal);
  const spent = await series({ range: last, each: 'range', floor: Number(floor) });
  if (!spent.isProven) return undefined;
  const spending = [...(spent.series[0] ?? [])].flatMap(([key, sums]) =>
    key === '' ? [] : [...sums.values()].map(({ spend }) => ({ key, spend })),
  );
  if (spending.length === 0) return { keys: [], end };
  const [spendBefore] = (await series({ range: before, each: 'range', only: spending.map(({ key }) => key) }))
    .series;
  // The mean over the days since its first call is at least that over all days.
  const costly = spending.filter(
    ({ key, spend }) =>
      open.has(key) || spend >= (leastByMean * (spendBefore?.get(key)?.get(before.start)?.spend ?? 0)) / days,
  );
  if (costly.length === 0) return { keys: [], end };
  const [byDay] = (await series({ range: before, each: 'day', only: costly.map(({ key }) => key) })).series;
  /** Spend of each 24 hours since the first call of the key. */
  const windowsOf = (key: string): readonly number[] => {
    const known = byDay?.get(key) ?? new Map<number, SpentHour>();
    const begun = Math.min(since, ...known.keys());
    return Array.from(
      { length: Math.round((since - begun) / daySeconds) },
      (_, at) => known.get(begun + at * daySeconds)?.spend ?? 0,
    );
  };
  const suspicious = costly.flatMap(({ key, spend }) => {
    const windows = windowsOf(key);
    return usualIfSuspicious(spend, windows, Number(floor), open.has(key)) === undefined
      ? []
      : [{ key, windows }];
  });
  if (suspicious.length === 0) return { keys: [], end };
  const only = suspicious.map(({ key }) => key);
  const byModel = (range: Interval<UnixSeconds>): HoursQuery => ({
    range,
    by: ['model', 'key'],
    each: 'range',
    only: { key: only },
  });
  const byHour = (range: Interval<UnixSeconds>): SeriesQuery => ({
    range,
    by: 'key',
    each: 'hour-of-day',
    only,
  });
  const {
    found,
    series: ofHours,
    currency = '',
  } = await warehouse.hours(
    { account: account.name, queries: [before, last].map(byModel), series: [before, last].map(byHour) },
    signal,
  );
  const [modelsBefore, modelsNow] = found.map((rows) => groupBy(rows, ({ key }) => key));
  const [hoursBefore, hoursNow] = ofHours;
  const services = new Map(
    (await warehouse.keys.lineage(account.name)).flatMap(({ name, service, retired }) =>
      retired === undefined ? [[name, service] as const] : [],
    ),
  );
  const judged = suspicious.flatMap(({ key, windows }): readonly FoundBehaviour[] => {
    const behaviour = judgeKey(
      {
        before: windows,
        models: new Set((modelsBefore?.get(key) ?? []).map(({ model }) => model)),
        hours: new Set([...(hoursBefore?.get(key)?.keys() ?? [])].map((second) => second / hourSeconds)),
        byModel: new Map((modelsNow?.get(key) ?? []).map(({ model, spend }) => [model, Number(spend)])),
        byHour: new Map(
          [...(hoursNow?.get(key) ?? [])].map(([second, { spend }]) => [second / hourSeconds, spend]),
        ),
      },
      Number(floor),
      open.has(key),
    );
    return behaviour === undefined
      ? []
      : [{ ...behaviour, key, service: services.get(key), currency, since }];
  });
  return { keys: judged, end };
};
