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
  leastUsualCalls,
  readSeconds,
  type SpentHour,
  type UnusualSpend,
  type UnusualWindow,
} from '../../../../monitoring/index.ts';
import type { HoursQuery, HourSums } from '../../../../warehouse/index.ts';
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

/** Spend by less than this factor of the same 24 hours a week before is never unusual. */
const leastGrowth = 1.3;

/** Calls of the same hour of seven days, whose median can be that of an hour which is judged by itself. */
const leastBusy = 4 * leastUsualCalls;

/** Contributions that are shown. */
const mostContributions = 3;

const emptyHour: SpentHour = { calls: 0, spend: 0 };

const seriesOf = (rows: readonly HourSums[]): ReadonlyMap<number, SpentHour> => {
  const hours = new Map<number, SpentHour>();
  for (const { at, calls, spend } of rows) {
    const known = hours.get(at) ?? emptyHour;
    hours.set(at, { calls: known.calls + calls, spend: known.spend + Number(spend) });
  }
  return hours;
};

type Candidate = {
  readonly name: string;
  /** The models or keys of the scope. */
  readonly names: readonly string[];
  readonly windows: readonly UnusualWindow[];
};

/** Names that can be unusual by the sums of their last day, of that a week before, and of their busy hours. */
const candidatesOf = (
  [last = [], weekBefore = [], busy = []]: readonly (readonly HourSums[])[],
  nameOf: (row: HourSums) => string,
  partOf: (row: HourSums) => string,
  floor: number,
): readonly Candidate[] => {
  const before = groupBy(weekBefore, nameOf);
  const busyHours = groupBy(busy, (row) => JSON.stringify([nameOf(row), row.at]));
  const isBusy = new Set(
    [...busyHours.values()].flatMap((same) =>
      same.reduce((calls, row) => calls + row.calls, 0) >= leastBusy ? [nameOf(same[0])] : [],
    ),
  );
  const spendOf = (rows: readonly HourSums[] = []): number =>
    rows.reduce((total, { spend }) => total + Number(spend), 0);
  return [...groupBy(last, nameOf)].flatMap(([name, rows]) => {
    const spend = spendOf(rows);
    if (spend < floor) return [];
    const windows: readonly UnusualWindow[] = isBusy.has(name)
      ? ['hour', 'day']
      : spend >= leastGrowth * spendOf(before.get(name))
        ? ['day']
        : [];
    return windows.length === 0 ? [] : [{ name, names: [...new Set(rows.map(partOf))], windows }];
  });
};

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
  const lastDay = interval(from(daySeconds), end);
  const least = { spend: zero } as const;
  const asked = (['model', 'key'] as const).flatMap((by): readonly HoursQuery[] => [
    { range: lastDay, by, each: 'range', least },
    { range: interval(from(8 * daySeconds), from(7 * daySeconds)), by, each: 'range' },
    // A key of a service that was rotated has a part of its calls.
    {
      range: interval(from(8 * daySeconds), from(daySeconds)),
      by,
      each: 'hour-of-day',
      least: { calls: 30 },
    },
  ]);
  const {
    found: sums,
    isProven,
    currency = '',
  } = await warehouse.hours({ account: account.name, queries: asked }, signal);
  if (!isProven) return undefined;
  const models = candidatesOf(
    sums.slice(0, 3),
    ({ model }) => model,
    ({ model }) => model,
    Number(floor),
  );
  const services = candidatesOf(
    sums.slice(3),
    ({ service }) => service,
    ({ key }) => key,
    Number(floor),
  );
  const whole = interval(from(readSeconds), end);
  const namesOf = (all: readonly Candidate[], isHourly: boolean): readonly string[] =>
    all.flatMap(({ windows, names }) => (windows.includes('hour') === isHourly ? names : []));
  const queries: readonly HoursQuery[] = [
    { range: whole, by: 'account', each: 'hour' },
    { range: whole, by: 'model', each: 'hour', models: namesOf(models, true) },
    { range: whole, by: 'model', each: 'day', models: namesOf(models, false) },
    { range: whole, by: 'key', each: 'hour', keys: namesOf(services, true) },
    { range: whole, by: 'key', each: 'day', keys: namesOf(services, false) },
  ];
  const { found: series } = await warehouse.hours({ account: account.name, queries }, signal);
  const [ofAccount = [], modelHours = [], modelDays = [], keyHours = [], keyDays = []] = series;
  const expected = await warehouse.alerts.expected(account.name);
  const isKnown = (hour: UnixSeconds): boolean => isExpected(dateAt(hour, zone), expected);
  const judge = (rows: readonly HourSums[], windows: readonly UnusualWindow[]): UnusualSpend | undefined =>
    findUnusual({ hours: seriesOf(rows), end, known, floor: Number(floor), windows, isExpected: isKnown });
  const byModel = groupBy([...modelHours, ...modelDays], ({ model }) => model);
  const byService = groupBy([...keyHours, ...keyDays], ({ service }) => service);
  const judged: readonly { readonly scope: UnusualScope; readonly unusual: UnusualSpend | undefined }[] = [
    { scope: { kind: 'account', name: account.name }, unusual: judge(ofAccount, ['hour', 'day']) },
    ...models.map(({ name, windows }) => ({
      scope: { kind: 'model', name } as const,
      unusual: judge(byModel.get(name) ?? [], windows),
    })),
    ...services.map(({ name, windows }) => ({
      scope: { kind: 'service', name } as const,
      unusual: judge(byService.get(name) ?? [], windows),
    })),
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
          { range: interval(since, end), by: 'pair', each: 'range' },
          { range: weekBefore, by: 'pair', each: 'range' },
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
