const distance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
};

/** The known word that was most likely meant; nothing when none is near. */
export const suggest = (word: string, known: readonly string[]): string | undefined => {
  const [best] = known
    .map((candidate) => ({ candidate, far: distance(word, candidate) }))
    .sort((left, right) => left.far - right.far);
  return best !== undefined && best.far <= (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3)))
    ? best.candidate
    : undefined;
};
