import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  interval,
  intervalInMillis,
  localDays,
  startOfDay,
  type ProgressStep,
} from '../../src/core/index.ts';
import { type JobFixture, openJobFixture } from '../support/job-fixture.ts';
import { approved, titled } from '../support/approved.ts';

// The fixture's clock shows 21 November 2026.
const since = '2026-08-25';
const pull = { since, window: '200d' };

const opened = async (): Promise<JobFixture> => {
  const fixture = await openJobFixture({ months: 3, callsPerDay: 30 });
  await fixture.run('pull-logs', pull);
  return fixture;
};

/** Rows and the sum of their amounts of each quarter hour, by its start. */
const heldQuarters = async ({ context }: JobFixture, from: string, to: string) => {
  const periods = [{ name: 'current' as const, days: localDays(from, to, 'UTC') }];
  // The clock of the tests ends shorter limits at once.
  const table = await context.warehouse.readCube(
    { account: 'main', periods, timeLimit: 3_600_000_000 },
    async (query) =>
      query('SELECT quarter, sum(rows)::BIGINT, sum(amount) FROM cube GROUP BY quarter ORDER BY quarter'),
  );
  return table.rows;
};

const rowsBetween = async (fixture: JobFixture, from: string, to: string): Promise<number> =>
  (await heldQuarters(fixture, from, to)).reduce((sum, [, rows]) => sum + Number(rows), 0);

/** A backfill of the days, the last of them left out, as UTC has them. */
const again = (from: string, to: string) => ({
  trigger: 'backfill' as const,
  interval: intervalInMillis(interval(startOfDay(from, 'UTC'), startOfDay(to, 'UTC'))),
});

const fileOf = async ({ context }: JobFixture, month: string): Promise<string> => {
  const found = (await context.warehouse.archive.months('main')).find((one) => one.month === month);
  return join(context.spoolDirectory, 'archive', found?.file ?? '');
};

describe('the archive job', () => {
  it('plans the archiving, carries it out and reports the result; reports show no difference', async () => {
    await using fixture = await opened();
    const { run, plan, context } = fixture;
    const settings = { retain: '30d' };
    const months = {
      august: await rowsBetween(fixture, '2026-08-20', '2026-08-31'),
      september: await rowsBetween(fixture, '2026-09-01', '2026-09-30'),
      october: await rowsBetween(fixture, '2026-10-01', '2026-10-31'),
    };
    const all = await heldQuarters(fixture, since, '2026-11-22');
    const texts: [string, string][] = [];
    const planned = async (title: string, given: typeof settings) =>
      texts.push([title, (await plan('archive', given)).join('\n')]);
    await planned('plan', settings);
    expect(await readdir(context.spoolDirectory)).toEqual([]);
    const total = months.august + months.september + months.october;
    const steps: ProgressStep[] = [];
    const { summary, figures } = await run('archive', settings, { progress: (step) => steps.push(step) });
    expect(steps.map(({ done, rows, detail }) => [done, rows, detail])).toEqual([
      [undefined, undefined, undefined],
      [0, 0, '2026-08'],
      [1, months.august, '2026-09'],
      [2, months.august + months.september, '2026-10'],
    ]);
    expect(steps.at(-1)?.bytes).toBeGreaterThan(0);
    texts.push(['run', summary.replace(/\d+ kB/, '… kB')]);
    expect(figures).toMatchObject({ written: 3, rows: total, left: 2, leftRows: total - months.october });
    expect(await heldQuarters(fixture, since, '2026-11-22')).toEqual(all);
    await planned('plan, once more', settings);
    texts.push(['run, once more', (await run('archive', settings)).summary]);
    await planned('plan, with a shorter retention', { retain: '10d' });
    texts.push(['run, with a shorter retention', (await run('archive', { retain: '10d' })).summary]);
    await expect(titled(texts)).toMatchFileSnapshot(approved('jobs/archive'));
    expect(await heldQuarters(fixture, since, '2026-11-22')).toEqual(all);
  });

  it('leaves a month open for late rows, and removes nothing unless configured', async () => {
    await using fixture = await opened();
    expect((await fixture.run('archive', { settle: '30d' })).summary).toMatch(/^2 months archived, [^;]*$/);
  });

  it('fails on a lost file, names it in its plan, and recovers when the month is pulled again', async () => {
    await using fixture = await opened();
    const { run, plan, context } = fixture;
    await run('archive', { retain: '30d' });
    const september = interval(startOfDay('2026-09-01', 'UTC'), startOfDay('2026-10-01', 'UTC'));
    const before = await context.warehouse.spend('main', september);
    await rm(await fileOf(fixture, '2026-09'));
    expect(await plan('archive', {})).toContainEqual(
      expect.stringMatching(/^damaged: .*2026-09 is missing: account=main\/month=2026-09\//),
    );
    await expect(run('archive', {})).rejects.toMatchObject({ code: 'archive-damaged' });
    await expect(context.warehouse.spend('main', september)).rejects.toMatchObject({
      code: 'archive-damaged',
      advice: expect.stringContaining('pull the whole month again') as string,
    });
    await run('pull-logs', pull, again('2026-09-01', '2026-10-01'));
    expect(await context.warehouse.spend('main', september)).toEqual(before);
    expect((await run('archive', { retain: '30d' })).summary).toMatch(
      /^1 month archived, .*; 1 month left the table$/,
    );
  });
});
