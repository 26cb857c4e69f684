import type { PricedClass, UnixSeconds } from '../../core/index.ts';
import type { LogPrices, PricedQuarter } from '../../warehouse/index.ts';

/** A class whose price is another one; prices of one token in doubles. */
export type ChangedPrice = {
  readonly class: PricedClass;
  readonly before: number;
  readonly after: number;
};

/** What is wrong with a price. `unbilled`: it fell to zero. `listed`: it is not that of the configuration. `cache`: cached input costs no less than other input. */
export const priceReasons = ['changed', 'unbilled', 'listed', 'cache'] as const;

export type PriceReason = (typeof priceReasons)[number];

export type PriceFinding = {
  readonly reason: PriceReason;
  /** `before` of `listed` is the price of the configuration, of `cache` that of uncached input. */
  readonly classes: readonly ChangedPrice[];
};

/** Fewer calls that deviate are no change: a single charge may be wrong. */
const leastDeviating = 20;

/** The share of calls by which known prices may be missed; more, and they explain nothing. */
const mostMissed = 0.01;

/** Differences of prices that are none, by the price: two fits of the same prices, and a list that is rounded. */
const sameFit = 0.005;
const sameList = 0.02;

/** The share of the charge below which a class shows nothing. */
const leastShare = 0.1;

/** A price below this share of the one before fell to zero. */
const nothing = 0.02;

const total = (quarters: readonly PricedQuarter[], of: 'calls' | 'deviating'): number =>
  quarters.reduce((sum, quarter) => sum + quarter[of], 0);

/** Whether prices explain the calls that they were fitted to, one by one. */
export const explains = (quarters: readonly PricedQuarter[]): boolean =>
  total(quarters, 'deviating') <= mostMissed * total(quarters, 'calls');

/**
 * The first call that shows other prices, where enough calls do: the quarter hours are divided where the share of calls that deviate changes most.
 * Quarters are ascending. Pure.
 */
export const firstDeviating = (quarters: readonly PricedQuarter[]): UnixSeconds | undefined => {
  const [calls, deviating] = [total(quarters, 'calls'), total(quarters, 'deviating')];
  if (deviating < leastDeviating || deviating <= mostMissed * calls) return undefined;
  let [best, from] = [Number.NEGATIVE_INFINITY, 0];
  let [callsAfter, deviatingAfter] = [0, 0];
  for (let at = quarters.length - 1; at >= 0; at -= 1) {
    callsAfter += quarters[at]?.calls ?? 0;
    deviatingAfter += quarters[at]?.deviating ?? 0;
    const gain = deviatingAfter / deviating - callsAfter / calls;
    // Of equal divisions the earlier one: all calls may deviate.
    if (gain >= best) [best, from] = [gain, at];
  }
  return quarters.slice(from).find(({ first }) => first !== undefined)?.first;
};

const classesOf = (...prices: readonly LogPrices[]): readonly PricedClass[] =>
  [...new Set(prices.flatMap((one) => Object.keys(one.prices) as PricedClass[]))].toSorted();

const isLarge = (name: PricedClass, ...prices: readonly LogPrices[]): boolean =>
  prices.some(({ shares }) => (shares[name] ?? 0) >= leastShare);

/** What prices changed to, of the classes that matter. A class without a price in one of both says nothing. */
export const changedPrices = (before: LogPrices, after: LogPrices): readonly PriceFinding[] => {
  const changed = classesOf(before, after).flatMap((name): readonly ChangedPrice[] => {
    const [old, now] = [before.prices[name], after.prices[name]];
    if (old === undefined || now === undefined || old <= 0 || !isLarge(name, before, after)) return [];
    return Math.abs(now - old) > sameFit * old ? [{ class: name, before: old, after: now }] : [];
  });
  const isUnbilled = (one: ChangedPrice): boolean => one.after <= nothing * one.before;
  const findings = [
    { reason: 'unbilled', classes: changed.filter(isUnbilled) },
    { reason: 'changed', classes: changed.filter((one) => !isUnbilled(one)) },
  ] as const;
  return findings.filter(({ classes }) => classes.length > 0);
};

/** What is wrong with prices by themselves: beside those of the configuration (of one token), and between the classes. */
export const wrongPrices = (
  prices: LogPrices,
  listed: Readonly<Partial<Record<PricedClass, number>>>,
): readonly PriceFinding[] => {
  const differing = classesOf(prices).flatMap((name): readonly ChangedPrice[] => {
    const [listedPrice, now] = [listed[name], prices.prices[name]];
    if (listedPrice === undefined || now === undefined || listedPrice <= 0) return [];
    // A class that is free costs no share of the charge.
    const matters = isLarge(name, prices) || now <= nothing * listedPrice;
    return matters && Math.abs(now - listedPrice) > sameList * listedPrice
      ? [{ class: name, before: listedPrice, after: now }]
      : [];
  });
  const [uncached, cached] = [prices.prices.input_uncached_tokens, prices.prices.input_cache_read_tokens];
  const isDear =
    uncached !== undefined &&
    cached !== undefined &&
    uncached > 0 &&
    isLarge('input_cache_read_tokens', prices) &&
    cached >= uncached * (1 - sameFit);
  return [
    ...(differing.length === 0 ? [] : [{ reason: 'listed' as const, classes: differing }]),
    ...(isDear
      ? [
          {
            reason: 'cache' as const,
            classes: [{ class: 'input_cache_read_tokens' as const, before: uncached, after: cached }],
          },
        ]
      : []),
  ];
};
