import { describe, expect, it } from 'vitest';
import { money, multiplyMoney, sumMoney, type GatewayProfile } from '../../src/core/index.ts';
import { composeReport, type ComposedReport } from '../../src/jobs/index.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { openJobFixture, type JobFixture } from '../support/job-fixture.ts';

type Variants = NonNullable<SandboxOptions['variants']>;

const since = '2026-10-25';
const day = 86_400_000;

const composed = (fixture: JobFixture, period: { from: string; to: string }, report = 'spend-summary') =>
  composeReport({ report, period }, { ...fixture.context, slot: fixture.clock.now() });

/** Everything of a report that a reader can see. */
const shownOf = ({ rendered, model }: ComposedReport): string =>
  [rendered.subject, rendered.preheader, rendered.html, rendered.text, JSON.stringify(model.data)].join('\n');

const truthOf = (fixture: JobFixture, { from, to }: { from: string; to: string }): string =>
  fixture.sandbox.truth.sums(Date.parse(from) / 1000, Date.parse(to) / 1000, {
    asOf: Math.floor(fixture.clock.now() / 1000),
  }).net;

const pullEvery = async (fixture: JobFixture, millis: number, times: number): Promise<void> => {
  for (let count = 0; count < times; count += 1) {
    fixture.clock.advance(millis);
    await fixture.run('pull-logs', { since });
  }
};

describe('an account whose gateway changes the form of its amounts', () => {
  const period = { from: '2026-11-20', to: '2026-11-23' };

  it.each<[string, Variants, number, number]>([
    ['to integer units, in log and statistics', { amounts_change: 'log-and-statistics' }, day, 3],
    ['to integer units, in the log alone', { amounts_change: 'log' }, day, 3],
    ['to integer units in pulls 25 minutes apart', { amounts_change: 'log-and-statistics' }, 1_500_000, 16],
    [
      'to integer units, for rows from a moment within a window on',
      { amounts_change: 'log', amounts_change_by: 'row' },
      3 * day,
      1,
    ],
    ['back to a currency', { amounts_change: 'log-and-statistics', log_quota: 'units' }, day, 3],
    [
      'back to a currency, for rows from a moment within a window on',
      { amounts_change: 'log', amounts_change_by: 'row', log_quota: 'units' },
      3 * day,
      1,
    ],
  ])('shows the charge after every change: %s', async (_, variants, every, times) => {
    await using fixture = await openJobFixture({ callsPerDay: every < day ? 60 : 3, variants });
    await fixture.run('pull-logs', { since });
    if (every < day) await pullEvery(fixture, 17 * 3_600_000, 1);
    await pullEvery(fixture, every, times);
    const report = await composed(fixture, period);
    const through = Math.min(
      Date.parse(period.to),
      ((await fixture.context.warehouse.logs.watermark('main'))?.end ?? 0) * 1000,
    );
    const truth = truthOf(fixture, { ...period, to: new Date(through).toISOString() });
    expect(report.model.headline.value.exact).toBe(truth);
    const news = await fixture.context.warehouse.profile.changes('main');
    expect(news.map(({ topic }) => topic)).toEqual(['amounts-changed']);
  });
});

it('a new account of a few calls in whole numbers gets a report with calls and tokens and without amounts', async () => {
  await using fixture = await openJobFixture({
    callsPerDay: 1,
    variants: { log_quota: 'units', statistics_unit: 'units', refund_rows: 'absent' },
  });
  await fixture.run('pull-logs', { since: '2026-11-15' });
  const period = { from: '2026-11-15', to: '2026-11-21' };
  const sums = fixture.sandbox.truth.sums(Date.parse(period.from) / 1000, Date.parse(period.to) / 1000);
  expect(sums.calls).toBeGreaterThan(2);
  expect(sums.calls).toBeLessThan(20);
  const report = await composed(fixture, period);
  expect(report.model.headline.value).toEqual({ exact: null, text: 'Amounts unknown' });
  expect(shownOf(report)).not.toMatch(/\$\s?-?\d|USD -?\d/);
  expect(JSON.stringify(report.model.sections)).toContain(
    'set gateway.amounts of the account to units or currency',
  );
  expect(report.verdict.good).toBe(false);
  const figures = JSON.stringify(report.model.sections);
  expect(figures).toContain(`"exact":"${sums.calls}"`);
});

