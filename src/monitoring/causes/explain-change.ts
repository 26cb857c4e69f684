import {
  absoluteMoney,
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  zero,
  type Money,
} from '../../core/index.ts';
import type { TokenClass } from '../../warehouse/index.ts';
import {
  divide,
  inProportion,
  multiply,
  none,
  ofMoney,
  ratio,
  subtract,
  toUnits,
  unitsToMoney,
  whole,
  type Rational,
} from './rational.ts';

/** The calls of one model and key in one period. */
export type Usage = {
  readonly calls: number;
  readonly tokens: Readonly<Partial<Record<TokenClass, bigint>>>;
  /** Calls of which the export does not state all tokens. */
  readonly unstatedCalls?: number;
  /** Consumption, before refunds. */
  readonly charge: Money;
  /** As a positive amount. */
  readonly refunds: Money;
};

export type ChangedCell = {
  readonly model: string;
  readonly key: string;
  readonly before: Usage;
  readonly after: Usage;
};

/** The factors of a change, in the order in which they are applied. */
export const causeFactors = [
  'volume',
  'mix',
  'length',
  'cache',
  'price',
  'unstated-tokens',
  'fixed-price',
  'refunds',
] as const;
export type CauseFactor = (typeof causeFactors)[number];

/** What one model and key contribute to a part. */
export type Contribution = {
  readonly model: string;
  readonly key: string;
  readonly amount: Money;
  /** Without calls in the earlier period; of refunds, also without refunds in it. */
  readonly isNew: boolean;
  /** Without calls in the later period; of refunds, also without refunds in it. */
  readonly isGone: boolean;
};

export type CausePart = {
  readonly factor: CauseFactor;
  readonly amount: Money;
  /** The largest contributions in the direction of the part, at most 3. */
  readonly top: readonly Contribution[];
};

/** A change of spend as the sum of its causes. */
export type Waterfall = {
  readonly before: Money;
  readonly after: Money;
  readonly change: Money;
  /** One for each factor, in their order; the amounts add up to `change` exactly. */
  readonly parts: readonly CausePart[];
};

/** The price of a token of each class, in any unit: only their ratios count. */
export type ClassPrices = Readonly<Partial<Record<TokenClass, Money>>>;

/** The classes among which caching shifts tokens. */
const cacheGroup: readonly TokenClass[] = [
  'input_uncached_tokens',
  'input_cache_read_tokens',
  'input_cache_write_tokens',
];

const countOf = ({ tokens }: Usage, name: TokenClass): bigint => tokens[name] ?? 0n;

const hasTokens = ({ tokens }: Usage): boolean => Object.values(tokens).some((count) => count !== 0n);

/** The classes that occur in either period. */
const classesOf = ({ before, after }: ChangedCell): readonly TokenClass[] =>
  ([...new Set([...Object.keys(before.tokens), ...Object.keys(after.tokens)])] as TokenClass[]).filter(
    (name) => countOf(before, name) !== 0n || countOf(after, name) !== 0n,
  );

const lacksTokens = ({ unstatedCalls = 0 }: Usage): boolean => unstatedCalls > 0;

/**
 * Whether the tokens of the periods can't be compared: those of one lack some that the other has, which would pass for a
 * change of prices.
 */
const isUnstated = ({ before, after }: ChangedCell): boolean => {
  const usages = [before, after];
  if (!usages.some(lacksTokens)) return false;
  return !usages.every((usage) => usage.unstatedCalls === usage.calls && hasTokens(usage));
};

/** Whether a usage is charged by the token. */
const isByToken = (usage: Usage): boolean => hasTokens(usage) || lacksTokens(usage);

/** The part of a usage that is charged by the token; nothing of it if it has no tokens. */
type Priced = { readonly calls: bigint; readonly charge: Rational };

const pricedOf = (usage: Usage): Priced =>
  isByToken(usage)
    ? { calls: BigInt(usage.calls), charge: ofMoney(usage.charge) }
    : { calls: 0n, charge: none };

type Weighted = { readonly name: TokenClass; readonly weight: bigint };

const weigh = (usage: Usage, classes: readonly Weighted[]): bigint =>
  classes.reduce((total, { name, weight }) => total + weight * countOf(usage, name), 0n);

