/**
 * Slots worked out a second time, from nothing but what Intl says a zone's clocks show at an instant. Slow and plain on
 * purpose: each reading of the clock that matches is looked at by itself. All times are seconds.
 */

/** A field as text, and which values it means. */
export type Field = { readonly text: string; readonly values: ReadonlySet<number>; readonly wild: boolean };

/** A day field as text, and which days it means. */
export type DayField = {
  readonly text: string;
  readonly set: boolean;
  readonly deps: (year: number, month: number, date: number) => boolean;
};

export type Pattern = {
  readonly second: Field | undefined;
  readonly minute: Field;
  readonly hour: Field;
  readonly date: DayField;
  readonly month: Field;
  readonly weekday: DayField;
  readonly dayMatch: 'any' | 'all';
};

export const textOf = ({ second, minute, hour, date, month, weekday }: Pattern): string =>
  [second, minute, hour, date, month, weekday].flatMap((field) => field?.text ?? []).join(' ');

const format = new Map<string, Intl.DateTimeFormat>();

/** What the wall clock shows, as seconds since 1970-01-01 00:00 on it. */
export const wallAt = (zone: string, instant: number): number => {
  const known =
    format.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  format.set(zone, known);
  const [month = 0, date = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    known.format(instant * 1000).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, date, hour, minute, second) / 1000;
};

/** When clocks were changed, and their distance from UTC from then on. */
export type Change = { readonly at: number; readonly before: number; readonly after: number };

/** The years the oracle knows. */
export const firstYear = 2008;
export const lastYear = 2034;
const known = { from: Date.UTC(firstYear - 1, 0) / 1000, to: Date.UTC(lastYear + 1, 0) / 1000 };

const changesFound = new Map<string, readonly Change[]>();

/** Every change of a zone's clocks in the known years, found by halving. */
export const changesOf = (zone: string): readonly Change[] => {
  const found = changesFound.get(zone);
  if (found !== undefined) return found;
  const offsetAt = (instant: number): number => wallAt(zone, instant) - instant;
  const changes: Change[] = [];
  const step = 36 * 3600;
  for (let from = known.from; from < known.to; from += step) {
    const before = offsetAt(from);
    const after = offsetAt(from + step);
    if (before === after) continue;
    let low = from;
    let high = from + step;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, before, after });
  }
  changesFound.set(zone, changes);
  return changes;
};

/** What `wallAt` says, from the changes. */
export const quickWallAt = (zone: string, instant: number): number => {
  const changes = changesOf(zone);
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.at ?? Infinity) <= instant) low = middle + 1;
    else high = middle;
  }
  const offset = changes[low - 1]?.after ?? changes[0]?.before ?? wallAt(zone, known.from) - known.from;
  return instant + offset;
};

const offsetsFound = new Map<string, readonly number[]>();

/** Every distance from UTC that the zone's clocks have in the known years. */
const offsetsOf = (zone: string): readonly number[] => {
  const found = offsetsFound.get(zone);
  if (found !== undefined) return found;
  const changes = changesOf(zone);
  const offsets = [
    ...new Set([
      quickWallAt(zone, known.from) - known.from,
      ...changes.flatMap(({ before, after }) => [before, after]),
    ]),
  ];
  offsetsFound.set(zone, offsets);
  return offsets;
};

const dayMatches = (pattern: Pattern, year: number, month: number, date: number): boolean => {
  if (!pattern.month.values.has(month)) return false;
  const byDate = pattern.date.deps(year, month, date);
  const byWeekday = pattern.weekday.deps(year, month, date);
  if (!pattern.date.set) return byWeekday;
  if (!pattern.weekday.set) return byDate;
  return pattern.dayMatch === 'any' ? byDate || byWeekday : byDate && byWeekday;
};

/** Every reading of a wall clock in [from, to] that the pattern means. */
const readings = (pattern: Pattern, from: number, to: number): number[] => {
  const found: number[] = [];
  const seconds = [...(pattern.second?.values ?? [0])];
  for (let day = Math.floor(from / 86_400); day * 86_400 <= to; day += 1) {
    const on = new Date(day * 86_400_000);
    if (!dayMatches(pattern, on.getUTCFullYear(), on.getUTCMonth() + 1, on.getUTCDate())) continue;
    for (const hour of pattern.hour.values)
      for (const minute of pattern.minute.values)
        for (const second of seconds) {
          const wall = day * 86_400 + hour * 3600 + minute * 60 + second;
          if (wall >= from && wall <= to) found.push(wall);
        }
  }
  return found;
};

/** The first instant at which the clock shows more than a reading it never showed. */
const afterGap = (zone: string, wall: number): number => {
  let low = wall - 30 * 3600;
  let high = wall + 30 * 3600;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (quickWallAt(zone, middle) < wall) low = middle;
    else high = middle;
  }
  return high;
};

/** The least and the most that clocks may show from two days before to two days after the span. */
const shownIn = (zone: string, after: number, until: number): { from: number; to: number } => {
  const near = changesOf(zone).filter(({ at }) => at > after - 172_800 && at < until + 172_800);
  const offsets = near.flatMap((change) => [change.before, change.after]);
  return {
    from: Math.min(quickWallAt(zone, after), ...offsets.map((offset) => after + offset)),
    to: Math.max(quickWallAt(zone, until), ...offsets.map((offset) => until + offset)),
  };
};

/** Every slot in (after, until], by the Vixie rule, in order. */
export const slotsIn = (pattern: Pattern, zone: string, after: number, until: number): number[] => {
  const { from, to } = shownIn(zone, after, until);
  const fixed = ![pattern.second, pattern.minute, pattern.hour].some((field) => field?.wild === true);
  const slots = new Set<number>();
  for (const wall of readings(pattern, from, to)) {
    const shown = offsetsOf(zone)
      .map((offset) => wall - offset)
      .filter((instant) => quickWallAt(zone, instant) === wall)
      .sort((a, b) => a - b);
    const [first] = shown;
    if (!fixed) for (const instant of shown) slots.add(instant);
    else slots.add(first ?? afterGap(zone, wall));
  }
  return [...slots].filter((slot) => slot > after && slot <= until).sort((a, b) => a - b);
};
