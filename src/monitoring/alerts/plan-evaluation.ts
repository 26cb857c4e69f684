import { interval, unixSeconds, type Interval, type UnixSeconds } from '../../core/index.ts';
import type { Budget } from '../budgets/budget.ts';
import { paceSeconds } from '../budgets/forecast.ts';
import { comparedWith, periodAt } from '../budgets/period.ts';

type Range = Interval<UnixSeconds>;

/** A budget in one period, and the ranges whose spend its assessment needs; these are cut to the data. */
export type PlannedPeriod = {
  readonly budget: Budget;
  readonly period: Range;
  /** From the start of the period to the end of the data. */
  readonly elapsed: Range;
  /** From which the pace is taken. */
  readonly recent: Range;
  /** The part of the period before that is compared with `elapsed`. */
  readonly compared: Range;
};

/** Periods that ended without a final evaluation are evaluated once more, at most so many. */
const mostPeriods = 3;

const cut = ({ start, end }: Range, covered: Range | undefined): Range => {
  if (covered === undefined) return interval(start, start);
  const from = unixSeconds(Math.min(Math.max(start, covered.start), end));
  return interval(from, unixSeconds(Math.max(from, Math.min(end, covered.end))));
};

const plan = (budget: Budget, period: Range, covered: Range | undefined): PlannedPeriod => {
  const elapsed = cut(period, covered);
  const through = elapsed.end;
  const recent = interval(unixSeconds(Math.max(0, through - paceSeconds)), through);
  return {
    budget,
    period,
    elapsed,
    recent: through >= period.end ? interval(through, through) : cut(recent, covered),
    compared: comparedWith(budget, period, through),
  };
};

/**
 * The periods of a budget to evaluate, the current one last: the one that contains the last instant of the data, or of
 * the time that the data must reach. `openSince` is the start of the oldest period without a final evaluation.
 */
export const planPeriods = (
  budget: Budget,
  openSince: UnixSeconds | undefined,
  { covered, needed }: { readonly covered: Range | undefined; readonly needed: UnixSeconds },
): readonly PlannedPeriod[] => {
  const last = unixSeconds(Math.max(needed, covered?.end ?? needed) - 1);
  const current = periodAt(budget, last);
  const periods = [current];
  const oldest = openSince ?? current.start;
  let first = current;
  while (first.start > oldest && periods.length < mostPeriods) {
    first = periodAt(budget, unixSeconds(first.start - 1));
    periods.unshift(first);
  }
  return periods.map((period) => plan(budget, period, covered));
};

/** The start of the oldest of these periods that the data does not reach the end of. */
export const openSinceOf = (
  periods: readonly PlannedPeriod[],
  covered: Range | undefined,
): UnixSeconds | undefined =>
  periods.find(({ period }) => covered === undefined || covered.end < period.end)?.period.start;
