import { describe, expect, it, beforeAll } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import {
  dueSlot,
  nextSlot,
  nextSlots,
  previousSlot,
  previousSlots,
  scheduleFault,
  type Schedule,
} from '../../src/scheduler/slots.ts';
import { approved, titled } from '../support/approved.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { distinctSchedules } from './support/distinct-schedules.ts';
import fc from 'fast-check';
import { offsetPeriodAt, offsetPeriodsIn, type OffsetPeriod } from '../../src/scheduler/slot-zone.ts';
import { once } from '../support/storm.ts';

const at = (text: string) => unixMillis(Date.parse(text));
const on = (expression: string, zone: string) => ({ expression, zone });
const shown = (slots: readonly number[]) => slots.map((slot) => new Date(slot).toISOString().slice(0, 16));

const matching = (dayMatch: 'any' | 'all', expression: string, zone = 'UTC') => ({
  ...on(expression, zone),
  dayMatch,
});

/** Slots of a day of UTC, forwards; backwards they must be the same. */
const slotsOn = (expression: string, zone: string, day: string) => {
  const [after, until] = [at(`${day}T00:00:00Z`) - 1, at(`${day}T23:59:59Z`)];
  const slots = nextSlots(on(expression, zone), unixMillis(after), 100).filter((slot) => slot <= until);
  const back = previousSlots(on(expression, zone), unixMillis(until + 1), slots.length);
  expect(back.toReversed()).toEqual(slots);
  return slots.map((slot) => new Date(slot).toISOString().slice(11, 16));
};

describe('slots', () => {
  it('of @daily come at midnight of the zone', () => {
    expect(shown(nextSlots(on('@daily', 'Asia/Shanghai'), at('2026-11-21T00:07:00Z'), 1))).toEqual([
      '2026-11-21T16:00',
    ]);
  });

  it('are strictly after and strictly before the given time', () => {
    const everyMinute = on('* * * * *', 'UTC');
    const slot = at('2026-11-21T08:00:00Z');
    expect(nextSlot(everyMinute, unixMillis(slot - 1))).toBe(slot);
    expect(nextSlot(everyMinute, slot)).toBe(slot + 60_000);
    expect(previousSlot(everyMinute, unixMillis(slot + 1))).toBe(slot);
    expect(previousSlot(everyMinute, slot)).toBe(slot - 60_000);
    expect(nextSlots(everyMinute, slot, 0)).toEqual([]);
  });

  it('are due from just after the cursor to now', () => {
    const hourly = on('0 * * * *', 'UTC');
    const after = at('2026-11-21T08:00:00Z');
    expect(dueSlot(hourly, after, at('2026-11-21T08:59:59Z'))).toBeUndefined();
    expect(dueSlot(hourly, after, at('2026-11-21T09:00:00Z'))).toBe(at('2026-11-21T09:00:00Z'));
    expect(dueSlot(hourly, after, at('2026-11-21T12:34:00Z'))).toBe(at('2026-11-21T12:00:00Z'));
    expect(dueSlot(hourly, after, at('2026-11-20T08:00:00Z'))).toBeUndefined();
  });

  it('match one day field or both, as configured', () => {
    const days = (dayMatch: 'any' | 'all') =>
      shown(nextSlots({ ...on('0 0 13 * 5', 'UTC'), dayMatch }, at('2026-11-01T00:00:00Z'), 3));
    expect(days('any')).toEqual(['2026-11-06T00:00', '2026-11-13T00:00', '2026-11-20T00:00']);
    expect(days('all')).toEqual(['2026-11-13T00:00', '2027-08-13T00:00', '2028-10-13T00:00']);
  });

  it.each([
    ['0 0 1W 5 *', ['2027-05-03T00:00', '2028-05-01T00:00']],
    ['0 0 * * FRI#2', ['2026-11-13T00:00', '2026-12-11T00:00']],
    ['0 0 * * 5L', ['2026-11-27T00:00', '2026-12-25T00:00']],
  ])('of %s fall on the days of the calendar', (expression, slots) => {
    expect(shown(nextSlots(on(expression, 'UTC'), at('2026-11-01T00:00:00Z'), 2))).toEqual(slots);
  });
});

