import { describe, expect, it } from 'vitest';
import {
  addMoney,
  interval,
  money,
  multiplyMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
} from '../../../src/core/index.ts';
import { composeReport, type JobContext } from '../../../src/jobs/index.ts';
import { convert, rateOf } from '../../../src/jobs/report/accounts/convert.ts';
import { approved, titled } from '../../support/approved.ts';
import { batchOf, openInMemory, type TestFolder } from '../../warehouse/support.ts';
import { openAlertFixture } from '../alert/alert-fixture.ts';

const at = (text: string) => unixSeconds(Date.parse(text) / 1000);
const [start, end] = [at('2026-11-01T00:00:00Z'), at('2026-11-12T00:00:00Z')];

const usd = [{ unit: 'USD', perCurrency: money('0.139') }];
const cny = [{ unit: 'CNY', perCurrency: money('7.2') }];

describe('the rate of an account', () => {
  it.each([
    ['of its own currency', { from: 'USD', to: 'USD', declared: { USD: money('9') } }, '1', 'own'],
    [
      'that is declared',
      { from: 'CNY', to: 'USD', declared: { CNY: money('0.14') }, own: usd },
      '0.14',
      'declared',
    ],
    ['that its gateway shows', { from: 'CNY', to: 'USD', own: usd, other: cny }, '0.139', 'gateway'],
    ['that the other gateway shows', { from: 'CNY', to: 'USD', other: cny }, '0.138888888889', 'gateway'],
  ] as const)('is the one %s', (_, given, rate, from) => {
    expect(rateOf({ declared: {}, own: [], other: [], ...given })).toEqual({ rate, from });
  });

  it('is unknown where nothing shows one', () => {
    expect(rateOf({ from: 'CNY', to: 'USD', declared: { USD: money('7') }, own: cny, other: usd })).toBe(
      undefined,
    );
  });
});

type Landed = { readonly name: string; readonly currency: string; readonly charges: readonly string[] };

const landed: readonly Landed[] = [
  { name: 'main', currency: 'USD', charges: ['1.000000000001', '0.333333333333', '2.5'] },
  { name: 'lab-قسم', currency: 'USD', charges: ['0.1', '0.2'] },
  { name: '研发', currency: 'CNY', charges: ['7.123456789012', '0.000000000001', '3'] },
];

/** Three accounts with calls on November 10 and 11, in one database. */
const openAccounts = async (rates: NonNullable<JobContext['accounts']>['rates']) => {
  let folder: TestFolder | undefined;
  const fixture = await openAlertFixture(async (own) => openInMemory((folder = own)));
  if (folder === undefined) throw new RangeError('the fixture has no folder');
  for (const { name, currency, charges } of landed)
    await fixture.warehouse.logs.landWindow(
      await batchOf(
        folder,
        charges.map((charge, index) => `${at('2026-11-10T09:00:00Z') + index * 3600},gpt-5,key,10,${charge}`),
        {
          account: name,
          window: interval(start, end),
          asked: interval(unixSeconds(start - 1), end),
          amounts: { unitsPerCurrency: 500_000, decimalsWritten: true, form: 'currency' },
          currency,
        },
      ),
    );
  const slot = unixMillis(end * 1000);
  const context: JobContext = {
    ...fixture.context,
    slot,
    reportDirectories: [new URL('../../../reports', import.meta.url).pathname],
    accounts: { all: landed.map(({ name, currency }) => ({ name, currency })), rates },
  };
  return {
    context,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
};

const request = { report: 'accounts', period: { from: '2026-11-08', to: '2026-11-12' } } as const;

describe('the report of all accounts', () => {
  it('sums them in one currency at the rate beside them, to the last decimal', async () => {
    const rate = money('0.1389');
    await using opened = await openAccounts({ CNY: rate });
    const { model } = await composeReport(request, opened.context);
    const parts = landed.map(({ currency, charges }) => {
      const spend = sumMoney(charges.map((charge) => money(charge)));
      return currency === 'USD' ? spend : convert(spend, { rate, from: 'declared' });
    });
    expect(model.headline.value.exact).toBe(sumMoney(parts));
    const [amounts, rates] = model.data.tables;
    const converted = (amounts?.rows ?? []).map(([, value]) => money(value ?? ''));
    expect(converted.reduce(addMoney)).toBe(model.headline.value.exact);
    // Each part is its amount at the rate beside it, rounded at the twelfth decimal.
    for (const [index, [, amount, , shown]] of (rates?.rows ?? []).entries())
      expect(convert(money(amount ?? ''), { rate: money(shown ?? ''), from: 'own' })).toBe(converted[index]);
    expect(multiplyMoney(money('10.123456789013'), rate)).not.toBe(parts[2]);
  });

  it('is unknown as a whole while a rate or the data of an account is, and says which', async () => {
    await using opened = await openAccounts({});
    const texts: (readonly [string, string])[] = [];
    for (const locale of ['en', 'de', 'zh'] as const) {
      const { model, rendered } = await composeReport({ ...request, locale }, opened.context);
      expect(model.headline.value.exact).toBe(null);
      texts.push([locale, rendered.text]);
    }
    await expect(titled(texts)).toMatchFileSnapshot(approved('jobs/accounts'));
    const earlier = { ...request, period: { from: '2026-10-25', to: '2026-11-05' } };
    const { model } = await composeReport(earlier, opened.context);
    expect(model.headline.value.exact).toBe(null);
  });

  it('is empty in a report on a part of the account', async () => {
    await using opened = await openAccounts({ CNY: money('0.14') });
    const { model } = await composeReport({ ...request, filters: { keys: ['key'] } }, opened.context);
    expect(model.headline.value.exact).toBe(null);
    expect(model.data.tables.flatMap(({ rows }) => rows)).toEqual([]);
  });
});
