import { describe, expect, it } from 'vitest';
import { fault, interval, money, toMillis, startOfDay, unixMillis } from '../../../src/core/index.ts';
import { judgeEmptied } from '../../../src/jobs/pull-logs/emptied.ts';
import type { JobAccount } from '../../../src/jobs/index.ts';
import { now, textOf } from '../../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture, type RunChange } from '../../support/job-fixture.ts';

const since = '2026-11-14';
const day = interval(startOfDay('2026-11-16', 'UTC'), startOfDay('2026-11-17', 'UTC'));
const asked = interval(toMillis(day.start), toMillis(day.end));

const bodyOf = async function* (text: string) {
  yield new TextEncoder().encode(text);
};

/** A gateway that has no more calls in exports; its usage export and statistics are 0. */
const emptied = (
  { context: { account } }: JobFixture,
  more: Partial<JobAccount['gateway']> = {},
): { readonly account: JobAccount } => {
  const { gateway } = account;
  return {
    account: {
      ...account,
      gateway: {
        ...gateway,
        exportLogs: async (query, options) => {
          const answer = await gateway.exportLogs(query, options);
          const [header = ''] = (await textOf(answer.body)).split('\n');
          return { ...answer, body: bodyOf(`${header}\n`) };
        },
        exportUsage: async (query, options) => {
          const answer = await gateway.exportUsage(query, options);
          await textOf(answer.body);
          return { ...answer, body: bodyOf('') };
        },
        statistics: async (query, options) => ({
          ...(await gateway.statistics(query, options)),
          quota: money('0'),
        }),
        ...more,
      },
    },
  };
};

const pullAgain = async (fixture: JobFixture, change: RunChange = {}) =>
  fixture.run(
    'pull-logs',
    { since },
    { ...emptied(fixture), trigger: 'backfill', interval: asked, ...change },
  );

const spendOf = async ({ context }: JobFixture) => context.warehouse.comparisons.totals('main', day);

describe('a day that the gateway has emptied', () => {
  it('keeps its rows without the option, which the error names together with what was compared', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 20 });
    await fixture.run('pull-logs', { since });
    const before = await spendOf(fixture);
    await expect(pullAgain(fixture)).rejects.toMatchObject({
      code: 'export-emptied',
      message: expect.stringMatching(
        /no rows, but \d+ rows .* the statistics 0, the usage export 0$/,
      ) as string,
      advice: expect.stringContaining(
        'tollkeeper run test --from 2026-11-16T00:00:00Z --to 2026-11-17T00:00:00Z --accept-empty',
      ) as string,
    });
    expect(await spendOf(fixture)).toEqual(before);
  });

  it('keeps its rows in a scheduled run, and where it is not in the range that the option names', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 20 });
    await fixture.run('pull-logs', { since });
    const context = { ...fixture.context, ...emptied(fixture), acceptEmpty: true };
    const found = fault('export-emptied', 'no rows');
    await expect(judgeEmptied({ ...context, interval: asked })(day, found)).rejects.toMatchObject({
      code: 'export-emptied',
    });
    const other = interval(asked.start, unixMillis(asked.end - 1000));
    const ofOther = judgeEmptied({ ...context, trigger: 'backfill', interval: other });
    await expect(ofOther(day, found)).rejects.toMatchObject({ code: 'export-emptied' });
    const ofDay = judgeEmptied({ ...context, trigger: 'backfill', interval: asked });
    await expect(ofDay(day, found)).resolves.toBeUndefined();
  });

  it('is landed with the option, as a restatement', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 20 });
    await fixture.run('pull-logs', { since });
    expect((await spendOf(fixture)).rows).toBeGreaterThan(0);
    const since_ = fixture.clock.now();
    fixture.clock.advance(1000);
    const { figures } = await pullAgain(fixture, { acceptEmpty: true });
    expect(figures).toMatchObject({ rows: 0, windows: 1 });
    expect(figures['restated']).toBeGreaterThan(0);
    expect(await spendOf(fixture)).toMatchObject({ rows: 0, net: '0' });
    const { quarters } = await fixture.context.warehouse.restatements.since('main', since_, day);
    expect(quarters.length).toBeGreaterThan(0);
  });

  const refuse = async () => Promise.reject(fault('gateway-refused', 'not allowed'));
  const counting = async (): ReturnType<JobAccount['gateway']['statistics']> => ({
    quota: money('1'),
    rpm: undefined,
    tpm: undefined,
    mpm: undefined,
    rest: {},
  });

  it.each<[string, Partial<JobAccount['gateway']>, RegExp]>([
    ['statistics that count calls', { statistics: counting }, /the statistics 1,/],
    ['statistics that do not answer', { statistics: refuse }, /the statistics no answer,/],
    ['a usage export that does not answer', { exportUsage: refuse }, /the usage export no answer$/],
  ])('is refused with the option for %s', async (_, more, message) => {
    await using fixture = await openJobFixture({ callsPerDay: 20 });
    await fixture.run('pull-logs', { since });
    const before = await spendOf(fixture);
    const change = { ...emptied(fixture, more), acceptEmpty: true };
    await expect(pullAgain(fixture, change)).rejects.toMatchObject({
      code: 'export-emptied',
      message: expect.stringMatching(message) as string,
      advice: expect.not.stringContaining('--accept-empty') as string,
    });
    expect(await spendOf(fixture)).toEqual(before);
  });

  it('is refused with the option while landed usage, or used_quota, still counts its calls', async () => {
    for (const kind of ['usage', 'used_quota'] as const) {
      await using fixture = await openJobFixture({ callsPerDay: 20 });
      if (kind === 'used_quota') {
        fixture.clock.set(toMillis(day.start) - 3_600_000);
        await fixture.run('snapshot', {});
        fixture.clock.set(unixMillis(now - 3_600_000));
        await fixture.run('snapshot', {});
        fixture.clock.set(now);
      }
      await fixture.run('pull-logs', { since });
      if (kind === 'usage') await fixture.run('pull-usage', { since, granularity: 'day' });
      const message = kind === 'usage' ? /usage that was landed before \d/ : /used_quota still counts them/;
      await expect(pullAgain(fixture, { acceptEmpty: true })).rejects.toMatchObject({
        code: 'export-emptied',
        message: expect.stringMatching(message) as string,
      });
    }
  });
});
