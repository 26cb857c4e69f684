import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { summarise } from '../../../src/notify/channels/chat/chat-summary.ts';
import { announceReport } from '../../../src/jobs/report/announce-report.ts';
import { composeReport, type ComposedReport } from '../../../src/jobs/index.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { notesOf } from '../../reports/parts.ts';

/** The account has spent for two months; the log is pulled from November 1 on. */
describe('the first report of a deployment', () => {
  let fixture: JobFixture;
  beforeAll(async () => {
    fixture = await openJobFixture({ months: 2, callsPerDay: 10 });
    await fixture.run('pull-logs', { since: '2026-11-01' });
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const compose = async (change: Parameters<typeof composeReport>[0]): Promise<ComposedReport> =>
    composeReport(change, fixture.context);
  const textOf = ({ rendered }: ComposedReport): string => rendered.text.replaceAll(/\s+/g, ' ');

  it.each([
    ['spend-summary', 'en', 'Not compared with Oct 1 – 20, 2026: no data before Nov 1.'],
    ['showback', 'en', 'Not compared with Oct 1 – 20, 2026: no data before Nov 1.'],
    ['token-economics', 'en', 'Not compared with Oct 1 – 20, 2026: no data before Nov 1.'],
    ['spend-summary', 'de', 'Nicht mit 01.–20.10.2026 verglichen'],
    ['spend-summary', 'zh', '之前没有数据。'],
  ] as const)('names the first day with data: %s in %s', async (report, locale, output) => {
    const composed = await compose({ report, period: 'month-to-date', locale });
    expect(textOf(composed)).toContain(output);
    expect(textOf(composed)).not.toContain('No spend in the period');
    expect(composed.model.headline.change.direction).toBe('unknown');
  });

  it('is compared only with days that the data covers completely', async () => {
    const whole = await compose({
      report: 'spend-summary',
      period: { from: '2026-11-11', to: '2026-11-21' },
    });
    expect(whole.model.headline.compared).toMatch(/^vs /);
    const half = await compose({ report: 'spend-summary', period: { from: '2026-11-08', to: '2026-11-20' } });
    expect(half.model.headline.change.direction).toBe('unknown');
    expect(half.model.headline.compared).toBe(
      'Not compared with Oct 27 – Nov 7, 2026: no data before Nov 1.',
    );
  });

  it('states that its period begins before the data', async () => {
    const whole = await compose({
      report: 'spend-summary',
      period: { from: '2026-10-28', to: '2026-11-20' },
    });
    expect(whole.model.headline.compared).toContain('no data before Nov 1.');
  });

  it('states how few days a mean and a forecast are based on', async () => {
    const early = await compose({
      report: 'spend-summary',
      period: { from: '2026-11-04', to: '2026-11-05' },
    });
    expect(textOf(early)).toMatch(/average of the previous 3 days, .*before Nov 1/);
    expect(textOf(early)).toMatch(/at the rate of 4 days, .*before Nov 1/);
    const later = await compose({
      report: 'spend-summary',
      period: { from: '2026-11-19', to: '2026-11-20' },
    });
    expect(textOf(later)).toContain('at the rate of 14 days');
    expect(textOf(later)).not.toContain('no data before');
  });

  it('states the same in chat messages, including the notes beside a figure', async () => {
    const composed = await compose({ report: 'spend-summary', period: 'month-to-date' });
    const chat = summarise(announceReport(composed, 'run-1'));
    expect(chat.lead.join(' ')).toContain('no data before Nov 1.');
    expect(chat.facts.find(({ label }) => label === 'Per 1M tokens')?.text).toContain(
      'for models billed without tokens',
    );
  });
});

const day = 86_400_000;

it('a report says how many calls after the watermark its figures contain, until their time is pulled again', async () => {
  await using account = await openJobFixture({ months: 2, callsPerDay: 4 });
  const { clock, context } = account;
  const { warehouse } = context;
  await account.run('pull-logs', { since: '2026-10-25' });
  const build = async () => {
    const composed = await composeReport(
      { report: 'spend-summary', period: 'month-to-date' },
      { ...context, slot: clock.now() },
    );
    const spend = await warehouse.spend('main', composed.period.interval);
    expect(composed.model.headline.value.exact).toBe(spend.net);
    return { period: composed.period.interval, texts: notesOf(composed.model).join(' ') };
  };
  expect((await build()).texts).not.toContain('after the end of');
  await warehouse.clocks.note('main', { at: clock.now(), offset: 0, uncertainty: 500 });
  clock.advance(60_000);
  await warehouse.clocks.note('main', { at: clock.now(), offset: -2 * day, uncertainty: 500 });
  const { period, texts } = await build();
  const watermark = (await warehouse.logs.watermark('main'))?.end ?? period.end;
  const { calls } = await warehouse.spend('main', { start: watermark, end: period.end });
  expect(calls).toBeGreaterThan(1);
  expect(texts).toContain(` ${calls} calls after the end of`);
  await warehouse.clocks.note('main', { at: clock.now(), offset: 0, uncertainty: 500 });
  clock.advance(60_000);
  await account.run('pull-logs', { since: '2026-10-25' });
  expect((await build()).texts).not.toContain('after the end of');
});
