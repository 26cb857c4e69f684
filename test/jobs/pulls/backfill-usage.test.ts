import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { now } from '../../support/gateway-fixture.ts';
import { openJobFixture } from '../../support/job-fixture.ts';
import { approved, titled } from '../../support/approved.ts';

const since = '2026-10-25';
const day = 86_400_000;
const again = (from: number, to: number) => ({
  trigger: 'backfill' as const,
  interval: { start: unixMillis(from), end: unixMillis(to) },
});

const whole = { start: unixMillis(0), end: unixMillis(4_000_000_000_000) };

describe('a repeated pull of usage', () => {
  it('covers the buckets that its interval touches, and reports what it excludes', async () => {
    await using fixture = await openJobFixture();
    const { context, run, plan } = fixture;
    const settings = { since, group_by: ['model'] };
    const at = (text: string): number => Date.parse(text);

    const early = again(at('2026-11-12T07:00:00Z'), at('2026-11-13T00:00:01Z'));
    const planned = await plan('pull-usage', settings, early);
    const first = await run('pull-usage', settings, early);
    expect(first.summary).toMatch(/landed again, of 1 window by model$/);
    const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' } as const;
    const values = await context.warehouse.usage.values(series, whole);
    expect([...new Set(values.map(({ bucket }) => bucket))]).toEqual([at('2026-11-12'), at('2026-11-13')]);
    expect(await context.warehouse.usage.watermark(series)).toBeUndefined();

    const none = again(at('2026-11-21T00:00:00Z'), at('2026-11-22T00:00:00Z'));
    const texts = titled([
      ['two days', planned.join('\n')],
      ['a day that is not over', (await plan('pull-usage', settings, none)).join('\n')],
      ['a day that is not over, as it was run', (await run('pull-usage', settings, none)).summary],
    ]);
    await expect(texts).toMatchFileSnapshot(approved('jobs/backfill-usage'));
  });

  it('also pulls the days before the cursor when it advances the cursor', async () => {
    await using fixture = await openJobFixture();
    const { clock, run, plan } = fixture;
    const settings = { since, group_by: ['model'] };
    clock.set(now - 5 * day);
    await run('pull-usage', settings);
    clock.set(now);
    const through = again(Date.parse('2026-11-16'), Date.parse('2026-11-18'));
    expect(await plan('pull-usage', settings, through)).toEqual([
      expect.stringMatching(/ 2026-11-14 00:00 UTC to 2026-11-18 00:00 UTC$/),
    ]);
    const within = again(Date.parse('2026-11-15'), Date.parse('2026-11-16'));
    expect(await plan('pull-usage', settings, within)).toEqual([
      expect.stringMatching(/ 2026-11-15 00:00 UTC to 2026-11-16 00:00 UTC$/),
    ]);
  });
});
