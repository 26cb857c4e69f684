import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interval, money, startOfDay, toMillis, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import {
  afterFinding,
  afterTry,
  isLocated,
  daysToCheck,
  monthsToCheck,
  planLatePulls,
} from '../../../src/ingest/index.ts';
import { maxLateTries, type LaggingWindow } from '../../../src/warehouse/index.ts';

const zone = 'Europe/Berlin';
const day = 86_400_000;
const at = (date: string) => startOfDay(date, zone);
const days = (from: string, to: string) => interval(at(from), at(to));
const window = (start: number, known: Partial<LaggingWindow> = {}): LaggingWindow => ({
  range: interval(unixSeconds(start), unixSeconds(start + 86_400)),
  gatewaySum: money('5'),
  tries: 0,
  ...known,
});

describe('months to check', () => {
  const covered = interval(unixSeconds(at('2026-09-10') + 3600), unixSeconds(at('2026-11-04') + 7200));
  const today = toMillis(at('2026-11-04'));

  it('are those with closed and covered days, the latest first, each cut to them', () => {
    expect(monthsToCheck({ covered, checks: [], today, zone })).toEqual([
      days('2026-11-01', '2026-11-04'),
      days('2026-10-01', '2026-11-01'),
      interval(covered.start, at('2026-10-01')),
    ]);
  });

  it('leave out a day whose late rows may still arrive', () => {
    const fresh = interval(covered.start, unixSeconds(at('2026-11-02') + 599));
    expect(monthsToCheck({ covered: fresh, checks: [], today, zone })[0]).toEqual(
      days('2026-10-01', '2026-11-01'),
    );
  });

  it('leave out a month that was checked as far on the same day', () => {
    const range = days('2026-10-01', '2026-11-01');
    const check = (checkedAt: number) => ({
      range,
      gatewaySum: money('1'),
      checkedAt: unixMillis(checkedAt),
    });
    const monthsAt = (moment: number) =>
      monthsToCheck({ covered, checks: [check(moment)], today, zone }).map(({ start }) => start);
    expect(monthsAt(today)).not.toContain(range.start);
    expect(monthsAt(today - 1)).toContain(range.start);
  });

  it('consist of days that join without a gap, also when the clock changes', () => {
    const october = daysToCheck(days('2026-10-01', '2026-11-01'), zone);
    expect(october).toHaveLength(31);
    expect(october.every(({ end }, index) => end === (october[index + 1]?.start ?? end))).toBe(true);
    expect(october.filter(({ start, end }) => end - start === 90_000)).toHaveLength(1);
  });
});

describe('the plan of late pulls', () => {
  const drawn = fc.record({
    start: fc.integer({ min: 0, max: 400 }).map((number) => number * 86_400),
    tries: fc.integer({ min: 0, max: maxLateTries + 1 }),
    triedAt: fc.option(fc.integer({ min: 0, max: 3 * day }), { nil: undefined }),
  });

  it('has the latest windows first, none twice a day, none that rests, and no more than the requests allow', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(drawn, { selector: ({ start }) => start, maxLength: 40 }),
        fc.integer({ min: 0, max: 100 }),
        (all, requests) => {
          const today = unixMillis(2 * day);
          const windows = all.map(({ start, tries, triedAt }) =>
            window(start, { tries, triedAt: triedAt === undefined ? undefined : unixMillis(triedAt) }),
          );
          const planned = planLatePulls(windows, { today, requests });
          const due = windows.filter(({ tries, triedAt }) => tries < maxLateTries && (triedAt ?? 0) < today);
          expect(planned.length * 3).toBeLessThanOrEqual(requests);
          expect(planned).toHaveLength(Math.min(due.length, Math.floor(requests / 3)));
          const starts = planned.map(({ range }) => range.start);
          expect(starts).toEqual(starts.toSorted((left, right) => right - left));
          for (const one of planned) expect(due).toContain(one);
          const left = due.filter((one) => !planned.includes(one));
          for (const one of left) expect(one.range.start).toBeLessThan(starts.at(-1) ?? Infinity);
        },
      ),
    );
  });

  it('pulls a window that never agrees five times for each sum at the gateway, once a day', () => {
    const sums = fc.array(fc.constantFrom('5', '6', '7'), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(sums, (daily) => {
        let known: LaggingWindow | undefined;
        let pulls: number[] = [];
        for (const [index, text] of daily.entries()) {
          const today = unixMillis((index + 1) * day);
          const sum = money(text);
          if (known?.gatewaySum !== sum) pulls = [];
          known = afterFinding(known, window(0).range, sum);
          for (let run = 0; run < 3; run += 1)
            for (const one of planLatePulls([known], { today, requests: 100 })) {
              known = afterTry(one, sum, unixMillis(today + run));
              pulls.push(index);
            }
          expect(new Set(pulls).size).toBe(pulls.length);
          expect(pulls.length).toBeLessThanOrEqual(maxLateTries);
          expect(known.tries).toBe(pulls.length);
        }
        const lasting = daily.length - 1 - daily.findLastIndex((text) => text !== daily.at(-1));
        expect(pulls).toHaveLength(Math.min(lasting, maxLateTries));
      }),
    );
  });
});

describe('a month that lags', () => {
  const range = days('2026-10-01', '2026-11-01');
  const sum = money('9');
  const check = { range, gatewaySum: sum, checkedAt: unixMillis(0) };
  const known = [window(at('2026-10-03'))];

  it('is not compared day by day again while its sum and its lagging days are known', () => {
    expect(isLocated(sum, range, check, known)).toBe(true);
    expect(isLocated(money('10'), range, check, known)).toBe(false);
    expect(isLocated(sum, range, undefined, known)).toBe(false);
    expect(isLocated(sum, range, check, [window(at('2026-09-03'))])).toBe(false);
    expect(isLocated(sum, days('2026-10-01', '2026-10-20'), check, known)).toBe(false);
  });
});
