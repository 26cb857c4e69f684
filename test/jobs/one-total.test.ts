import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addMoney, money, sumMoney, unixMillis, unixSeconds, type Money } from '../../src/core/index.ts';
import { prepareReport } from '../../src/jobs/report/compose-report.ts';
import { composeReport, listReports, type ComposedReport, type CostOwners } from '../../src/jobs/index.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { aboutLog, everyVariant, switched } from '../support/gateway-fixture.ts';
import { openJobFixture, withStatistics } from '../support/job-fixture.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report/report-fixture.ts';
import { isLong, sampled } from '../support/storm.ts';

const start = unixSeconds(Date.UTC(2026, 9, 1) / 1000);
const end = unixSeconds(Date.UTC(2026, 10, 1) / 1000);
const period = { from: '2026-10-01', to: '2026-11-01' };
/** A week after the month. */
const slot = unixMillis(Date.UTC(2026, 10, 8, 8));

const costOwners: CostOwners = {
  teams: [
    { name: 'search', keys: ['prod-*', 'search-*'], mail: ['search@example.com'], budget: money('9') },
    { name: 'growth', keys: ['growth-*', 'team-*'], mail: [] },
    { name: 'without keys', keys: ['no such key'], mail: ['unused@example.com'] },
  ],
  prices: [],
  operators: ['ops@example.com'],
};

const openReportFixture = async (variants: SandboxOptions['variants'] = {}): Promise<ReportFixture> => {
  const fixture = await openJobFixture({ months: 2, callsPerDay: 5, variants });
  const { folder, change } = await reportPlaces();
  await fixture.run('pull-logs', { since: '2026-09-25' });
  return {
    ...fixture,
    folder,
    change: { ...change, slot, costOwners },
  };
};

const to = { mail: { to: ['finance@example.com'] } };

/** The reports of the month, each built once. */
const buildAll = async (fixture: ReportFixture) => {
  const teams = costOwners.teams.slice(0, 1);
  const context = { ...fixture.context, ...fixture.change, costOwners: { ...costOwners, teams } };
  const summary = await composeReport({ report: 'spend-summary', period }, context);
  const statement = await composeReport({ report: 'statement' }, context);
  const showback = await prepareReport({ report: 'showback' }, context);
  const parts: ComposedReport[] = [];
  for (const team of [...teams.map(({ name }) => name), null]) parts.push(await showback.compose({ team }));
  return { summary, statement, parts };
};

const totalOf = ({ model }: ComposedReport): Money => model.headline.value.exact ?? money('none');

const textOf = ({ rendered }: ComposedReport): string => rendered.text.replaceAll(/\s+/g, ' ');

/** What the statistics endpoint says, read both ways: with and without the first second after the month. */
const statisticsOf = async ({ gateway }: ReportFixture): Promise<readonly Money[]> => {
  const { signal } = new AbortController();
  return [
    (await gateway.statistics({ start, end: unixSeconds(end - 1) }, { signal })).quota,
    (await gateway.statistics({ start, end }, { signal })).quota,
  ];
};

const aboutStatistics = ['statistics_unit', 'statistics_refunds'];

/** All in the long storm; else those that make the totals differ, and a few of the others that meet the log. */
const drawn = (): typeof everyVariant => {
  if (isLong) return everyVariant;
  const decisive = everyVariant.filter(([name]) => aboutStatistics.includes(name));
  const rest = everyVariant.filter(
    ([name]) => name === 'compression' || (aboutLog.test(name) && !aboutStatistics.includes(name)),
  );
  return [...decisive, ...sampled(rest, 40)];
};

