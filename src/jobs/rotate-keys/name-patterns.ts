/** A name that matches both patterns, in which `*` stands for any text; undefined when there is none. */
export const commonName = (left: string, right: string): string | undefined => {
  const known = new Map<number, string | undefined>();
  const from = (one: number, other: number): string | undefined => {
    const place = one * (right.length + 1) + other;
    if (known.has(place)) return known.get(place);
    const found = search(one, other);
    known.set(place, found);
    return found;
  };
  const prefixed = (text: string, rest: string | undefined): string | undefined =>
    rest === undefined ? undefined : text + rest;
  const search = (one: number, other: number): string | undefined => {
    const [first, second] = [left[one], right[other]];
    if (first === undefined && second === undefined) return '';
    if (first === '*')
      return (
        from(one + 1, other) ??
        (second === undefined
          ? undefined
          : second === '*'
            ? from(one, other + 1)
            : prefixed(second, from(one, other + 1)))
      );
    if (second === '*')
      return (
        from(one, other + 1) ?? (first === undefined ? undefined : prefixed(first, from(one + 1, other)))
      );
    return first !== undefined && first === second ? prefixed(first, from(one + 1, other + 1)) : undefined;
  };
  return from(0, 0);
};
