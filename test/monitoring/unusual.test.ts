import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../src/core/index.ts';
import {
  changedPrices,
  explains,
  findUnusual,
  firstDeviating,
  judgeKey,
  wrongPrices,
  type SpentHour,
} from '../../src/monitoring/index.ts';
import type { LogPrices, PricedQuarter } from '../../src/warehouse/index.ts';

const hour = 3600;
const day = 24 * hour;
/** A Monday. */
const start = Date.UTC(2026, 0, 5) / 1000;

/** Three weeks with 50 calls an hour, on weekends with 40 % of them. */
const weeks = (change: (at: number, usual: number) => number = (_, usual) => usual): Map<number, SpentHour> =>
  new Map(
    Array.from({ length: 21 * 24 }, (_, index): [number, SpentHour] => {
      const at = start + index * hour;
      const usual = Math.floor(index / 24) % 7 >= 5 ? 20 : 50;
      const calls = change(at, usual);
      return [at, { calls, spend: calls / 10 }];
    }),
  );

const judged = (
  hours: Map<number, SpentHour>,
  end: number,
  isExpected: (at: number) => boolean = () => false,
) => findUnusual({ hours, end: unixSeconds(end), known: unixSeconds(start), floor: 1, isExpected });

describe('unusual spend', () => {
  const wednesday = start + 16 * day + 10 * hour;
  const spike = (at: number, factor = 3) => weeks((one, usual) => (one === at ? factor * usual : usual));

  it('is found in an hour of three times its spend, from that hour on for a day', () => {
    for (const later of [1, 12, 24])
      expect(judged(spike(wednesday), wednesday + later * hour)).toMatchObject({
        window: 'hour',
        spend: 15,
        usual: 5,
        usualCalls: 50,
        since: wednesday,
      });
    expect(judged(spike(wednesday), wednesday)).toBeUndefined();
    expect(judged(spike(wednesday), wednesday + 25 * hour)).toBeUndefined();
  });

  it('is not found in usual weeks, at any hour of the third', () => {
    for (let end = start + 14 * day; end <= start + 21 * day; end += hour)
      expect(judged(weeks(), end)).toBeUndefined();
  });

  it('is found on a weekend against weekends, of which two are known', () => {
    const sunday = start + 20 * day + 12 * hour;
    const busy = weeks((one, usual) => (one === sunday ? 6 : 2) * usual);
    expect(judged(busy, sunday + hour)).toMatchObject({ since: sunday, usual: 4 });
  });

  it('is not found in what comes once a week, nor a week after a holiday', () => {
    const weekly = weeks((one, usual) => ((one - start) % (7 * day) === 2 * hour ? 10 * usual : usual));
    const holiday = weeks((one, usual) =>
      one >= start + 8 * day && one < start + 9 * day ? 0.1 * usual : usual,
    );
    for (let end = start + 14 * day; end <= start + 17 * day; end += hour) {
      expect(judged(weekly, end)).toBeUndefined();
      expect(judged(holiday, end)).toBeUndefined();
    }
  });

  it('is not found in expected hours, which are not compared with either', () => {
    const isSale = (at: number): boolean => at >= start + 14 * day && at < start + 16 * day;
    const sale = weeks((one, usual) => (isSale(one) ? 5 : 1) * usual);
    expect(judged(sale, start + 15 * day, isSale)).toBeUndefined();
    expect(judged(sale, start + 15 * day)).toBeDefined();
    const after = weeks((one, usual) => (isSale(one) ? 5 * usual : one === wednesday ? 3 * usual : usual));
    expect(judged(after, wednesday + hour, isSale)).toMatchObject({ window: 'hour', usual: 5 });
  });

  it('is found over a day in what begins to cost', () => {
    const begun = new Map(
      [...weeks().keys()].map((at) => [
        at,
        { calls: at >= wednesday ? 2 : 0, spend: at >= wednesday ? 0.5 : 0 },
      ]),
    );
    expect(judged(begun, wednesday + 4 * hour)).toMatchObject({ window: 'day', spend: 2, usual: 0 });
  });
});

