import {
  daySeconds,
  groupBy,
  hourSeconds,
  interval,
  unixSeconds,
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
import type { HoursQuery, HourSums } from '../../../../warehouse/index.ts';
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

const spendByKey = (rows: readonly HourSums[]) => groupBy(rows, ({ key }) => key);

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
  const ask = async (queries: readonly HoursQuery[]) =>
    warehouse.hours({ account: account.name, queries }, signal);
  const spent = await ask([{ range: last, by: ['key'], each: 'range', floor }]);
  if (!spent.isProven) return undefined;
  const spending = (spent.found[0] ?? []).filter(({ key }) => key !== '');
  if (spending.length === 0) return { keys: [], end };
  const known = spending.map(({ key }) => key);
  const all = await ask([{ range: before, by: ['key'], each: 'range', only: { key: known } }]);
  const spendBefore = new Map((all.found[0] ?? []).map(({ key, spend }) => [key, Number(spend)]));
  // The mean over the days since its first call is at least that over all days.
  const costly = spending.filter(
    ({ key, spend }) => open.has(key) || Number(spend) >= (leastByMean * (spendBefore.get(key) ?? 0)) / days,
  );
  if (costly.length === 0) return { keys: [], end };
  const only = { key: costly.map(({ key }) => key) };
  const byDay = await warehouse.hours(
    { account: account.name, series: [{ range: before, by: ['key'], each: 'day', only }] },
    signal,
  );
  /** Spend of each 24 hours since the first call of the key. */
  const windowsOf = (key: string): readonly number[] => {
    const known = byDay.series[0]?.get(key) ?? new Map<number, SpentHour>();
    const begun = Math.min(since, ...known.keys());
    return Array.from(
      { length: Math.round((since - begun) / daySeconds) },
      (_, at) => known.get(begun + at * daySeconds)?.spend ?? 0,
    );
  };
  const suspicious = costly.flatMap(({ key, spend }) => {
    const windows = windowsOf(key);
    return usualIfSuspicious(Number(spend), windows, Number(floor), open.has(key)) === undefined
      ? []
      : [{ key, windows }];
  });
  if (suspicious.length === 0) return { keys: [], end };
  const ofThese = { key: suspicious.map(({ key }) => key) };
  const { found, currency = '' } = await ask([
    { range: before, by: ['model', 'key'], each: 'range', only: ofThese },
    { range: before, by: ['key'], each: 'hour-of-day', only: ofThese },
    { range: last, by: ['model', 'key'], each: 'range', only: ofThese },
    { range: last, by: ['key'], each: 'hour-of-day', only: ofThese },
  ]);
  const [modelsBefore, hoursBefore, modelsNow, hoursNow] = found.map(spendByKey);
  const services = new Map(
    (await warehouse.keys.lineage(account.name)).flatMap(({ name, service, retired }) =>
      retired === undefined ? [[name, service] as const] : [],
    ),
  );
  const hourOf = ({ at }: HourSums): number => at / hourSeconds;
  const judged = suspicious.flatMap(({ key, windows }): readonly FoundBehaviour[] => {
    const behaviour = judgeKey(
      {
        before: windows,
        models: new Set((modelsBefore?.get(key) ?? []).map(({ model }) => model)),
        hours: new Set((hoursBefore?.get(key) ?? []).map(hourOf)),
        byModel: new Map((modelsNow?.get(key) ?? []).map(({ model, spend }) => [model, Number(spend)])),
        byHour: new Map((hoursNow?.get(key) ?? []).map((row) => [hourOf(row), Number(row.spend)])),
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
