import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { openJobFixture } from '../../support/job-fixture.ts';
import { approved, titled } from '../../support/approved.ts';

const since = '2026-11-10';

const again = (from: number, to: number) => ({
  trigger: 'backfill' as const,
  interval: { start: unixMillis(from), end: unixMillis(to) },
});

describe('a repeated pull of logs', () => {
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
