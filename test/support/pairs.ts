/**
 * Rows of choices, one value index for each factor, in which each two values of different factors meet at least once
 * (a covering array of strength two, built greedily; Cohen et al., "The AETG System", 1997). The same input gives the same rows.
 */
export const coverPairs = (sizes: readonly number[]): readonly (readonly number[])[] => {
  const missing = new Set<string>();
  const pair = (left: number, one: number, right: number, other: number): string =>
    left < right ? `${left}.${one} ${right}.${other}` : `${right}.${other} ${left}.${one}`;
  for (const [left, size] of sizes.entries())
    for (let right = left + 1; right < sizes.length; right += 1)
      for (let one = 0; one < size; one += 1)
        for (let other = 0; other < (sizes[right] ?? 0); other += 1)
          missing.add(pair(left, one, right, other));

  const rows: (readonly number[])[] = [];
  while (missing.size > 0) {
    const row = new Map<number, number>();
    const gain = (factor: number, value: number): number =>
      [...row].filter(([other, chosen]) => missing.has(pair(factor, value, other, chosen))).length;
    const [first = ''] = missing;
    for (const part of first.split(' ')) {
      const [factor = 0, value = 0] = part.split('.').map(Number);
      row.set(factor, value);
    }
    for (const [factor, size] of sizes.entries()) {
      if (row.has(factor)) continue;
      const values = Array.from({ length: size }, (_, value) => (value + rows.length) % size);
      const best = values.reduce((left, right) => (gain(factor, right) > gain(factor, left) ? right : left));
      row.set(factor, best);
    }
    for (const [left, one] of row)
      for (const [right, other] of row) if (left < right) missing.delete(pair(left, one, right, other));
    rows.push(sizes.map((_, factor) => row.get(factor) ?? 0));
  }
  return rows;
};
