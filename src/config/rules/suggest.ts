import { nearest } from '../../core/index.ts';

/** Maximum number of listed names. */
const most = 40;

/** Advice for an unknown name: the probable intended one, or all known ones. */
export const adviceForUnknown = (word: string, known: readonly string[], noun: string): string => {
  const meant = nearest(word, known);
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`;
  if (known.length === 0) return `no ${noun} is configured`;
  const shown = known.slice(0, most).join(', ');
  return known.length > most ? `known: ${shown} and ${known.length - most} more` : `known: ${shown}`;
};