/** The classes with their prices as weights. Without a price for every class, each token weighs the same. */
const weightsOf = (cell: ChangedCell, prices: ClassPrices | undefined): readonly Weighted[] => {
  const classes = classesOf(cell);
  const even = classes.map((name) => ({ name, weight: 1n }));
  const known = classes.flatMap((name) => prices?.[name] ?? []);
  if (known.length < classes.length) return even;
  const weights = inProportion(known);
  const weighted = classes.map((name, at) => ({ name, weight: weights[at] ?? 0n }));
  return [cell.before, cell.after].every((usage) => weigh(usage, weighted) > 0n) ? weighted : even;
};

/** The weight of the later tokens, with their input split by caching as in the earlier period. */
const weighWithOldCache = ({ before, after }: ChangedCell, classes: readonly Weighted[]): Rational => {
  const group = classes.filter(({ name }) => cacheGroup.includes(name));
  const count = (usage: Usage): bigint => group.reduce((total, { name }) => total + countOf(usage, name), 0n);
  const old = count(before);
  const now = weigh(after, classes);
  if (old === 0n) return whole(now);
  const others = now - weigh(after, group);
  return ratio(others * old + count(after) * weigh(before, group), old);
};

type Factors = { readonly [Factor in CauseFactor]: Rational };

/** What one cell contributes to each factor. `growth` is the ratio of all token-priced calls. */
const factorsOf = (
  cell: ChangedCell,
  prices: ClassPrices | undefined,
  { growth, isFirst }: { readonly growth: Rational; readonly isFirst: boolean },
): Factors => {
  const [old, now] = [pricedOf(cell.before), pricedOf(cell.after)];
  const fixed = (usage: Usage): Rational => (isByToken(usage) ? none : ofMoney(usage.charge));
  const shared = {
    'fixed-price': subtract(fixed(cell.after), fixed(cell.before)),
    refunds: subtract(ofMoney(cell.before.refunds), ofMoney(cell.after.refunds)),
  };
  const change = subtract(now.charge, old.charge);
  const rest = {
    volume: none,
    mix: none,
    length: none,
    cache: none,
    price: none,
    'unstated-tokens': none,
  };
  // Without calls, tokens are no use of the gateway that could be counted.
  if ([cell.before, cell.after].some((usage) => usage.calls === 0 && hasTokens(usage)))
    return { ...rest, ...shared, price: change };
  // Without any calls before, all of the later ones are volume.
  if (isFirst) return { ...rest, ...shared, volume: change };
  const volume = subtract(multiply(old.charge, growth), old.charge);
  const isKept = old.calls !== 0n && now.calls !== 0n;
  const atOldCost = isKept ? multiply(old.charge, ratio(now.calls, old.calls)) : now.charge;
  const mix = subtract(atOldCost, multiply(old.charge, growth));
  if (!isKept) return { ...rest, ...shared, volume, mix };
  if (isUnstated(cell))
    return { ...rest, ...shared, volume, mix, 'unstated-tokens': subtract(now.charge, atOldCost) };
  const classes = weightsOf(cell, prices);
  const scale = divide(old.charge, whole(weigh(cell.before, classes)));
  const uncached = multiply(scale, weighWithOldCache(cell, classes));
  const atOldPrices = multiply(scale, whole(weigh(cell.after, classes)));
  return {
    ...rest,
    ...shared,
    volume,
    mix,
    length: subtract(uncached, atOldCost),
    cache: subtract(atOldPrices, uncached),
    price: subtract(now.charge, atOldPrices),
  };
};

const spendOf = (cells: readonly ChangedCell[], period: 'before' | 'after'): Money =>
  subtractMoney(
    sumMoney(cells.map((cell) => cell[period].charge)),
    sumMoney(cells.map((cell) => cell[period].refunds)),
  );

/** The usage of so many days like this one. */
const times = ({ calls, tokens, unstatedCalls = 0, charge, refunds }: Usage, days: bigint): Usage => ({
  calls: calls * Number(days),
  tokens: Object.fromEntries(Object.entries(tokens).map(([name, count]) => [name, count * days])),
  unstatedCalls: unstatedCalls * Number(days),
  charge: multiplyMoney(charge, money(String(days))),
  refunds: multiplyMoney(refunds, money(String(days))),
});

const mostNamed = 3;

type Explained = { readonly cell: ChangedCell; readonly units: Readonly<Record<CauseFactor, bigint>> };

