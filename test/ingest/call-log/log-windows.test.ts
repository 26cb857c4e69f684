import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unknownGateway, interval } from '../../../src/core/index.ts';
import { planLogPull } from '../../../src/ingest/index.ts';
import { askForLogs, splitLogWindow } from '../../../src/ingest/call-log/log-windows.ts';
import { dstOverlapsOf, offsetsOf } from '../../../src/ingest/format/dst-overlaps.ts';
import { seconds } from './log-source.ts';
import { once } from '../../support/storm.ts';

const moment = fc.integer({ min: 1_700_000_000, max: 1_800_000_000 });
const berlin = { ...unknownGateway, naiveZone: 'Europe/Berlin' };

describe('planning a pull of logs', () => {
  it('tiles the requested interval exactly with windows of at most the requested length', () => {
    fc.assert(
      fc.property(
        moment,
        fc.integer({ min: 0, max: 5_000_000 }),
        fc.integer({ min: 30_000, max: 3_000_000 }),
        fc.boolean(),
        (since, length, windowSeconds, forced) => {
          const plan = planLogPull({
            since: seconds(since),
            until: seconds(since + length),
            ...(forced ? { from: seconds(since) } : {}),
            windowSeconds,
            profile: unknownGateway,
          });
          expect(plan[0]?.start ?? since).toBe(since);
          expect(plan.at(-1)?.end ?? since).toBe(since + length);
          for (const [index, window] of plan.entries()) {
            expect(window.start).toBe(plan[index - 1]?.end ?? since);
            expect(window.end - window.start).toBeGreaterThan(0);
            expect(window.end - window.start).toBeLessThanOrEqual(windowSeconds);
          }
        },
      ),
      { numRuns: once(100) },
    );
  });

  it('starts at the cursor, and extends backwards when since is moved', () => {
    const request = { until: seconds(5000), windowSeconds: 1000, profile: unknownGateway };
    const covered = { origin: seconds(2500), cursor: seconds(4500) };
    expect(planLogPull({ ...request, ...covered, since: seconds(2500) })).toEqual([
      { start: 4500, end: 5000 },
    ]);
    expect(planLogPull({ ...request, ...covered, since: seconds(1000) })).toEqual([
      { start: 2000, end: 2500 },
      { start: 1000, end: 2000 },
      { start: 4500, end: 5000 },
    ]);
    expect(planLogPull({ ...request, cursor: seconds(5000), since: seconds(0) })).toEqual([]);
  });

  it('never ends a window inside an hour that the wall clock shows twice', () => {
    const dstOverlap = dstOverlapsOf(
      'Europe/Berlin',
      interval(seconds(1_793_000_000), seconds(1_793_000_001)),
    )[0];
    // 2026-10-25: 02:00 to 03:00 CEST, then again CET.
    expect(dstOverlap).toEqual({
      start: Date.UTC(2026, 9, 25, 0) / 1000,
      end: Date.UTC(2026, 9, 25, 2) / 1000,
    });
    fc.assert(
      fc.property(
        fc.integer({ min: -20_000, max: 20_000 }),
        fc.integer({ min: 1, max: 40_000 }),
        fc.integer({ min: 60, max: 10_000 }),
        fc.boolean(),
        (offset, length, windowSeconds, forced) => {
          const since = seconds((dstOverlap?.start ?? 0) + offset);
          const until = seconds(since + length);
          const plan = planLogPull({
            since,
            until,
            ...(forced ? { to: until } : {}),
            windowSeconds,
            profile: berlin,
          });
          for (const [index, window] of plan.entries()) {
            for (const end of [window.start, window.end])
              expect(dstOverlap !== undefined && end > dstOverlap.start && end < dstOverlap.end).toBe(false);
            if (index > 0) expect(window.start).toBe(plan[index - 1]?.end);
          }
          if (forced) {
            expect(plan[0]?.start).toBeLessThanOrEqual(since);
            expect(plan.at(-1)?.end).toBeGreaterThanOrEqual(until);
          }
        },
      ),
      { numRuns: once(100) },
    );
  });

  it('pulls the stored and settled part of an interval again, and nothing of an empty one', () => {
    const request = {
      since: seconds(1000),
      until: seconds(5000),
      windowSeconds: 9000,
      profile: unknownGateway,
    };
    const again = (from: number, to: number) =>
      planLogPull({ ...request, cursor: seconds(4000), from: seconds(from), to: seconds(to) });
    expect(again(2000, 3000)).toEqual([{ start: 2000, end: 3000 }]);
    expect(again(0, 9000)).toEqual([{ start: 1000, end: 5000 }]);
    expect(again(0, 1000)).toEqual([]);
    expect(again(5000, 6000)).toEqual([]);
    expect(again(2000, 2000)).toEqual([]);
    const inDstOverlap = seconds(Date.UTC(2026, 9, 25, 1) / 1000);
    const nothing = {
      ...request,
      until: seconds(1_800_000_000),
      from: inDstOverlap,
      to: inDstOverlap,
      profile: berlin,
    };
    expect(planLogPull(nothing)).toEqual([]);
  });

  it('halves a window down to one second and no further', () => {
    const halves = (start: number, end: number) =>
      splitLogWindow(interval(seconds(start), seconds(end)), unknownGateway);
    expect(halves(10, 13)).toEqual([
      { start: 10, end: 11 },
      { start: 11, end: 13 },
    ]);
    expect(halves(10, 11)).toBeUndefined();
    const dstOverlap = dstOverlapsOf(
      'Europe/Berlin',
      interval(seconds(1_793_000_000), seconds(1_793_000_001)),
    )[0];
    expect(dstOverlap && splitLogWindow(dstOverlap, berlin)).toBeUndefined();
  });

  it('requests one second more than either reading of the range needs (G6.6)', () => {
    expect(askForLogs(interval(seconds(100), seconds(200)))).toEqual({ start: 99, end: 200 });
  });
});

describe('offsets of a zone', () => {
  it('include both changes of a year', () => {
    const year = interval(seconds(Date.UTC(2026, 0, 1) / 1000), seconds(Date.UTC(2026, 11, 31) / 1000));
    expect(offsetsOf('Europe/Berlin', year)).toEqual([
      { fromLocal: Date.UTC(2025, 11, 30) / 1000, seconds: 3600 },
      { fromLocal: Date.UTC(2026, 2, 29, 2) / 1000, seconds: 7200 },
      { fromLocal: Date.UTC(2026, 9, 25, 3) / 1000, seconds: 3600 },
    ]);
    expect(offsetsOf('Asia/Shanghai', year)).toHaveLength(1);
  });
});