describe('every report of one month and the statistics endpoint', () => {
  it.each(drawn())(
    '%s %s: agree on one total to the last decimal, or the mail explains the difference',
    async (name, value) => {
      await using fixture = await openReportFixture(switched(name, value));
      const { summary, statement, parts } = await buildAll(fixture);
      const truth = fixture.sandbox.truth.sums(start, end);
      const total = money(truth.net);
      expect(total).not.toBe('0');
      expect(totalOf(summary)).toBe(total);
      expect(totalOf(statement)).toBe(total);
      expect(sumMoney(parts.map(totalOf))).toBe(total);
      // And so does every table of them.
      for (const { model } of [summary, statement])
        for (const { columns, total: sums } of model.data.tables) {
          const at = columns.findIndex((column) => column.name === 'spend');
          if (at >= 0) expect(sums?.[at]).toBe(total);
        }

      const output = [summary, statement].map(textOf);
      for (const text of output) expect(text).toContain(`Spend, exact: ${total} USD.`);
      // A team is told of the whole that it adds up, and none of its amounts.
      for (const text of parts.map(textOf)) expect(text).toContain('whole is reconciled with');

      const statistics = await statisticsOf(fixture);
      const read = (exact: string): boolean => statistics.includes(money(exact));
      const reason = `${name} ${value}`;
      const verdicts = [summary, statement].map(({ verdict }) => verdict.verdict);
      if (reason === 'statistics_refunds excluded') {
        expect(read(truth.consumption)).toBe(true);
        expect(verdicts).toEqual(['refunds', 'refunds']);
        for (const text of output) expect(text).toContain(`, ${money(truth.consumption)} USD;`);
      } else if (name === 'statistics_unit' && value !== 'USD') {
        const there = fixture.sandbox.truth.sums(start, end, { unit: value as 'CNY' | 'units' }).net;
        expect(read(there)).toBe(true);
        expect(verdicts).toEqual(['currency', 'currency']);
        for (const text of output)
          expect(text).toContain(`${money(there)}${value === 'CNY' ? ' CNY' : ''} there`);
      } else {
        expect(read(total)).toBe(true);
        expect(verdicts).toEqual(['equal', 'equal']);
        for (const text of output) expect(text).toMatch(new RegExp(`Reconciliation: [^.]*: ${total} USD\\.`));
      }
    },
  );

  it('disagree in the subject, at the top and in the footer of every mail when the statistics differ', async () => {
    await using fixture = await openReportFixture();
    const change = {
      ...fixture.change,
      ...withStatistics(fixture, (quota) => addMoney(quota, money('0.5'))),
    };
    await fixture.run('report', { report: 'spend-summary', period, ...to }, { ...change, name: 'summary' });
    await fixture.run('report', { report: 'statement', ...to }, { ...change, name: 'statement' });
    const teams = { report: 'showback', each_team: true };
    await fixture.run('report', teams, { ...change, name: 'showback' });
    const { reports } = await listReports(join(fixture.folder, 'reports'), { limit: 100 });
    const totals = (job: string): Money[] =>
      reports
        .filter((report) => report.job === job)
        .map((report) => money(report.totals[0]?.exact ?? 'none'));
    const total = money(fixture.sandbox.truth.sums(start, end).net);
    expect([...totals('summary'), ...totals('statement')]).toEqual([total, total]);
    expect(sumMoney(totals('showback'))).toBe(total);
    const mails = await mailsIn(fixture);
    expect(mails.map(({ row: { recipient } }) => recipient).toSorted()).toEqual([
      'finance@example.com',
      'finance@example.com',
      'ops@example.com',
      'ops@example.com',
      'search@example.com',
      'unused@example.com',
    ]);
    for (const { row, parsed } of mails) {
      const { kind, recipient } = row;
      const text = parsed.text?.replaceAll(/\s+/g, ' ') ?? '';
      const selectsNothing = recipient === 'unused@example.com';
      expect(parsed.subject).toContain(
        selectsNothing ? 'matches "no such key"' : 'NOT reconciled with the gateway',
      );
      const why = kind === 'report:showback' ? 'The account as a whole' : 'Late data:';
      expect(text.split(why)).toHaveLength(3);
      expect(text).toContain(`! Reconciliation: ${why}`);
      if (kind === 'report:showback') expect(text).toContain('whole is not reconciled');
      if (kind !== 'report:showback') expect(text).toContain('the difference is 0.5');
    }
  });
});