/** Names in a fixed order, so that equal amounts are always named alike. */
const byName = (left: ChangedCell, right: ChangedCell): number =>
  [left.model, left.key].join('\n') < [right.model, right.key].join('\n') ? -1 : 1;

/** A refund without calls is of an earlier period's calls: it is no sign that the key is new or gone. */
const isAbsent = ({ calls, refunds }: Usage, factor: CauseFactor): boolean =>
  calls === 0 && (factor !== 'refunds' || compareMoney(refunds, zero) === 0);

const topOf = (cells: readonly Explained[], factor: CauseFactor, amount: Money): readonly Contribution[] => {
  const sign = compareMoney(amount, zero) > 0 ? 1n : -1n;
  return cells
    .filter(({ units }) => units[factor] * sign > 0n)
    .sort((left, right) => {
      const by = (right.units[factor] - left.units[factor]) * sign;
      if (by !== 0n) return by > 0n ? 1 : -1;
      return byName(left.cell, right.cell);
    })
    .slice(0, mostNamed)
    .map(({ cell: { model, key, before, after }, units }) => ({
      model,
      key,
      amount: unitsToMoney(units[factor]),
      isNew: isAbsent(before, factor),
      isGone: isAbsent(after, factor),
    }))
    .filter((one) => compareMoney(one.amount, zero) !== 0);
};

/**
 * The change of spend between two periods as a waterfall over models and keys: volume (calls), mix (shares of models and
 * keys in the calls), length (tokens a call by class), cache (share of cached input), price of a token, what
 * cannot be divided among these three because tokens are not stated, fixed-price calls, refunds. Computed as fractions; each part is rounded once, and the rounding goes to the largest, so that the
 * parts add up to the change exactly. Without prices of all classes of a model, an effect of caching is part of its
 * price. With `averagedDays`, the earlier usage is the sum of so many days and the later one is of a single day: the
 * change is that against the average day.
 */
export const explainChange = (
  given: readonly ChangedCell[],
  pricesOf: (model: string) => ClassPrices | undefined,
  averagedDays = 1,
): Waterfall => {
  const days = BigInt(averagedDays);
  const cells = days === 1n ? given : given.map((cell) => ({ ...cell, after: times(cell.after, days) }));
  const counted = cells.filter(({ before, after }) =>
    [before, after].every((usage) => usage.calls > 0 || !hasTokens(usage)),
  );
  const callsOf = (period: 'before' | 'after'): bigint =>
    counted.reduce((total, cell) => total + pricedOf(cell[period]).calls, 0n);
  const [oldCalls, nowCalls] = [callsOf('before'), callsOf('after')];
  const context = { growth: ratio(nowCalls, oldCalls), isFirst: oldCalls === 0n };
  const explained = cells.map((cell): Explained => {
    const factors = factorsOf(cell, pricesOf(cell.model), context);
    const units = Object.fromEntries(
      causeFactors.map((factor) => [factor, toUnits(divide(factors[factor], whole(days)))]),
    ) as Record<CauseFactor, bigint>;
    return { cell, units };
  });
  const earlier = spendOf(cells, 'before');
  const before = days === 1n ? earlier : unitsToMoney(toUnits(divide(ofMoney(earlier), whole(days))));
  const after = spendOf(given, 'after');
  const change = subtractMoney(after, before);
  const amounts = new Map(
    causeFactors.map((factor) => [
      factor,
      unitsToMoney(explained.reduce((total, { units }) => total + units[factor], 0n)),
    ]),
  );
  // The rounding goes to the largest part: elsewhere it could pass for a cause.
  const [largest = 'price'] = causeFactors.toSorted((left, right) =>
    compareMoney(absoluteMoney(amounts.get(right) ?? zero), absoluteMoney(amounts.get(left) ?? zero)),
  );
  const others = sumMoney(
    causeFactors.flatMap((factor) => (factor === largest ? [] : [amounts.get(factor) ?? zero])),
  );
  amounts.set(largest, subtractMoney(change, others));
  return {
    before,
    after,
    change,
    parts: causeFactors.map((factor) => {
      const amount = amounts.get(factor) ?? zero;
      return {
        factor,
        amount,
        top: compareMoney(amount, zero) === 0 ? [] : topOf(explained, factor, amount),
      };
    }),
  };
};