describe('the use of a key', () => {
  const known = {
    before: Array.from({ length: 20 }, () => 2),
    models: new Set(['a']),
    hours: new Set([9]),
  };
  const used = (model: string, at: number, spend: number) => ({
    ...known,
    byModel: new Map([[model, spend]]),
    byHour: new Map([[at, spend]]),
  });

  it('is suspicious for ten times its median with a model or an hour that is new', () => {
    expect(judgeKey(used('b', 9, 50), 10)).toMatchObject({ newModels: ['b'], newHours: [], usual: 2 });
    expect(judgeKey(used('a', 3, 50), 10)).toMatchObject({ newModels: [], newHours: [3] });
    expect(judgeKey(used('a', 9, 500), 10)).toBeUndefined();
    expect(judgeKey(used('b', 3, 19), 10)).toBeUndefined();
    expect(judgeKey({ ...used('b', 3, 50), before: [2, 2] }, 10)).toBeUndefined();
  });

  it('stays so while it costs five times its median', () => {
    expect(judgeKey(used('a', 9, 12), 10, true)).toBeDefined();
    expect(judgeKey(used('a', 9, 9), 5, true)).toBeUndefined();
  });
});

describe('prices that charges show', () => {
  const quarters = (parts: readonly (readonly [number, number])[]): readonly PricedQuarter[] =>
    parts.map(([calls, deviating], at) => ({
      of: 0,
      at: unixSeconds(start + at * 900),
      calls,
      deviating,
      first: deviating === 0 ? undefined : unixSeconds(start + at * 900 + 7),
      charge: 1,
      expected: 1,
    }));
  const prices = (of: LogPrices['prices'], shares: LogPrices['shares']): LogPrices => ({
    model: 'm',
    key: '',
    prices: of,
    perCall: 0,
    shares,
  });
  const half = { input_uncached_tokens: 0.5, output_plain_tokens: 0.5 };
  const usual = prices({ input_uncached_tokens: 2e-6, output_plain_tokens: 8e-6 }, half);

  it('change at the first call from which on calls deviate, also where only some do', () => {
    expect(
      firstDeviating(
        quarters([
          [50, 0],
          [50, 0],
          [50, 50],
          [50, 50],
        ]),
      ),
    ).toBe(start + 2 * 900 + 7);
    expect(
      firstDeviating(
        quarters([
          [50, 1],
          [50, 0],
          [50, 20],
          [50, 22],
        ]),
      ),
    ).toBe(start + 2 * 900 + 7);
    expect(
      firstDeviating(
        quarters([
          [50, 50],
          [50, 50],
        ]),
      ),
    ).toBe(start + 7);
    expect(
      firstDeviating(
        quarters([
          [50, 3],
          [50, 2],
          [50, 4],
        ]),
      ),
    ).toBeUndefined();
  });

  it('explain calls of which at most one in a hundred deviates', () => {
    expect(explains(quarters([[1000, 10]]))).toBe(true);
    expect(explains(quarters([[1000, 11]]))).toBe(false);
  });

  it('are other ones from half a percent on, and of no class with less than a tenth of the charge', () => {
    const after = (of: LogPrices['prices']) => changedPrices(usual, prices({ ...usual.prices, ...of }, half));
    expect(after({ input_uncached_tokens: 2.1e-6 })).toMatchObject([{ reason: 'changed' }]);
    expect(after({ input_uncached_tokens: 2.005e-6 })).toEqual([]);
    expect(after({ output_plain_tokens: 0 })).toMatchObject([{ reason: 'unbilled' }]);
    const small = prices(
      { ...usual.prices, input_cache_read_tokens: 1e-6 },
      { ...half, input_cache_read_tokens: 0.05 },
    );
    expect(
      changedPrices(small, { ...small, prices: { ...small.prices, input_cache_read_tokens: 2e-6 } }),
    ).toEqual([]);
  });

  it('are wrong beside those of the configuration, and where cached input costs no less', () => {
    expect(wrongPrices(usual, { input_uncached_tokens: 1.9e-6 })).toMatchObject([{ reason: 'listed' }]);
    expect(wrongPrices(usual, { input_uncached_tokens: 1.98e-6 })).toEqual([]);
    expect(wrongPrices(usual, {})).toEqual([]);
    const dear = prices(
      { input_uncached_tokens: 2e-6, input_cache_read_tokens: 2e-6 },
      { input_uncached_tokens: 0.6, input_cache_read_tokens: 0.4 },
    );
    expect(wrongPrices(dear, {})).toMatchObject([{ reason: 'cache' }]);
  });
});
