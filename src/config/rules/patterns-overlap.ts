/** Whether some name matches both patterns, in which `*` matches any text. */
export const patternsOverlap = (left: string, right: string): boolean => {
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
