import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import {
  dueSlot,
  nextSlot,
  nextSlots,
  previousSlot,
  previousSlots,
  scheduleFault,
} from '../../src/scheduler/slots.ts';

const at = (text: string) => unixMillis(Date.parse(text));
const on = (expression: string, zone: string) => ({ expression, zone });
const shown = (slots: readonly number[]) => slots.map((slot) => new Date(slot).toISOString().slice(0, 16));

/** Slots between two moments, forwards; backwards they must be the same. */
const between = (expression: string, zone: string, after: string, until: string) => {
  const slots = nextSlots(on(expression, zone), at(after), 100).filter((slot) => slot <= at(until));
  const back = previousSlots(on(expression, zone), unixMillis(at(until) + 1), slots.length);
  expect(back.toReversed()).toEqual(slots);
  return shown(slots);
};

describe('slots', () => {
  it('follow the wall clock of the zone', () => {
    expect(shown(nextSlots(on('0 8 * * *', 'Asia/Shanghai'), at('2026-11-21T00:00:00Z'), 2))).toEqual([
      '2026-11-22T00:00',
      '2026-11-23T00:00',
    ]);
    expect(shown(nextSlots(on('7 * * * *', 'UTC'), at('2026-11-21T00:07:00Z'), 1))).toEqual([
      '2026-11-21T01:07',
    ]);
    expect(shown(nextSlots(on('@daily', 'UTC'), at('2026-11-21T00:07:00Z'), 1))).toEqual([
      '2026-11-22T00:00',
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
    ['0 0 L * *', ['2026-11-30T00:00', '2026-12-31T00:00']],
    ['0 0 LW * *', ['2026-11-30T00:00', '2026-12-31T00:00']],
    ['0 0 15W * *', ['2026-11-16T00:00', '2026-12-15T00:00']],
    ['0 0 1W * *', ['2026-11-02T00:00', '2026-12-01T00:00']],
    ['0 0 1W 5 *', ['2027-05-03T00:00', '2028-05-01T00:00']],
    ['0 0 31W 1 *', ['2027-01-29T00:00', '2028-01-31T00:00']],
    ['0 0 30W * *', ['2026-11-30T00:00', '2026-12-30T00:00']],
    ['0 0 * * FRI#2', ['2026-11-13T00:00', '2026-12-11T00:00']],
    ['0 0 * * 5L', ['2026-11-27T00:00', '2026-12-25T00:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['30 0 0 1 1 *', ['2027-01-01T00:00', '2028-01-01T00:00']],
  ])('of %s fall on the days of the calendar', (expression, slots) => {
    expect(shown(nextSlots(on(expression, 'UTC'), at('2026-11-01T00:00:00Z'), 2))).toEqual(slots);
  });
});

describe('a forward clock change', () => {
  it.each([
    ['a fixed time', 'Europe/Berlin', '30 2 * * *', '2026-03-29T00', '2026-03-29T12', ['2026-03-29T01:00']],
    [
      'more than one',
      'Europe/Berlin',
      '0,15,30 2 * * *',
      '2026-03-29T00',
      '2026-03-29T12',
      ['2026-03-29T01:00'],
    ],
    [
      'and one at its end',
      'Europe/Berlin',
      '0 2-3 * * *',
      '2026-03-29T00',
      '2026-03-29T12',
      ['2026-03-29T01:00'],
    ],
    [
      'half an hour',
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-03T12',
      '2026-10-04T12',
      ['2026-10-03T15:30'],
    ],
    ['midnight', 'America/Santiago', '30 0 * * *', '2026-09-06T00', '2026-09-07T00', ['2026-09-06T04:00']],
    ['midnight again', 'America/Havana', '0 0 * * *', '2026-03-08T00', '2026-03-09T00', ['2026-03-08T05:00']],
    [
      'into another day',
      'America/Nuuk',
      '30 23 * * *',
      '2026-03-28T12',
      '2026-03-29T12',
      ['2026-03-29T01:00'],
    ],
    [
      'over a whole day',
      'Pacific/Apia',
      '0 8 * * *',
      '2011-12-29T19',
      '2011-12-31T00',
      ['2011-12-30T10:00', '2011-12-30T18:00'],
    ],
    [
      'after Ramadan',
      'Africa/Casablanca',
      '30 2 * * *',
      '2026-03-21T12',
      '2026-03-22T12',
      ['2026-03-22T02:00'],
    ],
    [
      'a wildcard',
      'Europe/Berlin',
      '*/30 2 * * *',
      '2026-03-29T00',
      '2026-03-30T12',
      ['2026-03-30T00:00', '2026-03-30T00:30'],
    ],
    [
      'a step',
      'Europe/Berlin',
      '30 0-23/2 * * *',
      '2026-03-28T23',
      '2026-03-29T03',
      ['2026-03-28T23:30', '2026-03-29T02:30'],
    ],
  ])('%s: %s %s', (_what, zone, expression, after, until, slots) => {
    expect(between(expression, zone, `${after}:00:00Z`, `${until}:00:00Z`)).toEqual(slots);
  });
});

describe('a backward clock change', () => {
  it.each([
    [
      'a fixed time, the first time',
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-24T12',
      '2026-10-25T12',
      ['2026-10-25T00:30'],
    ],
    [
      'a list of them',
      'Europe/Berlin',
      '0,30 2 * * *',
      '2026-10-24T12',
      '2026-10-25T12',
      ['2026-10-25T00:00', '2026-10-25T00:30'],
    ],
    [
      'a wildcard, both times',
      'Europe/Berlin',
      '*/30 2 * * *',
      '2026-10-24T12',
      '2026-10-25T12',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
    ],
    [
      'half an hour',
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-04T12',
      '2026-04-05T12',
      ['2026-04-04T14:45'],
    ],
    [
      'half an hour, every quarter',
      'Australia/Lord_Howe',
      '*/15 1 * * *',
      '2026-04-04T13',
      '2026-04-05T12',
      [
        '2026-04-04T14:00',
        '2026-04-04T14:15',
        '2026-04-04T14:30',
        '2026-04-04T14:45',
        '2026-04-04T15:00',
        '2026-04-04T15:15',
      ],
    ],
    [
      'before midnight',
      'America/Santiago',
      '30 23 * * *',
      '2026-04-04T12',
      '2026-04-05T12',
      ['2026-04-05T02:30'],
    ],
    [
      'after midnight',
      'America/Havana',
      '30 0 * * *',
      '2026-11-01T00',
      '2026-11-02T00',
      ['2026-11-01T04:30'],
    ],
    [
      'for Ramadan',
      'Africa/Casablanca',
      '30 2 * * *',
      '2026-02-14T12',
      '2026-02-15T12',
      ['2026-02-15T01:30'],
    ],
  ])('%s: %s %s', (_what, zone, expression, after, until, slots) => {
    expect(between(expression, zone, `${after}:00:00Z`, `${until}:00:00Z`)).toEqual(slots);
  });
});

describe('a rejected schedule', () => {
  it.each([
    ['61 * * * *', /minute: 61/],
    ['0 0 30 2 *', /never matches/],
    ['0 0 31 2,4 *', /never matches/],
    ['every day', /it has 2 fields/],
    ['* * * *', /it has 4 fields/],
    ['0 0 0 1 1 * 2027', /it has 7 fields.*years/],
    ['@reboot', /./],
    ['@often', /./],
    ['0 0 1 * 1', /both the day of the month and the weekday; set day_match: any .* or all/],
    ['0 0 L * MON#1', /set day_match/],
    // Accepted by some implementations only.
    ['0 0 L-3 * *', /L/],
    ['0 22-2 * * *', /22-2/],
    ['0 0 * * 5#L', /implementations differ.* such as 5L/],
    ['? * * * *', /implementations differ.*write \*$/],
    ['0 0 1 ? *', /implementations differ.*write \*$/],
    ['0 0 ?,? * *', /implementations differ.*write \*$/],
    ['0 0 * * *,?', /implementations differ.*write \*$/],
    ['0 0 * * MON-FRI#2', /implementations differ.* such as MON#2,TUE#2$/],
    // Interpreted differently.
    ['0 0 * * sun-sun', /implementations differ.* or SUN$/],
    ['0 0 * * 0-sun', /implementations differ.* or SUN$/],
    ['0 0 * * fri,SUN-SUN', /implementations differ.* or SUN$/],
  ])('is named with its fault: %s', (expression, message) => {
    expect(scheduleFault(on(expression, 'UTC'))?.message).toMatch(message);
  });

  it.each(['0 0 */2 * 1', '0 0 1 * */2', '0 0 1,*/9 * MON', '0 0 *,1 * MON'])(
    'a * in a day field beside another: %s',
    (expression) => {
      for (const dayMatch of ['any', 'all'] as const)
        expect(scheduleFault({ ...on(expression, 'UTC'), dayMatch })?.message).toMatch(
          /implementations differ.*1-31\/2/,
        );
    },
  );

  it('has an unknown zone', () => {
    expect(scheduleFault(on('0 8 * * *', 'Europe/Atlantis'))?.message).toMatch(/Europe\/Atlantis/);
  });

  it('has day_match without two day fields', () => {
    for (const expression of ['0 0 1 * *', '0 0 * * 1', '0 0 1 * ?', '0 0 * * *', '@weekly'])
      expect(scheduleFault({ ...on(expression, 'UTC'), dayMatch: 'all' })?.message).toMatch(
        /no effect.*remove it/,
      );
  });

  it('has days that never coincide', () => {
    expect(scheduleFault({ ...on('0 0 1 * MON#2', 'UTC'), dayMatch: 'all' })?.message).toBe(
      'it never matches',
    );
    expect(scheduleFault({ ...on('0 0 1 * MON#2', 'UTC'), dayMatch: 'any' })).toBeUndefined();
    expect(scheduleFault({ ...on('0 0 31 4 MON', 'UTC'), dayMatch: 'any' })?.message).toMatch(
      /does not exist in its months/,
    );
  });

  it('has a time that is always in a gap', () => {
    const lastSundayOfMarch = (expression: string) => ({
      ...on(expression, 'Europe/Berlin'),
      dayMatch: 'all' as const,
    });
    expect(scheduleFault(lastSundayOfMarch('*/20 2 31 3 SUN'))?.message).toBe('it never matches');
    expect(scheduleFault(lastSundayOfMarch('20 2 31 3 SUN'))).toBeUndefined();
  });

  it('has no slots', () => {
    expect(() => nextSlots(on('0 0 1 * 1', 'UTC'), at('2026-11-21T00:00:00Z'), 1)).toThrow(
      /not a valid schedule.*day_match/,
    );
  });
});

describe('valid schedules', () => {
  it.each([
    '7 * * * *',
    '0 8 * * *',
    '*/5 * * * *',
    '0 3 * * 1',
    '0 0 1 * *',
    '  0  0 1 * *  ',
    '@daily',
    '@hourly',
    '@weekly',
    '@monthly',
    '@yearly',
    '@annually',
    '@midnight',
    '0 30 8 * * *',
    '*/10 * * * * *',
    '0 8 * JAN-MAR,dec mon-FRI',
    '0 0 L * *',
    '0 0 LW * *',
    '0 0 1,15W,L * *',
    '0 0 * * 5L',
    '0 0 * * friL,7#1',
    '0 0 ? * 1',
    '0 0 29 2 *',
    '0 0 */2 * *',
  ])('include %s', (expression) => {
    expect(scheduleFault(on(expression, 'Europe/Berlin'))).toBeUndefined();
  });
});
