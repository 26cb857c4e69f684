import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { money, unixMillis, type UnixMillis } from '../../../src/core/index.ts';
import { listReports, type JobOutcome } from '../../../src/jobs/index.ts';
import {
  decideSending,
  type LastSent,
  type SendCondition,
  type SendInput,
} from '../../../src/jobs/report/sending/send-when.ts';
import { conditionsText, sendingText } from '../../../src/jobs/report/sending/sending-text.ts';
import { approved, titled } from '../../support/approved.ts';
import { createRandom } from '../../fuzz/random.ts';
import { openJobFixture, withStatistics } from '../../support/job-fixture.ts';
import { mailsIn, reportPlaces, type ReportFixture } from './report-fixture.ts';

const day = 86_400_000;
const slot = unixMillis(Date.parse('2026-11-12T08:00:00Z'));

const totals = (exact: string | null) => [{ name: 'total', exact, unit: 'USD' }];
const changed = (label: string): SendCondition => ({
  changed: {
    figure: 'total',
    by: label.endsWith('%') ? { label, percent: money(label.slice(0, -1)) } : { label, amount: money(label) },
  },
});
const last: LastSent = { slot: unixMillis(slot - day), currency: 'USD', totals: totals('100') };
const usual: SendInput = {
  conditions: [changed('10%')],
  atLeastEvery: 7 * day,
  slot,
  currency: 'USD',
  totals: totals('102'),
  verdict: { verdict: 'agrees', good: true },
  isLate: false,
  isEmpty: false,
  last,
};

/** A figure that is no amount of money. */
const calls = (exact: string) => [{ name: 'calls', exact, unit: null }];

const cases: readonly (readonly [name: string, change: Partial<SendInput>])[] = [
  ['a change below the percentage', {}],
  ['a change of the percentage', { totals: totals('90') }],
  ['a change just below the percentage', { totals: totals('109.99') }],
  ['a percentage with decimals', { totals: totals('110.059'), conditions: [changed('10.05%')] }],
  ['no change', { totals: totals('100.00') }],
  ['a change below the amount', { conditions: [changed('5')] }],
  ['a change from nothing', { totals: totals('0.01'), last: { ...last, totals: totals('0') } }],
  ['no report before', { last: 'none' }],
  ['a damaged report before', { last: 'damaged' }],
  ['an unknown figure', { totals: totals(null) }],
  [
    'an unknown headline beside a column of its name',
    { totals: [...totals(null), { name: 'total', exact: '100', unit: 'USD' }] },
  ],
  ['a figure that was unknown', { last: { ...last, totals: [] } }],
  ['another currency', { last: { ...last, currency: 'CNY' } }],
  ['a verdict that is not good', { verdict: { verdict: 'truncated', good: false } }],
  ['late data', { isLate: true }],
  ['a week without a report', { last: { ...last, slot: unixMillis(slot - 7 * day) } }],
  ['a week with a day of 23 hours', { last: { ...last, slot: unixMillis(slot - 7 * day + 3_600_000) } }],
  ['a total that is the amount', { conditions: [{ above: money('102') }] }],
  ['a total above the amount', { conditions: [{ above: money('101.99') }] }],
  ['an empty report', { conditions: ['not_empty'], isEmpty: true }],
  ['a report that is not empty', { conditions: ['not_empty'] }],
  ['two conditions that do not hold', { conditions: [changed('10%'), 'not_empty'], isEmpty: true }],
  [
    'one of three conditions that does not hold',
    { conditions: ['not_empty', changed('10%'), { above: money('1') }] },
  ],
  [
    'a figure without a currency',
    {
      conditions: [{ changed: { figure: 'calls', by: { label: '50', amount: money('50') } } }],
      totals: calls('140'),
      last: { ...last, totals: calls('100') },
    },
  ],
];

describe('whether a report is sent', () => {
  it('is decided and stated with its reason', async () => {
    const lines = cases.map(
      ([name, change]) => [name, sendingText(decideSending({ ...usual, ...change }), 'UTC')] as const,
    );
    const planned = conditionsText(['not_empty', changed('10%'), { above: money('5') }], 7 * day);
    await expect(titled([...lines, ['a plan', planned]])).toMatchFileSnapshot(approved('jobs/send-when'));
  });

  it('what readers have last is never 10% away from the figure, nor older than a week, over 30 random months', () => {
    const { next } = createRandom(63);
    let [sent, kept] = [0, 0];
    for (let month = 0; month < 30; month += 1) {
      let known: LastSent | 'none' = 'none';
      let total = 100;
      for (let at = 0; at < 30; at += 1) {
        total = Math.max(0, Math.round(total * (0.9 + next() * 0.2) * 100) / 100);
        if (next() < 0.05) total = Math.round(total * (next() < 0.5 ? 0 : 3) * 100) / 100;
        const now: UnixMillis = unixMillis(slot + at * day);
        const current = totals(total.toFixed(2));
        const decision = decideSending({ ...usual, slot: now, totals: current, last: known });
        const before: LastSent | undefined = known === 'none' ? undefined : known;
        const shown = before === undefined ? Number.NaN : Number(before.totals[0]?.exact);
        const isNews =
          before === undefined ||
          (total !== shown && Math.abs(total - shown) >= 0.1 * shown - 1e-9) ||
          now - before.slot >= 7 * day;
        expect(decision.sent).toBe(isNews);
        if (decision.sent) known = { slot: now, currency: 'USD', totals: current };
        if (decision.sent) sent += 1;
        else kept += 1;
      }
    }
    expect(sent).toBeGreaterThan(100);
    expect(kept).toBeGreaterThan(100);
  });
});

