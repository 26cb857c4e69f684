/** 0 for none. */
export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** NaN for none. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** The middle value, or the mean of the two in the middle; NaN for none. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const high = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[sorted.length / 2 - 1] ?? high) + high) / 2;
};

/** From the median absolute deviation to the standard deviation of a normal distribution. */
const madToDeviation = 1.4826;

/** The standard deviation around the middle, without the weight of outliers. */
export const robustDeviation = (values: readonly number[], middle: number): number =>
  madToDeviation * median(values.map((value) => Math.abs(value - middle)));