describe('an account in CNY whose gateway exports integer units', () => {
  const period = { from: '2026-11-01', to: '2026-11-21' };
  const open = async (profile: Partial<GatewayProfile> = {}, variants: Variants = {}) => {
    const fixture = await openJobFixture({ variants: { log_quota: 'units', ...variants } }, profile);
    const context = { ...fixture.context, account: { ...fixture.context.account, currency: 'CNY' as const } };
    const run: JobFixture['run'] = async (kind, settings, change = {}) =>
      fixture.run(kind, settings, { account: context.account, ...change });
    return { ...fixture, context, run };
  };

  it.each<[string, Variants]>([
    ['with statistics in units', { statistics_unit: 'units' }],
    ['with statistics in US dollars', {}],
    ['with statistics in CNY, whose parts prove the rate', { statistics_unit: 'CNY' }],
    ['with a header that names the dollar', { quota_header: 'cost_usd' }],
  ])('shows its amounts in US dollars with the label and the reason: %s', async (_, variants) => {
    await using fixture = await open({}, variants);
    const outcome = await fixture.run('pull-logs', { since });
    expect(outcome.summary).not.toContain('CNY');
    const report = await composed(fixture, period);
    expect(report.model).toMatchObject({
      currency: 'USD',
      headline: { value: { exact: truthOf(fixture, period) } },
    });
    expect(shownOf(report)).not.toContain('¥');
    expect(JSON.stringify(report.model.sections)).toContain(
      'No conversion rate to CNY is verified, so amounts are in USD',
    );
    expect(report.verdict).toMatchObject({ good: true });
  });

  it('has no budget in CNY compared with them', async () => {
    const budget = { teams: [], prices: [], operators: [], budget: money('1234.56') };
    const shown = async (fixture: JobFixture): Promise<string> => {
      await fixture.run('pull-logs', { since });
      return shownOf(
        await composed({ ...fixture, context: { ...fixture.context, costOwners: budget } }, period),
      );
    };
    await using inCurrency = await openJobFixture();
    expect(await shown(inCurrency)).toContain('1,234.56');
    await using inUnits = await open();
    expect(await shown(inUnits)).not.toContain('1,234.56');
  });

  it('shows them in CNY when units_per_currency is configured', async () => {
    await using fixture = await open({ unitsPerCurrency: 62_500, unitsStated: true });
    await fixture.run('pull-logs', { since });
    const report = await composed(fixture, period);
    expect(report.model).toMatchObject({ currency: 'CNY' });
    expect(report.rendered.subject).toContain('¥');
  });
});

it('statistics in a currency prove that the amounts of a few calls are integer units', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 1, variants: { log_quota: 'units' } });
  await fixture.run('pull-logs', { since: '2026-11-15' });
  const period = { from: '2026-11-15', to: '2026-11-21' };
  const report = await composed(fixture, period);
  expect(report.model.headline.value.exact).toBe(truthOf(fixture, period));
});

describe('a usage export that alone changes its unit', () => {
  it.each<[string, Variants, number]>([
    ['to integer units', { amounts_change: 'usage' }, 1],
    ['to a currency', { amounts_change: 'usage', usage_unit: 'units' }, 500_000],
  ])(
    'is stored in the unit of its series, and operators are notified once: %s',
    async (_, variants, factor) => {
      await using fixture = await openJobFixture({ callsPerDay: 10, variants });
      const pull = async (): Promise<void> => {
        await fixture.run('pull-logs', { since });
        await fixture.run('pull-usage', { since, granularity: 'hour' });
      };
      await pull();
      for (let days = 0; days < 3; days += 1) {
        fixture.clock.advance(day);
        await pull();
      }
      const { warehouse } = fixture.context;
      for (const dimension of ['model', 'token']) {
        const series = { account: 'main', dimension, metric: 'spend', granularity: 'hour' as const };
        const watermark = await warehouse.usage.watermark(series);
        if (watermark === undefined) throw new Error('nothing was pulled');
        const values = await warehouse.usage.values(series, watermark);
        const truth = fixture.sandbox.truth.sums(watermark.start / 1000, watermark.end / 1000).net;
        expect(sumMoney(values.map(({ value }) => value))).toBe(
          multiplyMoney(money(truth), money(String(factor))),
        );
      }
      const news = await warehouse.profile.changes('main');
      expect(news.map(({ topic, name }) => [topic, name])).toEqual([
        ['usage-unit', 'model'],
        ['usage-unit', 'token'],
      ]);
    },
  );
});
