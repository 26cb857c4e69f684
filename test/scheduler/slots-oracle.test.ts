import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { nextSlots, previousSlots, scheduleFault, type Schedule } from '../../src/scheduler/slots.ts';
import {
  changesOf,
  firstYear,
  lastYear,
  quickWallAt,
  slotsIn,
  textOf,
  wallAt,
  type DayField,
  type Field,
  type Pattern,
} from './oracle.ts';
import { chaosFactor, runs } from '../support/storm.ts';

const rounds = runs(2000);
vi.setConfig({ testTimeout: 60_000 * chaosFactor });

const zones = [
  'America/New_York',
  'Europe/Berlin',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/Havana',
  // Its clocks go forward at 23:00, so that the gap ends on another day.
  'America/Nuuk',
  'UTC',
];

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

type Part<T> = { readonly text: string; readonly deps: T };

const range = (from: number, to: number, step = 1): number[] => {
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
};

const cased = (names: readonly string[], name: (value: number) => number) =>
  fc
    .tuple(fc.nat(names.length - 1), fc.constantFrom('lower', 'upper'))
    .map(([index, letters]): Part<number> => {
      const text = names[index] ?? '';
      return { text: letters === 'upper' ? text.toUpperCase() : text, deps: name(index) };
    });

const single = (value: fc.Arbitrary<number>): fc.Arbitrary<Part<number[]>> =>
  value.map((one) => ({ text: String(one), deps: [one] }));

const ranges = (value: fc.Arbitrary<number>): fc.Arbitrary<Part<number[]>> =>
  fc
    .tuple(value, value, fc.option(fc.integer({ min: 1, max: 7 }), { freq: 3, nil: undefined }))
    .map(([a, b, step]) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      return {
        text: `${from}-${to}${step === undefined ? '' : `/${step}`}`,
        deps: range(from, to, step),
      };
    });

const steps = (min: number, max: number): fc.Arbitrary<Part<number[]>> =>
  fc
    .integer({ min: 1, max: max - min + 1 })
    .map((step) => ({ text: `*/${step}`, deps: range(min, max, step) }));

const every = (min: number, max: number): Part<number[]> => ({ text: '*', deps: range(min, max) });

const fieldOf = (parts: readonly Part<number[]>[]): Field => {
  const text = parts.map((part) => part.text).join(',');
  return { text, values: new Set(parts.flatMap((part) => part.deps)), wild: /[*/]/.test(text) };
};

const listOf = <T>(part: fc.Arbitrary<T>) => fc.array(part, { minLength: 1, maxLength: 3 });

const timeField = (max: number, usual: readonly number[]): fc.Arbitrary<Field> => {
  const value = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.nat(max) },
  );
  const part = fc.oneof(
    { weight: 6, arbitrary: single(value) },
    { weight: 2, arbitrary: ranges(value) },
    { weight: 1, arbitrary: steps(0, max) },
  );
  return fc
    .oneof(
      { weight: 1, arbitrary: fc.constant([every(0, max)]) },
      { weight: 1, arbitrary: steps(0, max).map((one) => [one]) },
      { weight: 4, arbitrary: listOf(part) },
    )
    .map(fieldOf);
};

const monthName = cased(monthNames, (index) => index + 1);
const monthNumber = fc.integer({ min: 1, max: 12 });
const monthField: fc.Arbitrary<Field> = fc
  .oneof(
    { weight: 5, arbitrary: fc.constant([every(1, 12)]) },
    { weight: 1, arbitrary: steps(1, 12).map((one) => [one]) },
    {
      weight: 2,
      arbitrary: listOf(
        fc.oneof(
          single(monthNumber),
          ranges(monthNumber),
          monthName.map(({ text, deps }): Part<number[]> => ({ text, deps: [deps] })),
          fc.tuple(monthName, monthName).map(([a, b]): Part<number[]> => {
            const [from, to] = a.deps < b.deps ? [a, b] : [b, a];
            return { text: `${from.text}-${to.text}`, deps: range(from.deps, to.deps) };
          }),
        ),
      ),
    },
  )
  .map(fieldOf);

const lastOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
const weekdayOf = (year: number, month: number, date: number): number =>
  new Date(Date.UTC(year, month - 1, date)).getUTCDay();