const openDaily = async (): Promise<ReportFixture> => {
  const fixture = await openJobFixture({ months: 2, callsPerDay: 40 });
  const { folder, change } = await reportPlaces();
  await fixture.run('pull-logs', { since: '2026-10-01' });
  return { ...fixture, folder, change: { ...change, name: 'daily' } };
};

const settings = {
  report: 'digest',
  period: 'yesterday',
  mail: { to: ['finance@example.com'] },
  send_when: { changed: { by: '40%' } },
};

describe('a daily job with send_when', () => {
  it('over a month, mails what changed, and archives the rest with the reason', async () => {
    await using daily = await openDaily();
    const outcomes: JobOutcome[] = [];
    for (let at = 0; at < 30; at += 1)
      outcomes.push(
        await daily.run('report', settings, {
          ...daily.change,
          slot: unixMillis(Date.parse('2026-10-20T08:00:00Z') + at * day),
        }),
      );
    const { reports } = await listReports(join(daily.folder, 'reports'), { limit: 99 });
    expect(reports).toHaveLength(30);
    let shown: { readonly total: number; readonly slot: number } | undefined;
    const expected = reports.toReversed().map((one) => {
      const [total, now] = [Number(one.totals[0]?.exact), Date.parse(one.slot)];
      const isNews =
        shown === undefined ||
        Math.abs(total - shown.total) >= 0.4 * shown.total ||
        now - shown.slot >= 7 * day;
      if (isNews) shown = { total, slot: now };
      return isNews;
    });
    expect(reports.toReversed().map(({ sending }) => sending?.sent)).toEqual(expected);
    expect(new Set(expected)).toEqual(new Set([true, false]));
    expect(await mailsIn(daily)).toHaveLength(expected.filter(Boolean).length);
    expect(outcomes.map(({ figures }) => [figures['mails'], figures['notSent'] ?? 0])).toEqual(
      expected.map((isSent) => (isSent ? [1, 0] : [0, 1])),
    );
    const reasons = new Set(reports.flatMap(({ sending }) => sending?.facts.map(({ because }) => because)));
    expect(reasons).toEqual(new Set(['first', 'change']));
  }, 60_000);

  it('decides once: a run after a crash sends, or does not send, as the first did', async () => {
    await using daily = await openDaily();
    const run = async (at: number, change = {}) =>
      daily.run('report', settings, { ...daily.change, slot: unixMillis(slot + at * day), ...change });
    await run(0);
    await run(1);
    const decisions = async () =>
      (await listReports(join(daily.folder, 'reports'), { limit: 9 })).reports.map(({ sending }) => sending);
    const first = await decisions();
    expect(first).toHaveLength(2);
    // The process ends between the archive and the outbox of a third run, whose verdict is not good.
    const failing = {
      mails: { ...daily.change.mail?.mails, store: () => Promise.reject(new Error('killed')) },
    };
    const gap = withStatistics(daily, (quota) => money(`${quota}9`));
    await expect(run(2, { ...gap, mail: { from: 'reports@example.com', ...failing } })).rejects.toThrow(
      'killed',
    );
    const [third] = await decisions();
    expect(third).toMatchObject({ sent: true, facts: [{ because: 'verdict' }] });
    const before = (await mailsIn(daily)).length;
    await run(2);
    expect(await mailsIn(daily)).toHaveLength(before + 1);
    expect(await decisions()).toEqual([third, ...first]);
    await run(0);
    await run(1);
    expect(await mailsIn(daily)).toHaveLength(before + 1);
  }, 60_000);

  it('compares figures by names that are the same in every language', async () => {
    await using daily = await openDaily();
    const figure = { figure: 'per_million_tokens', by: '1000' };
    const given = { ...settings, report: 'spend-summary', send_when: [{ changed: figure }, 'not_empty'] };
    await daily.run('report', { ...given, locale: 'de' }, { ...daily.change, slot });
    const outcome = await daily.run(
      'report',
      { ...given, locale: 'zh' },
      {
        ...daily.change,
        slot: unixMillis(slot + day),
      },
    );
    const { reports } = await listReports(join(daily.folder, 'reports'), { limit: 1 });
    expect(reports[0]?.sending).toMatchObject({
      sent: false,
      facts: [{ because: 'change', figure: 'per_million_tokens', unit: 'USD' }],
    });
    expect(outcome.figures).toMatchObject({ mails: 0, notSent: 1 });
  });

  it('does not send an empty report', async () => {
    await using daily = await openDaily();
    const given = { ...settings, send_when: 'not_empty', filters: { models: ['no-such-model'] } };
    await daily.run('report', given, { ...daily.change, slot });
    const outcome = await daily.run('report', given, { ...daily.change, slot: unixMillis(slot + day) });
    const { reports } = await listReports(join(daily.folder, 'reports'), { limit: 1 });
    expect(reports[0]).toMatchObject({
      sending: { sent: false, facts: [{ because: 'rows', isEmpty: true }] },
    });
    expect(outcome.summary).toContain(reports[0]?.notSent);
  });

  it('says in its plan when it sends', async () => {
    await using daily = await openDaily();
    const by = { label: '40%', percent: money('40') };
    expect(await daily.plan('report', settings, { ...daily.change, slot })).toContain(
      conditionsText([{ changed: { figure: 'total', by } }], 7 * day),
    );
  });

  it('sends when the report before cannot be read', async () => {
    await using daily = await openDaily();
    await daily.run('report', settings, { ...daily.change, slot });
    const { reports } = await listReports(join(daily.folder, 'reports'), { limit: 9 });
    await rm(join(reports[0]?.folder ?? '', 'manifest.json'));
    const outcome = await daily.run('report', settings, { ...daily.change, slot: unixMillis(slot + day) });
    expect(outcome.figures).toMatchObject({ mails: 1 });
  });
});
