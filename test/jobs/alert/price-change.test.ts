import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localeTags, type LocaleTag } from '../../../src/core/index.ts';
import type { ModelPrice } from '../../../src/warehouse/index.ts';
import { pricedCalls, usualPrices, type SeriesPrices } from '../../bench/price-series.ts';
import { approved } from '../../support/approved.ts';
import { openInMemory, type TestFolder } from '../../warehouse/support.ts';
import { counts, landCalls, type LoggedCall } from '../../warehouse/tokens/tokens-support.ts';
import { openAlertFixture, type AlertFixture } from './alert-fixture.ts';

const start = Date.UTC(2026, 10, 1) / 1000;
const days = 9;
const end = new Date((start + days * 86_400) * 1000).toISOString();
const settings = { price_change: true };

/** The start of the last day. */
const earlier = new Date((start + (days - 1) * 86_400) * 1000).toISOString();

/** 06:00 on the last day. */
const change = start + (days - 1) * 86_400 + 6 * 3600;

const after =
  (prices: Partial<SeriesPrices>) =>
  (at: number): SeriesPrices =>
    at >= change ? { ...usualPrices, ...prices } : usualPrices;

const callsOf = (
  pricesAt: (at: number) => SeriesPrices,
  { model = 'in-gpt', key = 'prod', seed = 1 } = {},
): readonly LoggedCall[] =>
  pricedCalls(seed, { start, days, perDay: 300 }, pricesAt).map(
    ({ at, prompt, cached, completion, quota }) => ({
      at,
      model,
      key,
      prompt_tokens: prompt,
      cached_tokens: cached,
      completion_tokens: completion,
      quota,
    }),
  );

const unserved = counts.filter(
  (name) => !['prompt_tokens', 'completion_tokens', 'cached_tokens'].includes(name),
);

type Landed = AlertFixture & {
  readonly landMore: (calls: readonly LoggedCall[], day: number) => Promise<void>;
};

const landed = async (calls: readonly LoggedCall[]): Promise<Landed> => {
  let folder: TestFolder | undefined;
  const fixture = await openAlertFixture((given) => {
    folder = given;
    return openInMemory(given);
  });
  await fixture.warehouse.tokens.configure(
    'main',
    { 'in-*': 'includes_cache' },
    { 'in-*': 'includes_reasoning' },
  );
  const land = async (more: readonly LoggedCall[], from: number, length: number): Promise<void> => {
    if (folder === undefined) throw new Error('the warehouse is not open');
    await landCalls(fixture.warehouse, folder, more, { from, days: length, without: unserved });
  };
  const isLast = ({ at = start }: LoggedCall): boolean => at >= start + (days - 1) * 86_400;
  await land(
    calls.filter((call) => !isLast(call)),
    start,
    days - 1,
  );
  // What is judged later is judged by prices of before.
  await evaluated(fixture, { at: earlier });
  const landMore = (more: readonly LoggedCall[], day: number) => land(more, start + day * 86_400, 1);
  await landMore(calls.filter(isLast), days - 1);
  return { ...fixture, landMore };
};

const evaluated = async (
  fixture: AlertFixture,
  {
    locale = 'en',
    at = end,
    prices = [],
  }: { locale?: LocaleTag; at?: string; prices?: readonly ModelPrice[] } = {},
) =>
  fixture.evaluate(at, [], settings, {
    locale,
    costOwners: { teams: [], prices, operators: ['ops@example.com'], budgets: [] },
  });

const firingOf = async ({ warehouse }: AlertFixture) =>
  (await warehouse.alerts.firing()).map(({ alert, level }) => `${alert} ${level}`);

