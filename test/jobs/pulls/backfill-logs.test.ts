import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startOfDay, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { logPullDeps, pullLogs } from '../../../src/ingest/index.ts';
import type { JobContext } from '../../../src/jobs/index.ts';
import { now } from '../../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { heldQuarters, trueQuarters, type Quarters } from '../truth.ts';
import { approved, titled } from '../../support/approved.ts';
import { few } from '../../support/storm.ts';

const since = '2026-11-10';
const start = startOfDay(since, 'UTC');
const hour = 3600;
const minute = 60_000;

const again = (from: number, to: number) => ({
  trigger: 'backfill' as const,
  interval: { start: unixMillis(from), end: unixMillis(to) },
});

/** The same fixture, as an account that nothing was pulled of yet. */
const accountNamed = ({ context }: JobFixture, name: string): Pick<JobContext, 'account'> => ({
  account: { ...context.account, name },
});

const stored = async ({ context }: JobFixture, account: string): Promise<Quarters> =>
  heldQuarters(context.warehouse, account, since, '2026-11-22');

const settledAt = (millis: number) => unixSeconds(Math.floor(millis / 1000) - 600);

describe('a repeated pull of logs', () => {
  it('leaves no gaps and no duplicates, whatever and whenever it pulls between the regular runs', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    const { context, clock, sandbox, run } = fixture;
    const steps = fc.array(
      fc.record({
        wait: fc.integer({ min: 0, max: 40 * 60 }),
        regular: fc.boolean(),
        from: fc.integer({ min: -20 * 3600, max: 12 * 24 * 3600 }),
        length: fc.oneof(fc.integer({ min: 0, max: 3 * 24 * 3600 }), fc.constant(12 * 24 * 3600)),
        millis: fc.integer({ min: 0, max: 999 }),
      }),
      { maxLength: 5 },
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        runs += 1;
        const name = `run-${runs}`;
        const settings = { since, window: '2d' };
        clock.set(now - 9 * 24 * hour * 1000);
        let farthest = 0;
        for (const { wait, regular, from, length, millis } of sequence) {
          clock.advance(wait * minute);
          const first = (start + from) * 1000 + millis;
          const change = regular ? {} : again(first, first + length * 1000);
          await run('pull-logs', settings, { ...change, ...accountNamed(fixture, name) });
          const covered = await context.warehouse.logs.watermark(name);
          expect(covered?.end ?? 0).toBeGreaterThanOrEqual(farthest);
          farthest = covered?.end ?? 0;
          // What counts as covered is all there is.
          if (covered !== undefined) {
            expect(covered.end).toBeLessThanOrEqual(settledAt(clock.now()));
            const inside = ([quarter]: readonly [number, unknown]) =>
              quarter >= covered.start && quarter + 900 <= covered.end;
            const truth = [...trueQuarters(sandbox, covered.start, covered.end)].filter(inside);
            expect([...(await stored(fixture, name))].filter(inside)).toEqual(truth);
          }
        }
        clock.set(now);
        await run('pull-logs', settings, accountNamed(fixture, name));
        expect(await stored(fixture, name)).toEqual(trueQuarters(sandbox, start, settledAt(now)));
      }),
      { numRuns: few(2, 12) },
    );
  });

  it('lands late rows within its time range only, and changes nothing the second time', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 300 });
    const { context, clock, sandbox, run } = fixture;
    const late = sandbox.truth
      .rows(start, unixSeconds(now / 1000 - 700))
      .filter((row) => row.visibleAt - row.createdAt > 60)
      .filter((_, index, all) => index % Math.ceil(all.length / few(5, 8)) === 0);
    const settings = { since, lag: '0s', window: '3d', revisit: [] };
    const end = unixSeconds(Math.floor(now / 1000));
    // As a version without the search for late rows left it: a regular run would land them itself.
    const landNew = async (account: string): Promise<void> => {
      await pullLogs({
        ...logPullDeps(context),
        account,
        since: start,
        until: unixSeconds(Math.floor(clock.now() / 1000)),
        windowSeconds: 3 * 86_400,
        columns: 'detailed',
        currency: 'USD',
        profile: context.account.profile,
      });
    };
    let runs = 0;
    let fixed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 8 * 96 }),
        fc.integer({ min: 0, max: 8 * 96 }),
        async (from, quarters) => {
          runs += 1;
          const name = `run-${runs}`;
          const here = accountNamed(fixture, name);
          // Without a lag each of these runs leaves out a row that is late just then.
          for (const { createdAt } of late) {
            clock.set((createdAt + 1) * 1000);
            await landNew(name);
          }
          clock.set(end * 1000);
          await landNew(name);
          const before = await stored(fixture, name);
          const truth = trueQuarters(sandbox, start, end);
          const first = start + from * 900;
          const last = first + quarters * 900;
          const expected = [...truth].map(([at, all]) => [
            at,
            at >= first && at < last ? all : before.get(at),
          ]);
          const range = { ...again(first * 1000, last * 1000), ...here };
          await run('pull-logs', settings, range);
          const after = await stored(fixture, name);
          expect([...after]).toEqual(expected.filter(([, all]) => all !== undefined));
          fixed += [...after].filter(([at, [rows]]) => before.get(at)?.[0] !== rows).length;
          await run('pull-logs', settings, range);
          expect(await stored(fixture, name)).toEqual(after);
          expect(await context.warehouse.logs.watermark(name)).toEqual({ start, end });
        },
      ),
      { numRuns: few(2, 4), examples: [[0, 8 * 96]] },
    );
    expect(fixed).toBeGreaterThan(0);
  });

  it('covers exactly the whole seconds of its interval, and reports what it excludes', async () => {
    await using fixture = await openJobFixture();
    const { context, run, plan } = fixture;
    const settings = { since, window: '31d' };
    const at = (text: string): number => Date.parse(text);

    const early = again(at('2026-11-12T00:00:00.250Z'), at('2026-11-13T06:00:00.001Z'));
    const plans: [string, string][] = [];
    const planned = async (title: string, change: Parameters<typeof plan>[2]) =>
      plans.push([title, (await plan('pull-logs', settings, change)).join('\n')]);
    await planned('before the watermark exists', early);
    const first = await run('pull-logs', settings, early);
    expect(first.summary).toContain('landed again');
    const landed = await context.warehouse.logs.windows('main');
    expect(landed.map(({ window }) => window)).toEqual([
      { start: at('2026-11-12T00:00:00Z') / 1000, end: at('2026-11-13T06:00:01Z') / 1000 },
    ]);
    // A span before which data are missing counts as nothing covered.
    expect(await context.warehouse.logs.watermark('main')).toBeUndefined();

    const outside = again(at('2026-10-01T00:00:00Z'), at('2026-11-10T00:00:00Z'));
    await planned('before since', outside);
    const none = await run('pull-logs', settings, outside);
    expect(none.figures).toMatchObject({ windows: 0, rows: 0 });
    plans.push(['before since, as it was run', none.summary]);

    await run('pull-logs', settings);
    const late = again(at('2026-11-21T05:00:00Z'), at('2026-11-25T00:00:00Z'));
    await planned('up to a moment in the future', late);
    // Every other run goes on from where the last one ended, whatever its interval.
    const { interval } = late;
    for (const trigger of ['schedule', 'catchup', 'hand', 'needed'] as const)
      await planned(`the same, by ${trigger}`, { trigger, interval });
    await expect(titled(plans)).toMatchFileSnapshot(approved('jobs/backfill-logs'));
  });
});
