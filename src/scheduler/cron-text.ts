import { CronPattern } from 'croner';
import { messageOf } from '../core/index.ts';
import { nearestWall, type CronSets } from './cron-sets.ts';

/** A schedule as it is declared. */
export type Schedule = {
  /** Five fields, six with seconds, or `@daily` and the like. */
  readonly expression: string;
  /** IANA name. */
  readonly zone: string;
  /** With both day fields set: whether one of them must match or both. */
  readonly dayMatch?: 'any' | 'all' | undefined;
};

/** Why a schedule is invalid. `dayMatch`: it has one without effect, or lacks one. */
export type ScheduleFault = { readonly message: string; readonly dayMatch?: 'unused' | 'missing' };

/** The parsed expression, or the reason why it is invalid. */
export type CronReading =
  | { readonly sets: CronSets; readonly fault?: never }
  | { readonly fault: ScheduleFault; readonly sets?: never };

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

const dayFault = (expression: string, dayMatch: Schedule['dayMatch']): ScheduleFault | undefined => {
  const fields = dayFieldsOf(expression);
  const bothSet = !fields.some(everyDate);
  if (!bothSet) {
    return dayMatch === undefined
      ? undefined
      : {
          message:
            'day_match has no effect unless both the day of the month and the weekday are set; remove it',
          dayMatch: 'unused',
        };
  }
  if (fields.some((field) => field.includes('*')))
    return {
      message:
        'cron implementations differ in how they interpret a * with a step or in a list when the other day field is set, too; list the days, such as 1-31/2',
    };
  return dayMatch === undefined
    ? {
        message:
          'it sets both the day of the month and the weekday; set day_match: any (one of them matches) or all (both do)',
        dayMatch: 'missing',
      }
    : undefined;
};

/** Forms that cron implementations reject or interpret differently, with what to write instead. */
const ambiguousForm = (expression: string): string | undefined => {
  const fields = expression.split(' ');
  const weekday = fields.at(-1) ?? '';
  const dayFields = new Set([fields.length - 3, fields.length - 1]);
  if (fields.some((field, at) => field.includes('?') && !(field === '?' && dayFields.has(at))))
    return 'cron implementations differ in how they interpret ? unless it is the whole of a day field; write *';
  if (weekday.split(',').some((part) => /^[^#-]*-[^#]*#/.test(part)))
    return 'cron implementations differ in how they interpret # after a range; list the days, such as MON#2,TUE#2';
  if (weekday.toUpperCase().includes('#L'))
    return 'cron implementations differ in how they interpret #L; write L after the weekday, such as 5L for the last Friday';
  return /(^|,)(0|sun)-sun\b/i.test(weekday)
    ? 'cron implementations differ in how they interpret a range from Sunday to Sunday; write * for all days, or SUN'
    : undefined;
};

/** Croner's flags by index become the values they stand for. */
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

/** Parses an expression with croner. Only the sets are kept, one or two kB of them: a pattern of croner takes some 80 kB. */
export const readCron = ({ expression: text, dayMatch }: Omit<Schedule, 'zone'>): CronReading => {
  const expression = text.trim().replaceAll(/\s+/g, ' ');
  const shape = shapeFault(expression);
  if (shape !== undefined) return { fault: { message: shape } };
  let pattern: CronPattern;
  try {
    pattern = new CronPattern(expression, undefined, { mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' });
  } catch (error) {
    return { fault: { message: messageOf(error).replace(/^CronPattern: /, '') } };
  }
  const ambiguous = ambiguousForm(expression);
  const days = ambiguous === undefined ? dayFault(expression, dayMatch) : { message: ambiguous };
  if (days !== undefined) return { fault: days };
  const sets = setsOf(pattern, dayMatch);
  if (nearestWall(sets, 0, 1) === undefined) return { fault: { message: 'it never matches' } };
  if (sets.days === 'any' && nearestWall({ ...sets, days: 'dates' }, 0, 1) === undefined)
    return {
      fault: { message: 'its day of the month does not exist in its months; use the weekday only' },
    };
  return { sets };
};