describe('an alert about the price of a model', () => {
  describe.each(localeTags)('in %s', (locale) => {
    let fixture: Landed;
    beforeAll(async () => {
      fixture = await landed(callsOf(after({ input: 2.1e-6, output: 0 })));
    });
    afterAll(() => fixture[Symbol.asyncDispose]());

    it('has the prices before and after, the first call, what it costs, and how often it is wrong', async () => {
      await evaluated(fixture, { locale });
      await evaluated(fixture, { locale });
      const mails = await fixture.mails();
      expect(mails).toHaveLength(1);
      await expect(`${mails[0]?.subject}\n\n${mails[0]?.text}`).toMatchFileSnapshot(
        approved('jobs/price-change', locale),
      );
    });
  });

  it.each<[string, Partial<SeriesPrices>, string]>([
    ['a price that rose by 5 %', { input: 2.1e-6 }, 'changed'],
    ['all prices that rose by 5 %', { input: 2.1e-6, cached: 0.525e-6, output: 8.4e-6 }, 'changed'],
    ['tokens that are no longer billed', { output: 0 }, 'unbilled'],
  ])('finds %s', async (_, prices, level) => {
    await using fixture = await landed(callsOf(after(prices)));
    await evaluated(fixture);
    expect(await firingOf(fixture)).toEqual([`price-change:in-gpt ${level}`]);
  });

  it('finds the price of one key, where keys have prices of their own', async () => {
    const half = { input: 1e-6, cached: 0.25e-6, output: 4e-6 };
    await using fixture = await landed([
      ...callsOf(after({ input: 2.2e-6 })),
      ...callsOf(() => half, { key: 'test', seed: 2 }),
    ]);
    await evaluated(fixture);
    expect(await firingOf(fixture)).toEqual(['price-change:in-gpt changed']);
    expect((await fixture.mails())[0]?.text).toContain('with the key prod');
  });

  it.each<[string, (at: number) => SeriesPrices]>([
    ['prices that stay', () => usualPrices],
    ['a class that was free from the start', () => ({ ...usualPrices, cached: 0 })],
  ])('is not sent for %s', async (_, pricesAt) => {
    await using fixture = await landed(callsOf(pricesAt));
    await evaluated(fixture);
    expect(await firingOf(fixture)).toEqual([]);
  });

  it.each<[string, Partial<SeriesPrices>, Partial<Record<'input' | 'cached' | 'output', string>>, string]>([
    [
      'prices that are not those of the configuration',
      {},
      { input: '1.9', cached: '0.5', output: '8' },
      'listed',
    ],
    ['a class that is free, with a price in the configuration', { cached: 0 }, { cached: '0.5' }, 'listed'],
    ['cached input that costs as much as other input', { cached: 2e-6 }, {}, 'cache'],
  ])('finds %s', async (_, prices, listed, level) => {
    await using fixture = await landed(callsOf(() => ({ ...usualPrices, ...prices })));
    const given = { pattern: 'in-*', currency: 'USD', ...listed } as unknown as ModelPrice;
    await evaluated(fixture, { prices: Object.keys(listed).length === 0 ? [] : [given] });
    expect(await firingOf(fixture)).toEqual([`price-change:in-gpt ${level}`]);
  });

  it('goes on for a week, in which the new prices become the usual ones, and ends without a mail', async () => {
    await using fixture = await landed(callsOf(after({ input: 2.2e-6 })));
    await evaluated(fixture);
    const [mail] = await fixture.mails();
    expect(mail).toBeDefined();
    for (let day = days; day < days + 8; day += 1) {
      const more = pricedCalls(
        day,
        { start: start + day * 86_400, days: 1, perDay: 300 },
        after({ input: 2.2e-6 }),
      );
      await fixture.landMore(
        more.map(({ at, prompt, cached, completion, quota }) => ({
          at,
          model: 'in-gpt',
          key: 'prod',
          prompt_tokens: prompt,
          cached_tokens: cached,
          completion_tokens: completion,
          quota,
        })),
        day,
      );
      await evaluated(fixture, { at: new Date((start + (day + 1) * 86_400) * 1000).toISOString() });
    }
    expect(await firingOf(fixture)).toEqual([]);
    expect(await fixture.mails()).toHaveLength(1);
  });

  it('is not sent without the setting', async () => {
    await using fixture = await landed(callsOf(after({ input: 2.2e-6 })));
    await fixture.evaluate(end, []);
    expect(await firingOf(fixture)).toEqual([]);
  });
});
