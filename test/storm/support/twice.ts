/** What is there more than once. */
export const twice = <T>(things: readonly T[]): readonly T[] => {
  const seen = new Set<T>();
  return things.filter((thing) => seen.has(thing) || !seen.add(thing));
};
