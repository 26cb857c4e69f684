/** Prices in floating point, fitted to charges: evidence of the price of a token, never money. */

/** Sums over observations, each with counts `x` and a charge `y`: all that least squares need. */
export type FitSums = {
  readonly observations: number;
  /** Σy and Σy². */
  readonly charge: number;
  readonly squaredCharge: number;
  /** Σxᵢy. */
  readonly byCharge: readonly number[];
  /** Σxᵢxⱼ. */
  readonly products: readonly (readonly number[])[];
};

export type PriceFit = {
  /** The price of one of each count, zero or more; undefined if it never occurred or the charges leave it open. */
  readonly prices: readonly (number | undefined)[];
  /** The fraction of the variance of the charge that the prices explain. */
  readonly rSquared: number;
};

/** A fit that explains less is rejected. */
const leastExplained = 0.999;
/** Minimum number of observations beyond the number of prices for a valid fit. */
const spare = 20;
/** A count with a smaller independent fraction (of its square) provides no evidence of its own. */
const leastOwnPart = 1e-5;
/** Twice the standard error of a price is at most this fraction of it, or this fraction of the highest price. */
const maxError = 0.05;
const maxErrorOfDearest = 0.005;

type Matrix = readonly (readonly number[])[];

const at = (matrix: Matrix, row: number, column: number): number => matrix[row]?.[column] ?? 0;

const dot = (left: readonly number[], right: readonly number[]): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);

/** The inverse of a symmetric matrix with ones on its diagonal; undefined when a row depends on the others. */
const inverseOf = (matrix: Matrix): Matrix | undefined => {
  const size = matrix.length;
  const work = matrix.map((row, index) => [...row, ...row.map((_, column) => (column === index ? 1 : 0))]);
  for (let pivot = 0; pivot < size; pivot += 1) {
    const lead = work[pivot] ?? [];
    const divisor = lead[pivot] ?? 0;
    // The diagonal now contains the fraction of its square that is independent of the previous rows.
    if (!(divisor >= leastOwnPart)) return undefined;
    const scaled = lead.map((value) => value / divisor);
    for (const [index, row] of work.entries()) {
      const factor = row[pivot] ?? 0;
      work[index] =
        index === pivot ? scaled : row.map((value, column) => value - factor * (scaled[column] ?? 0));
    }
  }
  const inverse = work.map((row) => row.slice(size));
  // Also against all other rows: the independent fraction is the inverse of the variance inflation factor.
  return inverse.every((row, index) => (row[index] ?? 0) * leastOwnPart <= 1) ? inverse : undefined;
};

type Solution = { readonly weights: readonly number[]; readonly rest: number };

/** Least squares without negative weights: the best solution among those that omit some of the counts. */
const nonNegative = (matrix: Matrix, right: readonly number[], whole: number): Solution | undefined => {
  const indexes = right.map((_, index) => index);
  let best: Solution | undefined;
  const solve = (kept: readonly number[]): Solution | undefined => {
    const inverse = inverseOf(kept.map((row) => kept.map((column) => at(matrix, row, column))));
    if (inverse === undefined) return undefined;
    const given = kept.map((index) => right[index] ?? 0);
    const found = new Map(kept.map((index, row) => [index, dot(inverse[row] ?? [], given)]));
    const weights = indexes.map((index) => found.get(index) ?? 0);
    return { weights, rest: Math.max(0, whole - dot(weights, right)) };
  };
  for (let left = 0; left < 2 ** indexes.length; left += 1) {
    const solution = solve(indexes.filter((index) => (left >> index) % 2 === 0));
    if (solution?.weights.every((weight) => weight >= 0) !== true) continue;
    // With all counts and no negative weight, no better solution exists.
    if (left === 0) return solution;
    if (best === undefined || solution.rest < best.rest) best = solution;
  }
  return best;
};

/**
 * The price of one of each count that fits the charges best; undefined when the fit explains less than 0.999 of their
 * variance, when the counts are collinear, or when there are too few observations. Counts are scaled to one length
 * first, so that millions and dozens of tokens have equal weight.
 *
 * @param among which of the counts may have a price
 */
export const fitPrices = (sums: FitSums, among: readonly number[]): PriceFit | undefined => {
  const used = among.filter((index) => at(sums.products, index, index) > 0);
  const freedom = sums.observations - used.length;
  const variation = sums.squaredCharge - sums.charge ** 2 / sums.observations;
  if (used.length === 0 || freedom < spare || !(variation > sums.squaredCharge * 1e-9)) return undefined;
  const lengths = used.map((index) => Math.sqrt(at(sums.products, index, index)));
  const scaled = used.map((row, left) =>
    used.map((column, right) =>
      left === right ? 1 : at(sums.products, row, column) / ((lengths[left] ?? 1) * (lengths[right] ?? 1)),
    ),
  );
  const right = used.map((index, place) => (sums.byCharge[index] ?? 0) / (lengths[place] ?? 1));
  const inverse = inverseOf(scaled);
  if (inverse === undefined) return undefined;
  // If weights of any sign do not explain it, restricted ones do not either.
  const explained = dot(
    inverse.map((row) => dot(row, right)),
    right,
  );
  const most = variation * (1 - leastExplained);
  if (sums.squaredCharge - explained > most) return undefined;
  const { weights, rest } = nonNegative(scaled, right, sums.squaredCharge) ?? { weights: [], rest: Infinity };
  if (!(rest <= most)) return undefined;
  const found = weights.map((weight, place) => weight / (lengths[place] ?? 1));
  const dearest = Math.max(...found);
  const prices = found.map((price, place) => {
    const standardError = Math.sqrt((rest / freedom) * at(inverse, place, place));
    const error = (2 * standardError) / (lengths[place] ?? 1);
    return error <= Math.max(maxError * price, maxErrorOfDearest * dearest) ? price : undefined;
  });
  return {
    rSquared: 1 - rest / variation,
    prices: sums.byCharge.map((_, index) => prices[used.indexOf(index)]),
  };
};
