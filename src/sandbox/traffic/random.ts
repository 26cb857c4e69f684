/** Numbers in [0, 1) that depend only on the seeds (mulberry32 over a mixed seed). */
export const seededRandom = (...seeds: readonly number[]): (() => number) => {
  let state = 0x9e3779b9;
  for (const seed of seeds) {
    state = Math.imul(state ^ (seed >>> 0), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** A whole number from `low` to `high`, both included. */
export const between = (random: () => number, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

export const poisson = (random: () => number, mean: number): number => {
  if (mean > 60) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + normal * Math.sqrt(mean)));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
};

/** Picks by weight; build the function once per table. */
export const weighted = <Value>(
  table: readonly (readonly [Value, number])[],
): ((random: () => number) => Value) => {
  const total = table.reduce((sum, [, weight]) => sum + weight, 0);
  const last = table.at(-1);
  if (last === undefined) throw new RangeError('nothing to pick from');
  return (random) => {
    let point = random() * total;
    for (const [value, weight] of table) {
      point -= weight;
      if (point < 0) return value;
    }
    return last[0];
  };
};
