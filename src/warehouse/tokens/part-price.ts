/** Evidence in floating point from the charges of calls; it is never used as money. */
import type { OutputConvention, TokenConvention } from './convention.ts';

/**
 * The counts of a call, in any fixed order. The first two are a whole (prompt, completion) and its part (cached,
 * reasoning).
 */
export type PricedCall = { readonly counts: readonly number[]; readonly charge: number };

/** A price with its error, given that each charge is the sum of its counts at fixed prices, rounded. */
type Price = { readonly value: number; readonly error: number };

export type PartPrice = {
  readonly shows: TokenConvention | OutputConvention;
  readonly calls: number;
  /** The charge that one more token of the whole, and one more of the part, adds. */
  readonly whole: Price;
  readonly part: Price;
};

type Judge = (whole: Price, part: Price) => PartPrice['shows'] | undefined;

type Column = readonly number[];

/** Minimum number of calls beyond the number of prices for a valid fit. */
const spareCalls = 20;
/** Minimum number of distinct calls with tokens of the part. */
export const partCalls = 10;
/** A column with a smaller independent fraction provides no evidence of its own. */
const ownPart = 1e-6;
/** A price below this fraction of the price of a token of the whole counts as zero. */
const leastPart = 0.01;

const dot = (left: Column, right: Column): number =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);

/** The component of a column orthogonal to the directions (each of length 1). Projected out twice, against rounding. */
const ownOf = (column: Column, directions: readonly Column[]): Column => {
  const takeOff = (from: Column): Column =>
    directions.reduce<Column>((left, direction) => {
      const share = dot(left, direction);
      return left.map((value, at) => value - share * (direction[at] ?? 0));
    }, from);
  return takeOff(takeOff(column));
};

const hasOwn = (own: Column, column: Column): boolean => dot(own, own) > ownPart ** 2 * dot(column, column);

const directionsOf = (columns: readonly Column[]): readonly Column[] =>
  columns.reduce<readonly Column[]>((directions, column) => {
    const own = ownOf(column, directions);
    const length = Math.sqrt(dot(own, own));
    return hasOwn(own, column) ? [...directions, own.map((value) => value / length)] : directions;
  }, []);

/** The charge that one more of column `at` adds; undefined when it depends linearly on the other columns. */
const priceOf = (
  columns: readonly Column[],
  at: number,
  charges: Column,
  rounding: number,
): Price | undefined => {
  const column = columns[at] ?? [];
  const own = ownOf(column, directionsOf(columns.filter((_, index) => index !== at)));
  if (!hasOwn(own, column)) return undefined;
  const size = dot(own, own);
  return {
    value: dot(own, charges) / size,
    error: (rounding * own.reduce((sum, value) => sum + Math.abs(value), 0)) / size,
  };
};

const judgeCache: Judge = (prompt, cached) => {
  const least = leastPart * prompt.value;
  // Tokens that lower the charge replace more expensive ones: they are part of the prompt.
  if (cached.value + cached.error < -least) return 'includes_cache';
  // Added to the prompt they cost something, and less than uncached tokens; as part of the prompt they would cost more.
  if (cached.value - cached.error > least && cached.value + cached.error < prompt.value - prompt.error)
    return 'excludes_cache';
  return undefined;
};

/** A price whose error exceeds this fraction of the other price could be zero as well as equal to it. */
const maxErrorPart = 0.25;

const judgeReasoning: Judge = (completion, reasoning) => {
  const least = leastPart * completion.value;
  const error = reasoning.error + completion.error;
  // A part that lowers the charge replaces more expensive tokens: the completion includes it.
  if (reasoning.value + error < -least) return 'includes_reasoning';
  if (error > maxErrorPart * completion.value) return undefined;
  // Vendors charge reasoning as output: it adds nothing if the completion includes it, otherwise the price of output.
  if (Math.abs(reasoning.value) < error + least) return 'includes_reasoning';
  if (Math.abs(reasoning.value - completion.value) < error + least) return 'excludes_reasoning';
  return undefined;
};

const distinct = (calls: readonly PricedCall[]): readonly PricedCall[] => [
  ...new Map(calls.map((call) => [[...call.counts, call.charge].join(' '), call])).values(),
];

/**
 * Whether the charges of one key's calls of one model show that the whole includes the part. Every charge must equal
 * the sum of the counts at fixed prices to within `rounding`, with many calls to spare. Anything else (tiered prices, a
 * count that is not served) is no evidence, and the result is undefined.
 */
const partPriceOf = (all: readonly PricedCall[], rounding: number, judge: Judge): PartPrice | undefined => {
  const calls = distinct(all);
  if (calls.filter(({ counts }) => (counts[1] ?? 0) > 0).length < partCalls) return undefined;
  const width = calls[0]?.counts.length ?? 0;
  const columns = [
    ...Array.from({ length: width }, (_, at) => calls.map(({ counts }) => counts[at] ?? 0)),
    // The price of each call, independent of its tokens.
    calls.map(() => 1),
  ];
  const charges = calls.map(({ charge }) => charge);
  const directions = directionsOf(columns);
  if (calls.length - directions.length < spareCalls) return undefined;
  const largest = Math.max(...charges.map(Math.abs));
  const slack = rounding + largest * 1e-11;
  if (ownOf(charges, directions).some((gap) => Math.abs(gap) > slack)) return undefined;
  const whole = priceOf(columns, 0, charges, slack);
  const part = priceOf(columns, 1, charges, slack);
  if (whole === undefined || part === undefined || whole.value <= whole.error) return undefined;
  const shows = judge(whole, part);
  return shows === undefined ? undefined : { shows, calls: calls.length, whole, part };
};

/** Whether charges show that the prompt (first of the counts) includes the cached tokens (second). */
export const cachePriceOf = (calls: readonly PricedCall[], rounding: number): PartPrice | undefined =>
  partPriceOf(calls, rounding, judgeCache);

/** Whether charges show that the completion (first of the counts) includes the reasoning tokens (second). */
export const reasoningPriceOf = (calls: readonly PricedCall[], rounding: number): PartPrice | undefined =>
  partPriceOf(calls, rounding, judgeReasoning);
