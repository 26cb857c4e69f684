/** How many letters must be added, removed, changed or swapped with a neighbour to turn one text into the other. */
const editDistance = (from: string, to: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const change = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      const swapped = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swap = swapped ? (before[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
};

/** Without case, separators and accents. */
const plain = (word: string): string =>
  word
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[-_. \p{M}]/gu, '');

/** Names to suggest for a pattern; more do not help. */
const mostSuggested = 3;

/**
 * The known names that are similar to a pattern, the nearest first; of a pattern with `*`, its literal text is compared with
 * the start of each name.
 */
export const nearestToPattern = (pattern: string, known: readonly string[]): readonly string[] => {
  const literal = plain(pattern.slice(0, 80).replaceAll('*', ''));
  const allowed = Math.floor(literal.length / 3);
  return known
    .flatMap((name) => {
      const text = plain(name.slice(0, 200));
      const compared = pattern.includes('*') ? text.slice(0, literal.length) : text;
      if (Math.abs(compared.length - literal.length) > allowed) return [];
      const distance = editDistance(literal, compared);
      return distance <= allowed ? [{ name, distance }] : [];
    })
    .toSorted((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, mostSuggested)
    .map(({ name }) => name);
};

/** The known name that was probably intended, if one is near enough. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  const wanted = plain(word.slice(0, 80));
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const other = plain(name);
    // The distance is at least the difference of the lengths.
    if (Math.abs(other.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, other);
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best !== undefined && best.distance <= allowed ? best.name : undefined;
};

/** The advice for an unknown name, if a known one is near enough. */
export const didYouMean = (word: string, known: readonly string[]): string | undefined => {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
};