const isWorkday = (year: number, month: number, date: number): boolean =>
  ![0, 6].includes(weekdayOf(year, month, date));

/** The Monday to Friday of the month that is nearest to the date. */
const nearestWorkday = (year: number, month: number, wanted: number): number | undefined =>
  wanted > lastOf(year, month)
    ? undefined
    : range(1, lastOf(year, month))
        .filter((date) => isWorkday(year, month, date))
        .sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];

type Day = DayField['deps'];
const dates = ({ text, deps }: Part<number[]>): Part<Day> => ({
  text,
  deps: (_year, _month, date) => deps.includes(date),
});
const dateNumber = fc.integer({ min: 1, max: 31 });
const lastWorkday: Part<Day> = {
  text: 'LW',
  deps: (year, month, date) =>
    date === range(1, lastOf(year, month)).findLast((each) => isWorkday(year, month, each)),
};
const lastDate: Part<Day> = { text: 'L', deps: (year, month, date) => date === lastOf(year, month) };

const dayField = (parts: readonly Part<Day>[]): DayField => ({
  text: parts.map((part) => part.text).join(','),
  set: true,
  deps: (...day) => parts.some((part) => part.deps(...day)),
});
const everyDay = (text: string): DayField => ({ text, set: false, deps: () => true });

const dateField: fc.Arbitrary<DayField> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([lastWorkday]).map(dayField) },
  {
    weight: 5,
    arbitrary: listOf(
      fc.oneof(
        { weight: 3, arbitrary: single(dateNumber).map(dates) },
        { weight: 2, arbitrary: ranges(dateNumber).map(dates) },
        { weight: 1, arbitrary: fc.constant(lastDate) },
        {
          weight: 2,
          arbitrary: fc.oneof(fc.constantFrom(1, 2, 28, 29, 30, 31), dateNumber).map((wanted): Part<Day> => ({
            text: `${wanted}W`,
            deps: (year, month, date) => date === nearestWorkday(year, month, wanted),
          })),
        },
      ),
    ).map(dayField),
  },
);

const weekdays =
  (deps: readonly number[]): Day =>
  (...day) =>
    deps.some((weekday) => weekday % 7 === weekdayOf(...day));
const weekdayName = cased(weekdayNames, (index) => index);
const weekdayNumber = fc.integer({ min: 0, max: 7 });
const oneWeekday = fc.oneof(
  weekdayNumber.map((deps): Part<number> => ({ text: String(deps), deps })),
  weekdayName,
);
const weekdayField: fc.Arbitrary<DayField> = listOf(
  fc.oneof(
    oneWeekday.map(({ text, deps }): Part<Day> => ({ text, deps: weekdays([deps]) })),
    ranges(weekdayNumber).map(({ text, deps }): Part<Day> => ({ text, deps: weekdays(deps) })),
    fc
      .tuple(weekdayName, weekdayName)
      .filter(([from, to]) => from.deps < (to.deps === 0 ? 7 : to.deps) && from.deps !== 0)
      .map(([from, to]): Part<Day> => ({
        text: `${from.text}-${to.text}`,
        deps: weekdays(range(from.deps, to.deps === 0 ? 7 : to.deps)),
      })),
    fc.tuple(oneWeekday, fc.integer({ min: 1, max: 5 })).map(([{ text, deps }, which]): Part<Day> => ({
      text: `${text}#${which}`,
      deps: (...day) => weekdays([deps])(...day) && Math.ceil(day[2] / 7) === which,
    })),
    oneWeekday.map(({ text, deps }): Part<Day> => ({
      text: `${text}L`,
      deps: (...day) => weekdays([deps])(...day) && day[2] + 7 > lastOf(day[0], day[1]),
    })),
  ),
).map(dayField);

const anyDay = fc.constantFrom('*', '?').map(everyDay);
/** A step over * is good in a day field only beside a * in the other. */
const dayFields: fc.Arbitrary<readonly [DayField, DayField]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(anyDay, anyDay) },
  { weight: 2, arbitrary: fc.tuple(dateField, anyDay) },
  { weight: 2, arbitrary: fc.tuple(anyDay, weekdayField) },
  { weight: 2, arbitrary: fc.tuple(dateField, weekdayField) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      steps(1, 31).map((part) => dayField([dates(part)])),
      anyDay,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      anyDay,
      steps(0, 6).map(({ text, deps }) => dayField([{ text, deps: weekdays(deps) }])),
    ),
  },
);

