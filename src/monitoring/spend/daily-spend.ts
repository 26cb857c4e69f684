import {
  addDays,
  addMonths,
  atWallTime,
  dateAt,
  localDays,
  startOfDay,
  startOfMonth,
  subtractMoney,
  sumMoney,
  type LocalDate,
  type LocalDay,
  type Money,
  unixSeconds,
  wallTimeAt,
  type UnixSeconds,
} from '../../core/index.ts';
import { teamOf, type CubeTeam, type SegmentSums, type SumsRequest } from '../../warehouse/index.ts';

/** Days that a chart of spend shows, today included. */
export const chartDays = 90;

/** The local days that spend of today, this month, the month before and the chart needs; the last one is today. */
export const spendDays = (now: UnixSeconds, zone: string): readonly LocalDay[] => {
  const today = dateAt(now, zone);
  const lastMonth = addMonths(startOfMonth(today), -1);
  const chart = addDays(today, 1 - chartDays);
  return localDays(lastMonth < chart ? lastMonth : chart, today, zone);
};

/**
 * The moment of the last month that compares with the one up to which the log is complete: at the same local time of the
 * same day of the month, or the end of a month that lacks that day. Pure.
 */
export const sameInLastMonth = (
  through: UnixSeconds,
  days: readonly LocalDay[],
  zone: string,
): UnixSeconds => {
  const today = days.at(-1);
  if (today === undefined) return through;
  const month = startOfMonth(today.date);
  const [start, end] = [addMonths(month, -1), month].map((date) => startOfDay(date, zone));
  if (start === undefined || end === undefined || through <= end) return start ?? through;
  const at = unixSeconds(Math.min(through, today.end - 1));
  const date = dateAt(at, zone);
  const same = addMonths(date, -1);
  return same.slice(8) === date.slice(8) ? atWallTime(same, wallTimeAt(at, zone), zone) : end;
};

/** The moments that divide days of spend. */
export type SpendCuts = {
  /** The end of the log; calls after it are not counted, since more of them may be missing. */
  readonly through: UnixSeconds;
  /** The moment of the last month that compares with `through`. */
  readonly lastMonth: UnixSeconds;
};

/** Part of a day that is read on its own. */
type Segment = LocalDay & { readonly day: number };

/** The days; one with a cut inside is divided there. */
const segmentsIn = (days: readonly LocalDay[], cuts: SpendCuts): readonly Segment[] =>
  days.flatMap(({ date, start, end }, day) => {
    const inside = [cuts.lastMonth, cuts.through].filter((cut) => cut > start && cut < end);
    const starts = [...new Set([start, ...inside])].toSorted((left, right) => left - right);
    return starts.map((from, at) => ({ date, start: from, end: starts[at + 1] ?? end, day }));
  });

/** A segment a day, more for one that is divided, by key; those after the end of the log are left out. */
export const segmentsOfDays = (
  days: readonly LocalDay[],
  cuts: SpendCuts,
): Pick<SumsRequest, 'bounds' | 'segments' | 'tokens' | 'by'> => {
  const segments = segmentsIn(days, cuts);
  return {
    bounds: [...segments.map(({ start }) => start), ...segments.slice(-1).map(({ end }) => end)],
    segments: new Set(segments.flatMap(({ start }, at) => (start < cuts.through ? [at] : []))),
    tokens: false,
    by: ['key'],
  };
};

/** Consumption minus refunds, in the currency of the account. */
export type SpendSums = {
  readonly today: Money;
  readonly yesterday: Money;
  readonly month: Money;
  readonly lastMonth: Money;
  /** Of the last month up to the moment that compares with the end of the log. */
  readonly lastMonthToDate: Money;
};

export type DaySpend = { readonly date: LocalDate; readonly spend: Money };

export type TeamSums = SpendSums & {
  /** Empty: the keys of no team. */
  readonly team: string;
};

const sumsOf = (
  segments: readonly Segment[],
  cut: SpendCuts['lastMonth'],
  spendOf: (segment: number) => readonly Money[],
): SpendSums => {
  const today = segments.at(-1)?.date ?? '';
  const month = startOfMonth(today);
  const lastMonth = addMonths(month, -1);
  const sum = (isIncluded: (date: LocalDate, end: UnixSeconds) => boolean): Money =>
    sumMoney(segments.flatMap(({ date, end }, number) => (isIncluded(date, end) ? spendOf(number) : [])));
  return {
    today: sum((date) => date === today),
    yesterday: sum((date) => date === addDays(today, -1)),
    month: sum((date) => date >= month),
    lastMonth: sum((date) => date >= lastMonth && date < month),
    lastMonthToDate: sum((date, end) => date >= lastMonth && end <= cut),
  };
};

/** Spend of an account by day and team, from the segments of the days. Without `team` of all keys, else of the keys of that team. */
export const dailySpend = (
  cells: readonly Pick<SegmentSums, 'segment' | 'key' | 'service' | 'charge' | 'refunds'>[],
  days: readonly LocalDay[],
  cuts: SpendCuts,
  { teams, team: only }: { readonly teams: readonly CubeTeam[]; readonly team?: string | undefined },
): {
  readonly sums: SpendSums;
  readonly days: readonly DaySpend[];
  /** In the order of the configuration, then the keys of no team; teams without spend are omitted. */
  readonly teams: readonly TeamSums[];
} => {
  const segments = segmentsIn(days, cuts);
  const teamOfKey = new Map<string, string>();
  const byTeam = new Map<string, Map<number, Money[]>>();
  for (const { segment, key, service, charge, refunds } of cells) {
    const team = teamOfKey.get(key) ?? teamOf(key, service, teams) ?? '';
    teamOfKey.set(key, team);
    if (only !== undefined && team !== only) continue;
    const bySegment = byTeam.get(team) ?? new Map<number, Money[]>();
    byTeam.set(team, bySegment);
    const amounts = bySegment.get(segment);
    const net = subtractMoney(charge, refunds);
    if (amounts === undefined) bySegment.set(segment, [net]);
    else amounts.push(net);
  }
  for (const bySegment of byTeam.values())
    for (const [segment, amounts] of bySegment) bySegment.set(segment, [sumMoney(amounts)]);
  const all = (segment: number): readonly Money[] =>
    [...byTeam.values()].flatMap((bySegment) => bySegment.get(segment) ?? []);
  const byDay = days.map((): Money[] => []);
  for (const [segment, { day }] of segments.entries()) byDay[day]?.push(...all(segment));
  return {
    sums: sumsOf(segments, cuts.lastMonth, all),
    days: days.map(({ date }, day) => ({ date, spend: sumMoney(byDay[day] ?? []) })),
    teams: [...teams.map(({ name }) => name), ''].flatMap((team) => {
      const bySegment = byTeam.get(team);
      return bySegment === undefined
        ? []
        : [{ team, ...sumsOf(segments, cuts.lastMonth, (segment) => bySegment.get(segment) ?? []) }];
    }),
  };
};
