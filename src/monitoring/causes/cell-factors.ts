import {
  decimalPlaces,
  moneyOfUnits,
  roundedQuotient,
  unitsOfMoney,
  zero,
  type Money,
} from '../../core/index.ts';
import type { ClassPrices, TokenClass } from '../../warehouse/index.ts';

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

/** The classes among which caching shifts tokens. */
export const cacheGroup: readonly TokenClass[] = [
  'input_uncached_tokens',
  'input_cache_read_tokens',
  'input_cache_write_tokens',
];

const countOf = ({ tokens }: Usage, name: TokenClass): bigint => tokens[name] ?? 0n;

const hasTokens = ({ tokens }: Usage): boolean => {
  for (const name in tokens) if (tokens[name as TokenClass] !== 0n) return true;
  return false;
};

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

/** Decimals of amounts in the warehouse. */
const places = 12;

/** Further decimals in which cells are computed, so that their rounding reaches no decimal of the result. */
const guard = 28;
const guardUnits = 10n ** BigInt(guard);

/** In units of the last guard decimal. */
export const unitsOf = (amount: Money): bigint =>
  amount === zero ? 0n : unitsOfMoney(amount, places + guard);

export const unitsToMoney = (units: bigint): Money =>
  moneyOfUnits(roundedQuotient(units, guardUnits), places);

/** The part of a usage that is charged by the token, in units; nothing of it if it has no tokens. */
export type Priced = { readonly calls: bigint; readonly charge: bigint };

const nothingPriced: Priced = { calls: 0n, charge: 0n };

const pricedOf = (usage: Usage, charge: bigint): Priced =>
  isByToken(usage) ? { calls: BigInt(usage.calls), charge } : nothingPriced;

/** The charge and the refunds of a usage, in units. */
type Amounts = { readonly charge: bigint; readonly refunds: bigint };

const amountsOf = ({ charge, refunds }: Usage): Amounts => ({
  charge: unitsOf(charge),
  refunds: unitsOf(refunds),
});

/** A cell with its amounts, and with its parts that are charged by the token. */
export type PricedCell = {
  readonly cell: ChangedCell;
  readonly before: Amounts;
  readonly after: Amounts;
  readonly old: Priced;
  readonly now: Priced;
};

/** Whether its calls count: without calls, tokens are no use of the gateway that could be counted. */
const isCounted = ({ before, after }: ChangedCell): boolean =>
  [before, after].every((usage) => usage.calls > 0 || !hasTokens(usage));

/** Nothing of it is among the calls that are charged by the token if its calls do not count. */
const pricedCell = (cell: ChangedCell): PricedCell => {
  const [before, after] = [amountsOf(cell.before), amountsOf(cell.after)];
  return isCounted(cell)
    ? {
        cell,
        before,
        after,
        old: pricedOf(cell.before, before.charge),
        now: pricedOf(cell.after, after.charge),
      }
    : { cell, before, after, old: nothingPriced, now: nothingPriced };
};

/** The prices of a model as whole numbers of one unit: only their ratios count. */
export type ClassWeights = ReadonlyMap<TokenClass, bigint>;

export const weightsOfPrices = (prices: ClassPrices | undefined): ClassWeights => {
  const known = Object.entries(prices ?? {}) as [TokenClass, Money][];
  const decimals = Math.max(0, ...known.map(([, price]) => decimalPlaces(price)));
  return new Map(known.map(([name, price]) => [name, unitsOfMoney(price, decimals)]));
};

type Weighted = { readonly name: TokenClass; readonly weight: bigint };

const weigh = (usage: Usage, classes: readonly Weighted[]): bigint => {
  let total = 0n;
  for (const { name, weight } of classes) total += weight * countOf(usage, name);
  return total;
};

/** The classes with their prices as weights. Without a price for every class, each token weighs the same. */
const weightsOf = (cell: ChangedCell, prices: ClassWeights): readonly Weighted[] => {
  const classes = classesOf(cell);
  const weighted = classes.flatMap((name) => {
    const weight = prices.get(name);
    return weight === undefined ? [] : [{ name, weight }];
  });
  return weighted.length === classes.length &&
    weigh(cell.before, weighted) > 0n &&
    weigh(cell.after, weighted) > 0n
    ? weighted
    : classes.map((name) => ({ name, weight: 1n }));
};

/** The weight of the later tokens, with their input split by caching as in the earlier period: a fraction. */
const weighWithOldCache = (
  { before, after }: ChangedCell,
  classes: readonly Weighted[],
): { readonly over: bigint; readonly under: bigint } => {
  const group = classes.filter(({ name }) => cacheGroup.includes(name));
  const count = (usage: Usage): bigint => group.reduce((total, { name }) => total + countOf(usage, name), 0n);
  const old = count(before);
  const now = weigh(after, classes);
  if (old === 0n) return { over: now, under: 1n };
  return { over: (now - weigh(after, group)) * old + count(after) * weigh(before, group), under: old };
};

const noEffect = {
  length: 0n,
  cache: 0n,
  price: 0n,
  'unstated-tokens': 0n,
  'fixed-price': 0n,
  refunds: 0n,
} satisfies CellEffects['units'];

/** What one cell contributes, whichever cells are explained with it, in units. */
export type CellEffects = PricedCell & {
  /** Of each factor but `volume` and `mix`, which depend on all calls, if there are calls before. */
  readonly units: Readonly<Record<Exclude<CauseFactor, 'volume' | 'mix'>, bigint>>;
  /** The later calls at the earlier charge of a call; the later charge if the cell has no calls in one of the periods. */
  readonly atOldCost: bigint;
};

/** The steps from the earlier charge to the later one. */
export const effectsOf = (cell: ChangedCell, pricesOf: (model: string) => ClassWeights): CellEffects => {
  const priced = pricedCell(cell);
  const { before, after, old, now } = priced;
  const fixed = (usage: Usage, { charge }: Amounts): bigint => (isByToken(usage) ? 0n : charge);
  const shared = {
    ...noEffect,
    'fixed-price': fixed(cell.after, after) - fixed(cell.before, before),
    refunds: before.refunds - after.refunds,
  };
  if (!isCounted(cell)) {
    const price = pricedOf(cell.after, after.charge).charge - pricedOf(cell.before, before.charge).charge;
    return { ...priced, units: { ...shared, price }, atOldCost: 0n };
  }
  if (old.calls === 0n || now.calls === 0n) return { ...priced, units: shared, atOldCost: now.charge };
  const atOldCost = roundedQuotient(old.charge * now.calls, old.calls);
  if (isUnstated(cell))
    return { ...priced, units: { ...shared, 'unstated-tokens': now.charge - atOldCost }, atOldCost };
  const classes = weightsOf(cell, pricesOf(cell.model));
  const weight = weigh(cell.before, classes);
  const uncachedWeight = weighWithOldCache(cell, classes);
  const atPrices = (over: bigint, under: bigint): bigint =>
    weight === 0n ? 0n : roundedQuotient(old.charge * over, weight * under);
  const uncached = atPrices(uncachedWeight.over, uncachedWeight.under);
  const atOldPrices = atPrices(weigh(cell.after, classes), 1n);
  const units = {
    ...shared,
    length: uncached - atOldCost,
    cache: atOldPrices - uncached,
    price: now.charge - atOldPrices,
  };
  return { ...priced, units, atOldCost };
};