const patterns: fc.Arbitrary<Pattern> = fc
  .record({
    second: fc.option(timeField(59, [0, 1, 30, 59]), { freq: 3, nil: undefined }),
    minute: timeField(59, [0, 1, 15, 29, 30, 45, 59]),
    hour: timeField(23, [0, 1, 2, 3, 23]),
    month: monthField,
    days: dayFields,
    dayMatch: fc.constantFrom('any' as const, 'all' as const),
  })
  .map(({ days: [date, weekday], ...rest }) => ({ ...rest, date, weekday }));

const knownFrom = Date.UTC(firstYear, 0) / 1000;
const knownTo = Date.UTC(lastYear, 0) / 1000;

/** Seconds around the moments at which clocks are changed, or anywhere. */
const moments = (zone: string): fc.Arbitrary<number> => {
  const changes = changesOf(zone).filter(({ at }) => at > knownFrom && at < knownTo);
  const anywhere = fc.integer({ min: knownFrom, max: knownTo });
  if (changes.length === 0) return anywhere;
  const near = fc
    .tuple(
      fc.constantFrom(...changes),
      fc.oneof(
        fc.integer({ min: -100, max: 60 }).map((minutes) => minutes * 60),
        fc.integer({ min: -14_400, max: 7200 }),
        fc.integer({ min: -200_000, max: 100_000 }),
      ),
    )
    .map(([{ at }, offset]) => at + offset);
  return fc.oneof({ weight: 4, arbitrary: near }, { weight: 1, arbitrary: anywhere });
};

const cases = fc.constantFrom(...zones).chain((zone) =>
  fc.record({
    zone: fc.constant(zone),
    pattern: patterns,
    after: moments(zone),
    millis: fc.oneof(fc.constant(0), fc.nat(999)),
  }),
);

const scheduleOf = (pattern: Pattern, zone: string): Schedule => ({
  expression: textOf(pattern),
  zone,
  ...(pattern.date.set && pattern.weekday.set ? { dayMatch: pattern.dayMatch } : {}),
});

/** Long enough for some hundred slots, as far as the oracle knows the clocks. */
const rangeOf = ({ second, minute, hour }: Pattern): number => {
  const perDay = (second?.values.size ?? 1) * minute.values.size * hour.values.size;
  return Math.round(Math.min(Math.max((200 / perDay) * 86_400, 8000), 400 * 86_400));
};

describe('the oracle', () => {
  it('derives local times from its list of changes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones).chain((zone) => fc.tuple(fc.constant(zone), moments(zone))),
        ([zone, moment]) => {
          expect(quickWallAt(zone, moment)).toBe(wallAt(zone, moment));
        },
      ),
      { numRuns: rounds },
    );
  });
});

describe('slots of random schedules', () => {
  it('equal those of the oracle, forwards and backwards', () => {
    fc.assert(
      fc.property(cases, ({ zone, pattern, after, millis }) => {
        const schedule = scheduleOf(pattern, zone);
        const from = unixMillis(after * 1000 + millis);
        const until = Math.min(after + rangeOf(pattern), knownTo + 300 * 86_400);
        const end = unixMillis(until * 1000 + millis);
        const expected = slotsIn(pattern, zone, after, until).map((slot) => slot * 1000);
        const fault = scheduleFault(schedule);
        if (fault !== undefined) {
          const deadDate = fault.message.includes('does not exist');
          const never = deadDate ? { ...pattern, weekday: everyDay('*') } : pattern;
          if (!deadDate) expect(fault).toEqual({ message: 'it never matches' });
          expect(slotsIn(never, zone, after, until)).toEqual([]);
          return;
        }
        const next = nextSlots(schedule, from, expected.length + 1);
        expect(next.slice(0, expected.length)).toEqual(expected);
        expect(next.at(expected.length) ?? Infinity).toBeGreaterThan(end);

        const before = unixMillis(end + 1);
        const previous = previousSlots(schedule, before, expected.length + 1);
        expect(previous.slice(0, expected.length)).toEqual(expected.toReversed());
        expect(previous.at(expected.length) ?? -Infinity).toBeLessThanOrEqual(from);
      }),
      { numRuns: rounds },
    );
  });
});
