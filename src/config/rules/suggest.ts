import { nearest } from '../../core/index.ts';

/** Names that are listed at most. */
const most = 40;

/** Advice for an unknown name: the one probably meant, or all that are known. */
export const adviceForUnknown = (word: string, known: readonly string[], noun: string): string => {
  const meant = nearest(word, known);
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`;
  if (known.length === 0) return `no ${noun} is configured`;
  const shown = known.slice(0, most).join(', ');
  return known.length > most ? `known: ${shown} and ${known.length - most} more` : `known: ${shown}`;
};
