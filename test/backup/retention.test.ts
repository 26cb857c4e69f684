import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { backupsToKeep, type Keep } from '../../src/backup/index.ts';
import { runs } from '../support/storm.ts';

const nameAt = (millis: number): string => new Date(millis).toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** One backup a day at 23:30 Berlin time in winter, which is the next day there in summer. */
const daily = (first: string, days: number): readonly string[] =>
  Array.from({ length: days }, (_, day) => nameAt(Date.parse(`${first}T22:30:00Z`) + day * 86_400_000));

it('the newest backup of each of the last days, weeks and months is kept', () => {
  // November 26, 2026 is a Thursday.
  const names = daily('2026-09-01', 87);
  expect(names.at(-1)).toBe('20261126T223000Z');
  expect(backupsToKeep(names, { daily: 3, weekly: 3, monthly: 3 }, 'Europe/Berlin')).toEqual([
    // Until the clocks change on October 25, 22:30 UTC is 00:30 of the next day: September 29 is the last of its month.
    '20260929T223000Z',
    '20261031T223000Z',
    '20261115T223000Z',
    '20261122T223000Z',
    '20261124T223000Z',
    '20261125T223000Z',
    '20261126T223000Z',
  ]);
});

it('days without a backup do not count, and the newest backup is kept even if no rule keeps one', () => {
  const names = ['20260101T000000Z', '20260105T000000Z', '20261126T000000Z'];
  expect(backupsToKeep(names, { daily: 2, weekly: 0, monthly: 0 }, 'UTC')).toEqual(names.slice(1));
  expect(backupsToKeep(names, { daily: 0, weekly: 0, monthly: 0 }, 'UTC')).toEqual(names.slice(2));
  expect(backupsToKeep([], { daily: 1, weekly: 1, monthly: 1 }, 'UTC')).toEqual([]);
});

it('a name that states no moment is kept', () => {
  const names = ['20261399T000000Z', 'copy', '20261125T000000Z', '20261126T000000Z'];
  expect(backupsToKeep(names, { daily: 1, weekly: 0, monthly: 0 }, 'UTC')).toEqual([
    '20261126T000000Z',
    '20261399T000000Z',
    'copy',
  ]);
});

const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Shanghai', 'Pacific/Apia');
const count = fc.integer({ min: 0, max: 6 });
const rules: fc.Arbitrary<Keep> = fc.record({ daily: count, weekly: count, monthly: count });
const start = Date.UTC(2026, 0, 1);
/** Seconds from the start, over up to a year. */
const moments = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: 400 * 86_400 }), { maxLength: 60 }),
  fc.uniqueArray(fc.integer({ min: 0, max: 20 * 86_400 }), { maxLength: 60 }),
);
const namesOf = (seconds: readonly number[]): readonly string[] =>
  seconds.map((one) => nameAt(start + one * 1000));

/** The rules, stated by the calendar of luxon. */
const expected = (names: readonly string[], keep: Keep, zone: string): readonly string[] => {
  const sorted = names.toSorted();
  const formats = { daily: 'yyyy-MM-dd', weekly: "kkkk-'W'WW", monthly: 'yyyy-MM' };
  const kept = new Set(sorted.slice(-1));
  for (const rule of ['daily', 'weekly', 'monthly'] as const) {
    const newest = new Map<string, string>();
    for (const name of sorted)
      newest.set(DateTime.fromISO(name, { zone: 'UTC' }).setZone(zone).toFormat(formats[rule]), name);
    const latest = [...newest].toSorted(([left], [right]) => (left < right ? 1 : -1)).slice(0, keep[rule]);
    for (const [, name] of latest) kept.add(name);
  }
  return [...kept].toSorted();
};

it('for any backups, rules and zone, what is kept is what the calendar says', () => {
  fc.assert(
    fc.property(moments, rules, zones, (seconds, keep, zone) => {
      const names = namesOf(seconds);
      expect(backupsToKeep(names, keep, zone)).toEqual(expected(names, keep, zone));
    }),
    { numRuns: runs(400) },
  );
});

it('removing after every backup leaves what removing once at the end leaves', () => {
  fc.assert(
    fc.property(moments, rules, zones, (seconds, keep, zone) => {
      const names = namesOf(seconds).toSorted();
      let left: readonly string[] = [];
      for (const name of names) left = backupsToKeep([...left, name], keep, zone);
      expect(left).toEqual(backupsToKeep(names, keep, zone));
    }),
    { numRuns: runs(200) },
  );
});