// The oracle works all of them out a second time; these are known.
describe('a clock change', () => {
  it.each([
    ['forward, a fixed time', 'Europe/Berlin', '30 2 * * *', '2026-03-29', ['01:00']],
    [
      'forward, several, and one at its end',
      'Europe/Berlin',
      '0,30 2-3 * * *',
      '2026-03-29',
      ['01:00', '01:30'],
    ],
    ['forward, a wildcard', 'Europe/Berlin', '*/30 2 * * *', '2026-03-29', []],
    ['forward, a step', 'Europe/Berlin', '30 2-3/2 * * *', '2026-03-29', []],
    ['forward, a list', 'Europe/Berlin', '0,15,30 2 * * *', '2026-03-29', ['01:00']],
    ['forward, a range', 'Europe/Berlin', '0 2-3 * * *', '2026-03-29', ['01:00']],
    ['forward, a step of hours', 'Europe/Berlin', '30 0-5/2 * * *', '2026-03-29', ['02:30', '22:30']],
    [
      'back, a step of hours',
      'Europe/Berlin',
      '30 0-5/2 * * *',
      '2026-10-25',
      ['00:30', '01:30', '03:30', '23:30'],
    ],
    ['half an hour forward', 'Australia/Lord_Howe', '15 2 * * *', '2026-10-03', ['15:30']],
    ['forward into another day', 'America/Nuuk', '30 23 * * *', '2026-03-29', ['01:00']],
    ['forward over a whole day', 'Pacific/Apia', '0 8 * * *', '2011-12-30', ['10:00', '18:00']],
    ['back, a fixed time', 'Europe/Berlin', '30 2 * * *', '2026-10-25', ['00:30']],
    ['back, a wildcard', 'Europe/Berlin', '*/30 2 * * *', '2026-10-25', ['00:00', '00:30', '01:00', '01:30']],
    ['half an hour back', 'Australia/Lord_Howe', '45 1 * * *', '2026-04-04', ['14:45']],
  ])('%s: %s %s', (_what, zone, expression, day, slots) => {
    expect(slotsOn(expression, zone, day)).toEqual(slots);
  });
});

describe('a rejected schedule', () => {
  it('is named with its fault', async () => {
    const wrong = ['61 * * * *', 'every day', '* * * *', '0 0 0 1 1 * 2027', '@reboot', '@often'];
    const never = ['0 0 30 2 *', '0 0 31 2,4 *'];
    const ambiguous = ['0 0 1 * 1', '0 0 L * MON#1'];
    // Accepted by some implementations only, or interpreted differently.
    const rare = ['0 0 L-3 * *', '0 22-2 * * *', '0 0 * * 5#L', '? * * * *', '0 0 1 ? *', '0 0 ?,? * *'];
    const differing = [
      '0 0 * * *,?',
      '0 0 * * MON-FRI#2',
      '0 0 * * sun-sun',
      '0 0 * * 0-sun',
      '0 0 * * fri,SUN-SUN',
    ];
    const both = ['0 0 */2 * 1', '0 0 1 * */2', '0 0 1,*/9 * MON', '0 0 *,1 * MON'];
    const one = ['0 0 1 * *', '0 0 * * 1', '0 0 1 * ?', '0 0 * * *', '@weekly'];
    const rejected: readonly Schedule[] = [
      ...[...wrong, ...never, ...ambiguous, ...rare, ...differing].map((text) => on(text, 'UTC')),
      on('0 8 * * *', 'Europe/Atlantis'),
      ...both.flatMap((text) => [matching('any', text), matching('all', text)]),
      ...one.map((text) => matching('all', text)),
      // Days that never coincide, do not exist, and a time that is always in a gap.
      matching('all', '0 0 1 * MON#2'),
      matching('any', '0 0 31 4 MON'),
      matching('all', '*/20 2 31 3 SUN', 'Europe/Berlin'),
    ];
    const faults = rejected.map((schedule) => {
      const { expression, zone, dayMatch = '' } = schedule;
      return [
        `${expression} ${zone} ${dayMatch}`.trim(),
        scheduleFault(schedule)?.message ?? 'accepted',
      ] as const;
    });
    expect(faults.filter(([, message]) => message === 'accepted')).toEqual([]);
    await expect(titled(faults)).toMatchFileSnapshot(approved('scheduler/schedule-faults'));
  });

  it('has no slots', () => {
    expect(() => nextSlots(on('0 0 1 * 1', 'UTC'), at('2026-11-21T00:00:00Z'), 1)).toThrow('day_match');
  });
});

const macros = ['@daily', '@hourly', '@weekly', '@monthly', '@yearly', '@annually', '@midnight'];
const spelled = [
  '  0  0 1 * *  ',
  '0 8 * JAN-MAR,dec mon-FRI',
  '0 0 1,15W,L * *',
  '0 0 * * friL,7#1',
  '0 0 ? * 1',
];
it.each([...macros, ...spelled])('the schedule %s is valid', (expression) => {
  expect(scheduleFault(on(expression, 'Europe/Berlin'))).toBeUndefined();
});

