import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateAt, interval, startOfDay, unknownGateway } from '../../../src/core/index.ts';
import { planLogWork } from '../../../src/ingest/index.ts';
import type { PastLanding } from '../../../src/ingest/call-log/log-revisits.ts';
import { seconds } from './log-source.ts';
import { once } from '../../support/storm.ts';

const hour = 3600;
const day = 24 * hour;
const at = (text: string): number => Date.parse(`${text}Z`) / 1000;

/** A pull every so often, as the warehouse would remember it: its plan, and what it lands. */
const runner = (zone: string, since: number, after: readonly number[] = [day, 2 * day]) => {
  const landings: PastLanding[] = [];
  const pulls: { readonly at: number; readonly why: string; readonly start: number; readonly end: number }[] =
    [];
  let covered: { readonly start: number; readonly end: number } | undefined;
  return {
    pulls,
    landings,
    run: (until: number, lands = Number.POSITIVE_INFINITY) => {
      const plan = planLogWork({
        since: seconds(since),
        until: seconds(until),
        windowSeconds: 31 * day,
        profile: unknownGateway,
        revisit: { after, zone },
        landings,
        ...(covered === undefined ? {} : { origin: seconds(covered.start), cursor: seconds(covered.end) }),
      });
      for (const { window, why } of plan.slice(0, lands)) {
        landings.push({ window, settled: seconds(until) });
        pulls.push({ at: until, why, start: window.start, end: window.end });
        covered = {
          start: Math.min(covered?.start ?? window.start, window.start),
          end: Math.max(covered?.end ?? window.end, window.end),
        };
      }
      return plan.map(({ window, why }) => [
        why,
        dateAt(window.start, zone),
        (window.end - window.start) / hour,
      ]);
    },
  };
};

describe('revisits of closed days', () => {
  it('skip days that were first pulled after their revisit was due', () => {
    const { run } = runner('UTC', at('2026-01-01T00:00'));
    expect(run(at('2026-03-10T06:00'))).toHaveLength(3);
    expect(run(at('2026-03-10T06:00'))).toEqual([]);
    // Of the last two days, whose dates had not come.
    expect(run(at('2026-03-11T06:00'))).toEqual([
      ['new', '2026-03-10', 24],
      ['revisit', '2026-03-09', 24],
      ['revisit', '2026-03-10', 6],
    ]);
    expect(run(at('2026-03-12T05:59')).filter(([why]) => why === 'revisit')).toEqual([
      ['revisit', '2026-03-10', 24],
      ['revisit', '2026-03-11', 6],
    ]);
  });

  it('are made up after an outage, once per day', () => {
    const { run } = runner('UTC', at('2026-03-01T00:00'));
    for (let now = at('2026-03-01T00:00'); now <= at('2026-03-04T12:00'); now += hour) run(now);
    const back = run(at('2026-05-20T12:00'));
    expect(back.filter(([why]) => why === 'revisit')).toEqual([
      ['revisit', '2026-03-03', 24],
      ['revisit', '2026-03-04', 12],
    ]);
    expect(run(at('2026-05-20T12:00'))).toEqual([]);
  });

  it('do not cover the whole history when the rule is new', () => {
    const { run, landings } = runner('UTC', at('2025-01-01T00:00'), []);
    for (let now = at('2025-01-01T00:00'); now <= at('2025-06-01T00:00'); now += day) run(now + hour);
    const covered = interval(seconds(at('2025-01-01T00:00')), seconds(at('2025-06-01T01:00')));
    const plan = planLogWork({
      since: covered.start,
      until: covered.end,
      origin: covered.start,
      cursor: covered.end,
      windowSeconds: 31 * day,
      profile: unknownGateway,
      revisit: { after: [day, 2 * day], zone: 'UTC' },
      landings,
    });
    expect(plan.length).toBeGreaterThan(30);
    expect(plan.length).toBeLessThan(37);
  });

  it('do not take place during a requested interval or without a rule', () => {
    const { landings } = runner('UTC', at('2026-03-01T00:00'));
    landings.push({
      window: interval(seconds(at('2026-03-01T00:00')), seconds(at('2026-03-02T00:00'))),
      settled: seconds(at('2026-03-01T12:00')),
    });
    const request = {
      since: seconds(at('2026-03-01T00:00')),
      until: seconds(at('2026-03-05T00:00')),
      origin: seconds(at('2026-03-01T00:00')),
      cursor: seconds(at('2026-03-05T00:00')),
      windowSeconds: 31 * day,
      profile: unknownGateway,
      landings,
    };
    expect(planLogWork(request)).toEqual([]);
    const revisit = { after: [day], zone: 'UTC' };
    expect(planLogWork({ ...request, revisit })).not.toEqual([]);
    const ordered = planLogWork({ ...request, revisit, from: seconds(at('2026-03-04T00:00')) });
    expect(ordered.map(({ why }) => why)).toEqual(['requested']);
  });

  it('cover each day exactly once per revisit, whenever runs take place', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata');
    const waits = fc.array(fc.integer({ min: 600, max: 3 * day }), { minLength: 3, maxLength: 25 });
    fc.assert(
      fc.property(
        zones,
        waits,
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 25 }),
        (zone, steps, stops) => {
          const since = startOfDay('2026-10-01', zone);
          const { run, pulls, landings } = runner(zone, since);
          let now: number = since;
          for (const [index, step] of steps.entries()) {
            now += step;
            run(now, stops[index] === undefined || stops[index] === 0 ? undefined : stops[index]);
          }
          run(now);
          expect(run(now)).toEqual([]);
          const until = now;
          // Every second of a closed day was pulled since each of its revisits was due.
          for (
            let start: number = since;
            startOfDay(dateAt(seconds(start + 30 * hour), zone), zone) <= until;
          ) {
            const end = startOfDay(dateAt(seconds(start + 30 * hour), zone), zone);
            const next = startOfDay(dateAt(seconds(end + 30 * hour), zone), zone);
            const due = next <= until ? next : end;
            for (let second: number = start; second < end; second += 1799)
              expect(
                landings.some(
                  ({ window, settled }) => settled >= due && window.start <= second && window.end > second,
                ),
              ).toBe(true);
            start = end;
          }
          // Each second comes again once, and again twice at most.
          for (let second: number = since; second < now; second += 7 * hour + 1) {
            const times = pulls.filter(({ start, end }) => start <= second && end > second);
            expect(times.filter(({ why }) => why === 'new')).toHaveLength(1);
            expect(times.length).toBeLessThanOrEqual(3);
          }
        },
      ),
      { numRuns: once(25) },
    );
  });
});
