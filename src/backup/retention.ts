import { dateAt, startOfMonth, startOfWeek, unixSeconds, type LocalDate } from '../core/index.ts';

/** How many days, weeks and months keep their newest backup. */
export type Keep = { readonly daily: number; readonly weekly: number; readonly monthly: number };

/** Unix seconds of a name such as `20261126T090000Z`; undefined for any other. */
const secondsOf = (name: string): number | undefined => {
  const iso = name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const millis = iso === name ? Number.NaN : Date.parse(iso);
  return Number.isNaN(millis) ? undefined : millis / 1000;
};

const periods: Readonly<Record<keyof Keep, (date: LocalDate) => LocalDate>> = {
  daily: (date) => date,
  weekly: startOfWeek,
  monthly: startOfMonth,
};

/**
 * The names to keep, oldest first: the newest backup of all, and the newest of each of the last days, weeks and months
 * of the zone that have one. Weeks begin on Monday. A name that states no moment is kept.
 */
export const backupsToKeep = (names: readonly string[], keep: Keep, zone: string): readonly string[] => {
  const dated = names
    .flatMap((name) => {
      const seconds = secondsOf(name);
      return seconds === undefined ? [] : [{ name, seconds, date: dateAt(unixSeconds(seconds), zone) }];
    })
    .toSorted((left, right) => right.seconds - left.seconds);
  const kept = new Set(names.filter((name) => secondsOf(name) === undefined));
  if (dated[0] !== undefined) kept.add(dated[0].name);
  for (const rule of ['daily', 'weekly', 'monthly'] as const) {
    const seen = new Set<LocalDate>();
    for (const { name, date } of dated) {
      const period = periods[rule](date);
      if (seen.has(period)) continue;
      if (seen.size >= keep[rule]) break;
      seen.add(period);
      kept.add(name);
    }
  }
  return names.filter((name) => kept.has(name)).toSorted();
};