it('a schedule whose day fields coincide, or whose time is not always in a gap, is valid', () => {
  expect(scheduleFault(matching('any', '0 0 1 * MON#2'))).toBeUndefined();
  expect(scheduleFault(matching('all', '20 2 31 3 SUN', 'Europe/Berlin'))).toBeUndefined();
});

const now = unixMillis(Date.parse('2026-11-21T08:00:00Z'));
const schedules = distinctSchedules(10_000);

describe('ten thousand different schedules', () => {
  let heldBytes = 0;

  beforeAll(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const heap = process.memoryUsage().heapUsed;
    for (const schedule of schedules) {
      expect(scheduleFault(schedule)).toBeUndefined();
      const next = nextSlot(schedule, now);
      expect(previousSlot(schedule, next ?? now)).toBeLessThanOrEqual(now);
    }
    collect();
    heldBytes = process.memoryUsage().heapUsed - heap;
  });

  // Croner's patterns would hold 800 MB.
  it('use a few kB each, and no instance of croner', () => {
    expect(heldBytes).toBeLessThan(60_000_000);
  });
});

describe('long intervals', () => {
  it('of every second give the same slots in both directions', () => {
    const everySecond = { expression: '* * * * * *', zone: 'Europe/Berlin' };
    const back = previousSlots(everySecond, now, 10_000);
    const forth = nextSlots(everySecond, unixMillis(now - 10_001_000), 10_000);
    expect(back.toReversed()).toEqual(forth);
    expect(back.at(-1)).toBe(now - 10_000_000);
  });
});

const day = 86_400;
const hour = 3600;

/** Clocks that go back or forward by so much at day 10, and the other way round at day 20. */
const clocks = (change: number) => (instant: number) =>
  instant >= 10 * day && instant < 20 * day ? hour + change : hour;

/** What the planner goes by at an instant: the offset, and the first reading of its stretch that is new. */
const stretchAt = (offsetPeriods: readonly OffsetPeriod[], instant: number) => {
  const offsetPeriod = offsetPeriods.find(({ start, end }) => instant >= start && instant < end);
  return offsetPeriod && [offsetPeriod.offset, Math.max(instant + offsetPeriod.offset, offsetPeriod.fresh)];
};

describe('offset periods of a zone', () => {
  it('start at clock changes, to the second', () => {
    const found = offsetPeriodsIn(clocks(-hour), 0, 40 * day);
    expect(found).toEqual([
      { start: 0, end: 10 * day, offset: hour, fresh: hour },
      { start: 10 * day, end: 20 * day, offset: 0, fresh: 10 * day + hour },
      { start: 20 * day, end: 40 * day, offset: hour, fresh: 20 * day },
    ]);
  });

  it('are the same for any block boundaries', () => {
    const cuts = fc.oneof(
      fc.integer({ min: 6 * day, max: 24 * day }),
      fc
        .constantFrom(10, 20)
        .chain((changed) => fc.integer({ min: -26, max: 26 }).map((by) => changed * day + by * hour)),
      fc
        .constantFrom(10, 20)
        .chain((changed) => fc.integer({ min: -120, max: 120 }).map((by) => changed * day + by)),
    );
    const changes = fc.constantFrom(-day, -hour, -hour / 2, hour / 2, hour, day);
    fc.assert(
      fc.property(changes, cuts, fc.nat(100 * hour), (change, cut, later) => {
        const whole = offsetPeriodsIn(clocks(change), 0, 40 * day);
        const parts = [
          ...offsetPeriodsIn(clocks(change), 0, cut),
          ...offsetPeriodsIn(clocks(change), cut, 40 * day),
        ];
        for (const instant of [cut - 1, cut, cut + 1, cut + later])
          expect(stretchAt(parts, instant)).toEqual(stretchAt(whole, instant));
        expect(parts.every(({ start }, index) => start === (parts[index - 1]?.end ?? 0))).toBe(true);
      }),
      { numRuns: once(500) },
    );
  });

  it('support offsets with seconds', () => {
    expect(offsetPeriodAt('Africa/Monrovia', 0).offset).toBe(-(44 * 60 + 30));
    expect(offsetPeriodAt('Asia/Kolkata', 0).offset).toBe(5.5 * hour);
    expect(offsetPeriodAt('UTC', 0).offset).toBe(0);
  });
});
