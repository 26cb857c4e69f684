import {
  dayMillis,
  compareMoney,
  divideMoney,
  money,
  moneyAsShare,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  unixMillis,
  zero,
  type Money,
  type UnixMillis,
} from '../../../../core/index.ts';
import type { Condition } from '../../../../monitoring/index.ts';

/** A balance or quota as the gateway showed it at a moment, in the unit of the gateway. */
export type QuotaReading = {
  readonly at: UnixMillis;
  readonly left: Money;
  /** What had been used by then, where the gateway counts it; otherwise falls of `left` are use. */
  readonly used?: Money | undefined;
};

/** How long a balance lasts at the current pace. */
export type Runway =
  | {
      readonly state: 'known';
      readonly left: Money;
      /** In the unit of the gateway. */
      readonly perDay: Money;
      /** Days from the last reading; `low` and `high` bound 95 % of the paces that the variation of the days supports. */
      readonly days: number;
      readonly low: number;
      /** Infinity where the pace may be zero. */
      readonly high: number;
      readonly emptyAt: UnixMillis;
    }
  /** Nothing was used in the range. */
  | { readonly state: 'unused'; readonly left: Money }
  | { readonly state: 'unknown'; readonly reason: RunwayUnknown };

/** `few-readings`: fewer than two, at least a day apart. `old-reading`: the last one says nothing about today. */
export type RunwayUnknown = 'few-readings' | 'old-reading';

/** Milliseconds before the last reading from which the pace is taken: whole weeks, so that each weekday counts equally. */
export const runwayDuration = 14 * dayMillis;

const usedBetween = (before: QuotaReading, after: QuotaReading): Money => {
  const used =
    before.used !== undefined && after.used !== undefined
      ? subtractMoney(after.used, before.used)
      : subtractMoney(before.left, after.left);
  // A rise of the balance is a top-up, a fall of the used amount a correction: neither is use.
  return compareMoney(used, zero) > 0 ? used : zero;
};

/** Use by day of the range, as fractions of the mean; use between two readings is spread evenly over their days. */
const dailyShares = (readings: readonly QuotaReading[], total: Money): readonly number[] => {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return [];
  const count = Math.max(1, Math.floor((last.at - first.at) / dayMillis));
  const length = (last.at - first.at) / count;
  const shares = Array.from({ length: count }, () => 0);
  for (const [index, after] of readings.entries()) {
    const before = readings[index - 1];
    if (before === undefined || after.at === before.at) continue;
    const part = moneyAsShare(usedBetween(before, after), total) * count;
    for (let at = 0; at < count; at += 1) {
      const [from, to] = [first.at + at * length, first.at + (at + 1) * length];
      const overlap = Math.max(0, Math.min(to, after.at) - Math.max(from, before.at));
      shares[at] = (shares[at] ?? 0) + (part * overlap) / (after.at - before.at);
    }
  }
  return shares;
};

/** Two standard errors of the mean, as a fraction of it: the margin of 95 % of the means. */
const marginOf = (shares: readonly number[]): number => {
  if (shares.length < 2) return 1;
  const variance = shares.reduce((sum, share) => sum + (share - 1) ** 2, 0) / (shares.length - 1);
  return 2 * Math.sqrt(variance / shares.length);
};

/** Days until the last reading is used up at the pace of the readings, oldest first. */
export const runwayOf = (readings: readonly QuotaReading[]): Runway => {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < dayMillis)
    return { state: 'unknown', reason: 'few-readings' };
  const used = sumMoney(
    readings.slice(1).map((after, index) => usedBetween(readings[index] ?? after, after)),
  );
  if (compareMoney(used, zero) <= 0) return { state: 'unused', left: last.left };
  const elapsed = money(String(last.at - first.at));
  const perDay = divideMoney(multiplyMoney(used, money(String(dayMillis))), elapsed, 12) ?? zero;
  const left = compareMoney(last.left, zero) > 0 ? last.left : zero;
  const days = moneyAsShare(multiplyMoney(left, elapsed), multiplyMoney(used, money(String(dayMillis))));
  const margin = marginOf(dailyShares(readings, used));
  return {
    state: 'known',
    left,
    perDay,
    days,
    low: days / (1 + margin),
    high: margin >= 1 ? Number.POSITIVE_INFINITY : days / (1 - margin),
    emptyAt: unixMillis(last.at + Math.round(Math.min(days, 36_500) * dayMillis)),
  };
};

/** An alert ends once this many times its days are left again, so that a pace near the level does not repeat it. */
const recovery = 1.2;

/** One condition for each level, in days. Notifications are sent only for levels that the runway has fallen below. */
export const runwayConditions = (
  alert: string,
  runway: Runway,
  levels: readonly number[],
): readonly Condition[] =>
  levels.map((level): Condition => {
    const name = `${level} days left`;
    if (runway.state === 'unknown') return { alert, level: name, state: 'unchanged' };
    if (runway.state === 'unused') return { alert, level: name, state: 'clear' };
    const state = runway.days <= level ? 'firing' : runway.days >= level * recovery ? 'clear' : 'unchanged';
    return { alert, level: name, state };
  });
