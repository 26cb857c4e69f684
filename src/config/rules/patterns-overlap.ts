/** Whether the literal beginnings, or ends, of two patterns can belong to one name. */
const agree = (left: string, right: string, at: 'start' | 'end'): boolean => {
  const literal = (pattern: string): string =>
    (at === 'start' ? pattern.split('*')[0] : pattern.split('*').at(-1)) ?? '';
  const [one, two] = [literal(left), literal(right)];
  return at === 'start' ? one.startsWith(two) || two.startsWith(one) : one.endsWith(two) || two.endsWith(one);
};

/** Whether some name matches both patterns, in which `*` matches any text. */
export const patternsOverlap = (left: string, right: string): boolean => {
  if (!agree(left, right, 'start') || !agree(left, right, 'end')) return false;
  // Pairs of positions from which the rest of both patterns has to match the same text.
  const seen = new Set<number>();
  const pending: [number, number][] = [[0, 0]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [at, other] = pair;
    if (at === left.length && other === right.length) return true;
    const key = at * (right.length + 1) + other;
    if (seen.has(key)) continue;
    seen.add(key);
    const [one, two] = [left[at], right[other]];
    // A `*` matches nothing more, or the next character of the other pattern.
    if (one === '*')
      pending.push([at + 1, other], ...(two === undefined ? [] : [[at, other + 1] as [number, number]]));
    if (two === '*')
      pending.push([at, other + 1], ...(one === undefined ? [] : [[at + 1, other] as [number, number]]));
    if (one !== undefined && one === two) pending.push([at + 1, other + 1]);
  }
  return false;
};
