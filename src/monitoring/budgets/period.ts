import {
  addDays,
  addMonths,
  dateAt,
  interval,
  startOfDay,
  startOfMonth,
  startOfWeek,
  unixSeconds,
  type Interval,
  type LocalDate,
  type UnixSeconds,
} from '../../core/index.ts';
import type { Budget } from './budget.ts';

export type PeriodRule = Pick<Budget, 'period' | 'anchorDay' | 'zone'>;

const firstDay = ({ period, anchorDay }: PeriodRule, date: LocalDate): LocalDate => {
  switch (period) {
    case 'day':
      return date;
    case 'week':
      return startOfWeek(date);
    case 'month': {
      const offset = anchorDay - 1;
      return addDays(startOfMonth(addDays(date, -offset)), offset);
    }
    case 'quarter': {
      const month = Number(date.slice(5, 7)) - 1;
      return addMonths(startOfMonth(date), -(month % 3));
    }
    default:
      return period satisfies never;
  }
};

const nextFirstDay = ({ period }: PeriodRule, first: LocalDate): LocalDate => {
  switch (period) {
    case 'day':
      return addDays(first, 1);
    case 'week':
      return addDays(first, 7);
    case 'month':
      return addMonths(first, 1);
    case 'quarter':
      return addMonths(first, 3);
    default:
      return period satisfies never;
  }
};

/** The period that contains the moment: whole calendar days in the zone of the budget. Weeks begin on Monday. */
export const periodAt = (rule: PeriodRule, moment: UnixSeconds): Interval<UnixSeconds> => {
  const first = firstDay(rule, dateAt(moment, rule.zone));
  return interval(startOfDay(first, rule.zone), startOfDay(nextFirstDay(rule, first), rule.zone));
};

/** The period that ends where this one starts. */
export const periodBefore = (rule: PeriodRule, { start }: Interval<UnixSeconds>): Interval<UnixSeconds> =>
  periodAt(rule, unixSeconds(start - 1));

/** The part of the period before that is as long as what has elapsed of this one; the whole of it at most. */
export const comparedWith = (
  rule: PeriodRule,
  period: Interval<UnixSeconds>,
  through: UnixSeconds,
): Interval<UnixSeconds> => {
  const before = periodBefore(rule, period);
  if (through >= period.end) return before;
  return interval(before.start, unixSeconds(Math.min(before.end, before.start + (through - period.start))));
};
