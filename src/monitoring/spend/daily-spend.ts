import {
  addDays,
  addMonths,
  dateAt,
  localDays,
  startOfMonth,
  subtractMoney,
  sumMoney,
  type LocalDate,
  type LocalDay,
  type Money,
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

/** One segment a day, without models. */
export const segmentsOfDays = (
  days: readonly LocalDay[],
): Pick<SumsRequest, 'bounds' | 'segments' | 'tokens' | 'models'> => ({
  bounds: [...days.map(({ start }) => start), ...days.slice(-1).map(({ end }) => end)],
  segments: new Set(days.keys()),
  tokens: false,
  models: false,
});

/** Consumption minus refunds, in the currency of the account. */
export type SpendSums = {
  readonly today: Money;
  readonly yesterday: Money;
  readonly month: Money;
  readonly lastMonth: Money;
  /** Of the days of the last month up to the same day of the month as today. */
  readonly lastMonthToDate: Money;
};

export type DaySpend = { readonly date: LocalDate; readonly spend: Money };

export type TeamSums = SpendSums & {
  /** Empty: the keys of no team. */
  readonly team: string;
};

const sumsOf = (days: readonly LocalDay[], spendOf: (day: number) => readonly Money[]): SpendSums => {
  const today = days.at(-1)?.date ?? '';
  const month = startOfMonth(today);
  const lastMonth = addMonths(month, -1);
  const sum = (isIncluded: (date: LocalDate) => boolean): Money =>
    sumMoney(days.flatMap(({ date }, day) => (isIncluded(date) ? spendOf(day) : [])));
  return {
    today: sum((date) => date === today),
    yesterday: sum((date) => date === addDays(today, -1)),
    month: sum((date) => date >= month),
    lastMonth: sum((date) => date >= lastMonth && date < month),
    lastMonthToDate: sum((date) => date >= lastMonth && date < month && date.slice(8) <= today.slice(8)),
  };
};

/** Spend of an account by day and team. Without `team` of all keys, else of the keys of that team. */
export const dailySpend = (
  cells: readonly Pick<SegmentSums, 'segment' | 'key' | 'service' | 'charge' | 'refunds'>[],
  days: readonly LocalDay[],
  { teams, team: only }: { readonly teams: readonly CubeTeam[]; readonly team?: string | undefined },
): {
  readonly sums: SpendSums;
  readonly days: readonly DaySpend[];
  /** In the order of the configuration, then the keys of no team; teams without spend are omitted. */
  readonly teams: readonly TeamSums[];
} => {
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
  const all = (day: number): readonly Money[] =>
    [...byTeam.values()].flatMap((bySegment) => bySegment.get(day) ?? []);
  return {
    sums: sumsOf(days, all),
    days: days.map(({ date }, day) => ({ date, spend: sumMoney(all(day)) })),
    teams: [...teams.map(({ name }) => name), ''].flatMap((team) => {
      const bySegment = byTeam.get(team);
      return bySegment === undefined ? [] : [{ team, ...sumsOf(days, (day) => bySegment.get(day) ?? []) }];
    }),
  };
};
