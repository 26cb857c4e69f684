import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDays, localeTags, unixMillis } from '../../../src/core/index.ts';
import { composeReport } from '../../../src/jobs/index.ts';
import { approved } from '../../support/approved.ts';
import { openAlertFixture, budgetOf, threshold, type AlertFixture, type Call } from './alert-fixture.ts';

/** A call a day, on weekends of less, of 40 dollars on a weekday in the end. */
const callsOf = (first: string, days: number): readonly Call[] =>
  Array.from({ length: days }, (_, at) => ({
    at: `${addDays(first, at)}T12:00:00Z`,
    key: at % 2 === 0 ? 'prod' : 'test',
    charge: String((at % 7 >= 5 ? 10 : 40) + (at % 5)),
  }));

const subject = { scope: 'account', zone: 'UTC', anchorDay: 1 };

describe('the forecast of a budget', () => {
  const budgets = [
    budgetOf({ thresholds: [], forecastThresholds: [threshold('50%', '500')], owner: [] }),
    budgetOf({
      name: 'weekly',
      period: 'week',
      thresholds: [],
      forecastThresholds: [threshold('1', '1')],
      owner: [],
    }),
  ];
  const landed = async (): Promise<AlertFixture> => {
    const fixture = await openAlertFixture();
    // Monday, 1 September 2025, up to 11 November 2026.
    await fixture.land('2025-09-01T00:00:00Z', '2026-11-12T00:00:00Z', callsOf('2025-09-01', 437));
    return fixture;
  };
  const textOf = async (fixture: AlertFixture, name: string): Promise<string> =>
    (await fixture.mails())
      .find(({ subject }) => subject.includes(`Budget ${name}`))
      ?.text.replaceAll(/\s+/g, ' ') ?? '';

  it('is that of the model once it was fitted, with how far the last ones were off', async () => {
    await using fixture = await landed();
    const { warehouse, evaluate } = fixture;
    await evaluate('2026-11-12T00:00:00Z', [budgets[1] ?? budgetOf()]);
    expect(await textOf(fixture, 'weekly')).not.toContain('80%');
    await evaluate('2026-11-12T00:00:00Z', budgets);
    const [kept] = await warehouse.forecasts.kept('main');
    expect(JSON.parse(kept?.content ?? '')).toMatchObject({
      first: '2025-11-12',
      model: { days: 365 },
      record: { month: '2026-11-01', method: 'model' },
    });
    expect(await warehouse.forecasts.issued('main', subject)).toMatchObject([
      { month: '2026-11-01', day: 11, method: 'model' },
    ]);
  });

  it.each(localeTags)('is a sentence with its interval and the errors of the past, in %s', async (locale) => {
    await using fixture = await landed();
    const { evaluate } = fixture;
    const costOwners = { teams: [], prices: [], operators: ['ops@example.com'], budgets };
    await evaluate('2026-11-12T00:00:00Z', budgets.slice(1));
    await evaluate('2026-11-12T00:00:00Z', budgets, {}, { locale, costOwners });
    const mail = (await fixture.mails()).at(-1);
    await expect(mail?.text ?? '').toMatchFileSnapshot(approved('jobs/forecast', locale));
  });

  it('is the same in the figures and in the budgets of a report, with its usual error', async () => {
    await using fixture = await landed();
    await fixture.evaluate('2026-11-12T00:00:00Z', budgets);
    const context = {
      ...fixture.context,
      slot: unixMillis(Date.parse('2026-11-12T06:00:00Z')),
      reportDirectories: [join(import.meta.dirname, '../../../reports')],
      costOwners: { teams: [], prices: [], operators: [], budgets },
    };
    const { rendered } = await composeReport({ report: 'spend-summary', period: 'yesterday' }, context);
    expect(rendered.text).toMatch(/Forecast +\$988\.29/);
    expect(rendered.text).toMatch(/usual error 0\.5%.*0\.7%/);
    expect(rendered.text).toMatch(/all \(month\).*\$988\.29 ± 0\.5%/);
    const mostly = { report: 'spend-summary', period: 'yesterday', filters: { keys: ['prod'] } };
    const { rendered: part } = await composeReport(mostly, context);
    expect(part.text).not.toContain('usual error');
  });

  it('is stored once a day, the first of each day, and goes on with the days that end', async () => {
    await using fixture = await landed();
    const { warehouse, evaluate, land } = fixture;
    await evaluate('2026-11-12T00:00:00Z', budgets);
    const [first] = await warehouse.forecasts.issued('main', subject);
    await evaluate('2026-11-12T00:00:00Z', budgets);
    expect(await warehouse.forecasts.issued('main', subject)).toEqual([first]);
    await land('2026-11-12T00:00:00Z', '2026-11-14T06:00:00Z', callsOf('2026-11-12', 2));
    await evaluate('2026-11-14T06:00:00Z', budgets);
    expect(await warehouse.forecasts.issued('main', subject)).toMatchObject([
      { day: 11, method: 'pace' },
      { day: 13, method: 'model' },
    ]);
    const [kept] = await warehouse.forecasts.kept('main');
    expect(JSON.parse(kept?.content ?? '')).toMatchObject({ first: '2025-11-14', model: { days: 365 } });
  });

  it('is without days that are expected, from the next evaluation on', async () => {
    await using fixture = await landed();
    const { warehouse, evaluate } = fixture;
    await evaluate('2026-11-12T00:00:00Z', budgets);
    const [before] = await warehouse.forecasts.kept('main');
    const days = { account: 'main', first: '2026-11-01', last: '2026-11-07' };
    await warehouse.alerts.expect({ ...days, reason: 'sale', by: 'person ann', at: unixMillis(0) });
    await evaluate('2026-11-12T00:00:00Z', budgets);
    const [after] = await warehouse.forecasts.kept('main');
    expect(JSON.parse(after?.content ?? '')).toMatchObject({ expected: ['2026-11-01 2026-11-07'] });
    expect(after?.content).not.toBe(before?.content);
    await warehouse.alerts.forget(days, 'person ann', unixMillis(1));
    await evaluate('2026-11-12T00:00:00Z', budgets);
    expect(await warehouse.forecasts.kept('main')).toEqual([before]);
  });

  it('is of each scope, zone and first day by itself, and no scope that is gone is kept', async () => {
    await using fixture = await landed();
    const { warehouse, evaluate, land } = fixture;
    const others = [
      budgetOf({ name: 'prod', scope: { kind: 'keys', name: 'prod' }, anchorDay: 15 }),
      budgetOf({ name: 'gpt', scope: { kind: 'model', name: 'gpt-*' }, zone: 'Asia/Shanghai' }),
    ];
    await evaluate('2026-11-12T00:00:00Z', [...budgets, ...others]);
    const keptNow = async () =>
      (await warehouse.forecasts.kept('main')).map(
        ({ scope, zone, anchorDay }) => `${scope} ${zone} ${anchorDay}`,
      );
    expect(await keptNow()).toEqual(['account UTC 1', 'keys prod UTC 15', 'model gpt-* Asia/Shanghai 1']);
    await land('2026-11-12T00:00:00Z', '2026-12-02T00:00:00Z', callsOf('2026-11-12', 20));
    await evaluate('2026-12-02T00:00:00Z', budgets);
    expect(await keptNow()).toEqual(['account UTC 1']);
  });
});
