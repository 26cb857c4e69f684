import { nearest } from '../base/index.ts';

/** Advice for an unknown name: the one probably meant, or all that are known. */
export const adviceForUnknown = (word: string, known: readonly string[], noun: string): string => {
  const meant = nearest(word, known);
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`;
  if (known.length === 0) return `no ${noun} is declared`;
  return `known: ${known.join(', ')}`;
};
