import { Cron } from 'croner';
import { validate } from 'node-cron';
import { messageOf, unixMillis } from '../base/index.ts';
import type { UnixMillis } from '../base/index.ts';

const parsed = new Map<string, Cron>();

/** One instance for each expression and zone: each holds some 80 kB. */
const cron = (expression: string, zone: string): Cron => {
  const name = `${zone} ${expression}`;
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const made = new Cron(expression, {
    timezone: zone,
    paused: true,
    fixedTimeRule: 'no-wildcard',
    mode: '5-or-6-parts',
  });
  parsed.set(name, made);
  return made;
};

const dayFields = (expression: string): readonly string[] => {
  const fields = expression.trim().split(/\s+/);
  return fields.length < 5 ? [] : [fields.at(-3) ?? '*', fields.at(-1) ?? '*'];
};

/** What is wrong with a schedule, in words; nothing when it is good. Never-firing expressions are refused too. */
export const scheduleFault = (expression: string, zone: string): string | undefined => {
  try {
    if (cron(expression, zone).nextRun(new Date(0)) === null) return 'it never fires';
  } catch (error) {
    return messageOf(error).replace(/^CronPattern: /, '');
  }
  if (!expression.startsWith('@') && !validate(expression))
    return 'the two cron readers disagree on it; write it more plainly';
  if (dayFields(expression).filter((field) => field !== '*' && field !== '?').length > 1) {
    return 'it restricts both the day of the month and the weekday, which cron readers take in two ways; restrict one of them';
  }
  return undefined;
};

/** The next slots after a moment (not at it), in milliseconds UTC, in order. DST by the Vixie rule. */
export const nextSlots = (
  expression: string,
  zone: string,
  after: UnixMillis,
  count: number,
): readonly UnixMillis[] =>
  cron(expression, zone)
    .nextRuns(count, new Date(after))
    .map((date) => unixMillis(date.getTime()));

/** The latest slot in (after, now], and how many there were; nothing when none is due. */
export const dueSlot = (
  expression: string,
  zone: string,
  after: UnixMillis,
  now: UnixMillis,
): UnixMillis | undefined => {
  const [first] = nextSlots(expression, zone, after, 1);
  if (first === undefined || first > now) return undefined;
  const [latest] = cron(expression, zone).previousRuns(1, new Date(now + 1));
  return latest === undefined ? first : unixMillis(Math.max(first, latest.getTime()));
};
