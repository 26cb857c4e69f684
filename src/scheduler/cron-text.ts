import { CronPattern } from 'croner';
import { validateDetailed } from 'node-cron';
import { messageOf } from '../core/index.ts';
import { nearestWall } from './cron-sets.ts';
import type { CronSets } from './cron-sets.ts';

/** A schedule as it is declared. */
export type Schedule = {
  /** Five fields, six with seconds, or `@daily` and the like. */
  readonly expression: string;
  /** IANA name. */
  readonly zone: string;
  /** With both day fields set: whether one of them must match or both. */
  readonly dayMatch?: 'any' | 'all' | undefined;
};

/** The parsed expression, or the reason why it is invalid. */
export type CronReading =
  | { readonly sets: CronSets; readonly fault?: never }
  | { readonly fault: string; readonly sets?: never };

const everyDate = (field: string): boolean => field === '*' || field === '?';

/** The day of the month and the weekday as written. */
const dayFieldsOf = (expression: string): readonly [string, string] => {
  const fields = expression.split(' ');
  return fields.length < 5 ? ['*', '*'] : [fields.at(-3) ?? '*', fields.at(-1) ?? '*'];
};

const shapeFault = (expression: string): string | undefined => {
  const count = expression.split(' ').length;
  if (expression.startsWith('@') || count === 5 || count === 6) return undefined;
  return `it has ${count} ${count === 1 ? 'field' : 'fields'}, but five or six are expected${count === 7 ? ', without years' : ''}`;
};

const dayFault = (expression: string, dayMatch: Schedule['dayMatch']): string | undefined => {
  const fields = dayFieldsOf(expression);
  const bothSet = !fields.some(everyDate);
  if (!bothSet) {
    return dayMatch === undefined
      ? undefined
      : 'day_match has no effect unless both the day of the month and the weekday are set; remove it';
  }
  if (fields.some((field) => field.includes('*')))
    return 'cron implementations differ in how they interpret a * with a step or in a list when the other day field is set, too; list the days, such as 1-31/2';
  return dayMatch === undefined
    ? 'it sets both the day of the month and the weekday; set day_match: any (one of them matches) or all (both do)'
    : undefined;
};

/** Converts croner's flags by index to values. */
const valuesOf = (flags: readonly number[], first: number): readonly number[] =>
  flags.flatMap((flag, index) => (flag === 0 ? [] : [index + first]));

const setsOf = (pattern: CronPattern, dayMatch: Schedule['dayMatch']): CronSets => ({
  seconds: valuesOf(pattern.second, 0),
  minutes: valuesOf(pattern.minute, 0),
  hours: valuesOf(pattern.hour, 0),
  months: valuesOf(pattern.month, 1),
  dates: valuesOf(pattern.day, 1),
  lastDate: pattern.lastDayOfMonth,
  lastWeekday: pattern.lastWeekday,
  nearestWeekdays: valuesOf(pattern.nearestWeekdays, 1),
  weekdays: pattern.dayOfWeek.slice(0, 7),
  days: pattern.starDOW ? 'dates' : pattern.starDOM ? 'weekdays' : (dayMatch ?? 'any'),
  fixedTime: pattern.isFixedTime,
});

const sameValues = (left: readonly number[], right: readonly number[]): boolean => {
  const [one, other] = [new Set(left), new Set(right)];
  return one.size === other.size && [...one].every((value) => other.has(value));
};

/** Its lists contain numbers and `15W`, `5#2`, `5L`, which map to their number here, and `L`, `LW`, which have none. */
const numbersOf = (values: readonly (number | string)[]): readonly number[] =>
  values.map((value) => Number.parseInt(String(value), 10)).filter((value) => !Number.isNaN(value));

/** Whether node-cron parses the same values. For example, it does not read 0-sun as the whole week. */
const nodeCronAgrees = (expression: string, sets: CronSets): boolean => {
  const { fields } = validateDetailed(expression);
  return (
    fields !== undefined &&
    sameValues(numbersOf(fields.second), sets.seconds) &&
    sameValues(numbersOf(fields.minute), sets.minutes) &&
    sameValues(numbersOf(fields.hour), sets.hours) &&
    sameValues(numbersOf(fields.dayOfMonth), [...sets.dates, ...sets.nearestWeekdays]) &&
    sameValues(numbersOf(fields.month), sets.months) &&
    sameValues(numbersOf(fields.dayOfWeek), valuesOf(sets.weekdays, 0))
  );
};

/**
 * Parses an expression with croner. The pattern is discarded at once: it takes some 80 kB, the derived sets one or two.
 * An expression that node-cron rejects or parses differently is rejected, so that it has one meaning for every parser.
 */
export const readCron = ({ expression: text, dayMatch }: Omit<Schedule, 'zone'>): CronReading => {
  const expression = text.trim().replaceAll(/\s+/g, ' ');
  const shape = shapeFault(expression);
  if (shape !== undefined) return { fault: shape };
  let pattern: CronPattern;
  try {
    pattern = new CronPattern(expression, undefined, { mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' });
  } catch (error) {
    return { fault: messageOf(error).replace(/^CronPattern: /, '') };
  }
  const days = dayFault(expression, dayMatch);
  if (days !== undefined) return { fault: days };
  const sets = setsOf(pattern, dayMatch);
  if (nearestWall(sets, 0, 1) === undefined) return { fault: 'it never matches' };
  if (sets.days === 'any' && nearestWall({ ...sets, days: 'dates' }, 0, 1) === undefined)
    return { fault: 'its day of the month does not exist in its months; use the weekday only' };
  return nodeCronAgrees(expression, sets)
    ? { sets }
    : { fault: 'two cron implementations interpret it differently; write it in a simpler form' };
};
