import {
  daySeconds,
  groupBy,
  hourSeconds,
  interval,
  unixSeconds,
  type Money,
  type UnixSeconds,
} from '../../../../core/index.ts';
import { judgeKey, leastByMean, leastHistory, type KeyBehaviour } from '../../../../monitoring/index.ts';
import type { HourSums } from '../../../../warehouse/index.ts';
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

/** Rows of single days of so many keys at once. */
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
  const ask = async (queries: Parameters<typeof warehouse.hours>[0]['queries']) =>
    warehouse.hours({ account: account.name, queries }, signal);
  const spent = await ask([{ range: last, by: 'key', each: 'range', least: { spend: floor } }]);
  if (!spent.isProven) return undefined;
  const spending = (spent.found[0] ?? []).filter(({ key }) => key !== '');
  if (spending.length === 0) return { keys: [], end };
  const known = spending.map(({ key }) => key);
  const all = await ask([{ range: before, by: 'key', each: 'range', keys: known }]);
  const spendBefore = new Map((all.found[0] ?? []).map(({ key, spend }) => [key, Number(spend)]));
  // The mean over the days since its first call is at least that over all days.
  const keys = spending.flatMap(({ key, spend }) =>
    open.has(key) || Number(spend) >= (leastByMean * (spendBefore.get(key) ?? 0)) / days ? [key] : [],
  );
  if (keys.length === 0) return { keys: [], end };
  const { found, currency = '' } = await ask([
    { range: before, by: 'key', each: 'day', keys },
    { range: before, by: 'pair', each: 'range', keys },
    { range: before, by: 'key', each: 'hour-of-day', keys },
    { range: last, by: 'pair', each: 'range', keys },
    { range: last, by: 'key', each: 'hour-of-day', keys },
  ]);
  const [daysBefore, modelsBefore, hoursBefore, modelsNow, hoursNow] = found.map(spendByKey);
  const services = new Map(
    (await warehouse.keys.lineage(account.name)).flatMap(({ name, service, retired }) =>
      retired === undefined ? [[name, service] as const] : [],
    ),
  );
  const hourOf = ({ at }: HourSums): number => at / hourSeconds;
  const judged = keys.flatMap((key): readonly FoundBehaviour[] => {
    const known = daysBefore?.get(key) ?? [];
    const begun = Math.min(...known.map(({ at }) => at));
    const byDay = new Map(known.map(({ at, spend }) => [at, Number(spend)]));
    const windows = known.length === 0 ? 0 : Math.round((since - begun) / daySeconds);
    const behaviour = judgeKey(
      {
        before: Array.from(
          { length: windows },
          (_, at) => byDay.get(unixSeconds(begun + at * daySeconds)) ?? 0,
        ),
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
