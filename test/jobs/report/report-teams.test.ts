import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localDays, money, sumMoney, unixMillis, type ProgressStep } from '../../../src/core/index.ts';
import { composeReport, listReports, type CostOwners } from '../../../src/jobs/index.ts';
import { openJobFixture } from '../../support/job-fixture.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report-fixture.ts';

const slot = unixMillis(Date.parse('2026-11-12T08:00:00Z'));

type Office = ReportFixture & { readonly keys: readonly string[] };

/** A log of some days whose keys belong to two teams, all but one key. */
const openOffice = async (): Promise<Office> => {
  const fixture = await openJobFixture();
  const { folder, change } = await reportPlaces();
  await fixture.run('pull-logs', { since: '2026-11-08' });
  const periods = [{ name: 'current' as const, days: localDays('2026-11-08', '2026-11-12', 'UTC') }];
  const rows = await fixture.context.warehouse.readCube({ account: 'main', periods }, async (query) =>
    query(`SELECT token_name FROM cube WHERE token_name <> '' GROUP BY ALL ORDER BY sum(spend) DESC`),
  );
  const keys = rows.rows.map(([key]) => String(key));
  const [first = '', second = '', , ...rest] = keys;
  const costOwners: CostOwners = {
    teams: [
      {
        name: 'growth',
        keys: [first, `${second.slice(0, -1)}*`],
        mail: ['growth@example.com'],
        budget: money('500'),
      },
      { name: 'platform', keys: [second, ...rest], mail: [] },
    ],
    prices: [],
    operators: ['ops@example.com'],
  };
  return {
    ...fixture,
    folder,
    keys,
    change: { ...change, name: 'showback', slot, costOwners },
  };
};

const settings = { report: 'spend-summary', period: { from: '2026-11-08', to: '2026-11-12' } };

const exactIn = (text: string | undefined) =>
  money(/exact: (-?[\d.]+) USD/.exec((text ?? '').replaceAll(/\s+/g, ' '))?.[1] ?? 'none');

describe('a report per team', () => {
  it('covers only the team’s own keys, operators get the rest, and together they make the whole to the last decimal', async () => {
    await using office = await openOffice();
    const { keys, change } = office;
    const shown: ProgressStep[] = [];
    const outcome = await office.run(
      'report',
      { ...settings, each_team: true },
      { ...change, progress: (step) => void shown.push(step) },
    );
    expect(outcome.figures).toMatchObject({ mails: 3 });
    expect(new Set(shown.map(({ step, total }) => `${step}: ${total}`))).toEqual(
      new Set(['building reports: 3']),
    );
    const done = shown.map((one) => one.done ?? 3);
    expect(done).toEqual(done.toSorted((left, right) => left - right));
    expect([done[0], done.every((count) => count < 3)]).toEqual([0, true]);
    const labels = ['team growth', 'team platform', 'unassigned'];
    expect(shown.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining(labels.map((label) => `${label}: enqueueing mail`)),
    );
    const mails = await mailsIn(office);
    expect(mails.map(({ row }) => `${row.subject} to ${row.recipient}`).toSorted()).toEqual([
      `${new Date(slot).toISOString()} team growth to growth@example.com`,
      `${new Date(slot).toISOString()} team platform to ops@example.com`,
      `${new Date(slot).toISOString()} unassigned to ops@example.com`,
    ]);
    const whole = await composeReport(settings, { ...office.context, ...change });
    const { reports: archived } = await listReports(join(office.folder, 'reports'), { limit: 9 });
    const parts = archived.map(({ totals }) => money(totals[0]?.exact ?? 'none'));
    expect(sumMoney(parts)).toBe(exactIn(whole.rendered.text));
    expect(parts.every((part) => part !== '0')).toBe(true);
    const growth = mails.find(({ row }) => row.recipient === 'growth@example.com')?.parsed;
    for (const others of keys.slice(2)) expect(growth?.html).not.toContain(others);
    expect(growth?.html).toContain(keys[0]);
    expect(growth?.html).toContain('· growth ·');
    // What the whole account comes to is no team's business; how it compares with the gateway is.
    expect(growth?.text).toMatch(/as a whole is (not )?reconciled/);
    const again = await office.run('report', { ...settings, each_team: true }, change);
    expect(again.figures).toMatchObject({ mails: 0 });
    expect(await mailsIn(office)).toHaveLength(3);
  });

  it('covers a single team if one is configured, and fails for an unknown team or without recipients', async () => {
    await using office = await openOffice();
    const { context, change } = office;
    const one = await composeReport({ ...settings, team: 'platform' }, { ...context, ...change });
    expect(one.model.account).toBe('main · platform');
    const other = await composeReport(
      { ...settings, filters: { teams: ['plat*'] } },
      { ...context, ...change },
    );
    expect(exactIn(other.rendered.text)).toBe(exactIn(one.rendered.text));
    await expect(
      composeReport({ ...settings, team: 'nobody' }, { ...context, ...change }),
    ).rejects.toMatchObject({
      code: 'wrong-use',
      message: expect.stringMatching(/nobody .*declared teams: growth, platform$/) as string,
    });
    await expect(office.run('report', settings, change)).rejects.toMatchObject({ code: 'wrong-use' });
  });

  it('is compared with the configured period, or with nothing', async () => {
    await using office = await openOffice();
    const { context, change } = office;
    const mail = { to: ['a@example.com'] };
    const planned = async (comparison: string) =>
      (await office.plan('report', { ...settings, mail, comparison }, change))[0];
    expect(await planned('previous')).toContain('compared with Nov 4 – 7, 2026');
    expect(await planned('same-days-last-month')).toContain('compared with Oct 8 – 11, 2026');
    expect(await planned('same-days-last-year')).toContain('compared with Nov 8 – 11, 2025');
    expect(await planned('none')).not.toContain('compared');
    const alone = await composeReport({ ...settings, comparison: 'none' }, { ...context, ...change });
    expect(alone.model.headline).toMatchObject({ compared: '', change: { direction: 'unknown' } });
    expect(alone.rendered.subject).not.toMatch(/up|down|unchanged/);
  });
});
