/** A small generator of pseudorandom numbers (mulberry32): the same seed, the same cases. */
export type Random = {
  /** 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number;
  /** 0 (inclusive) to `below` (exclusive). */
  readonly below: (below: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
};

export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (list) => {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new RangeError('an empty list has nothing to pick');
      return picked;
    },
  };
};
