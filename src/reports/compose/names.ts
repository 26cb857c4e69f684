const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Controls, line ends, unpaired surrogates and marks that turn the direction of what follows: shown as �. */
const unsafe = /[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C\uFEFF]/gu;

const maxCharacters = 80;
/** Maximum code points per character: a stack of combining marks counts as one character. */
const longestCharacter = 12;

/** Each of its code units is a character, which needs no segmenter: most names are so. */
export const isPlain = (text: string): boolean => /^[\x20-\x7E]*$/.test(text);

/** The characters of a text as a reader counts them. */
export const charactersOf = (text: string): string[] =>
  isPlain(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);

/** At most `most` characters: the head and the tail with `…` between, since names often differ at their ends. */
export const shorten = (text: string, most: number): string => {
  const characters = charactersOf(
    text.length > most * 40 ? text.slice(0, most * 20) + text.slice(-most * 20) : text,
  );
  if (characters.length <= most) return characters.join('');
  const tail = Math.floor((most - 1) / 3);
  return `${characters.slice(0, most - 1 - tail).join('')}…${tail === 0 ? '' : characters.slice(-tail).join('')}`;
};

/** An external name in a form that is safe to show: one line, no controls, limited length. */
export const showName = (name: string, most: number = maxCharacters): string => {
  if (name.length <= most && isPlain(name)) return name.trim();
  const visible = name
    .slice(0, 20_000)
    .replaceAll(/[\t\r\n]+/g, ' ')
    .replaceAll(unsafe, '\uFFFD');
  const short = shorten(visible, most);
  return charactersOf(short)
    .map((character) => Array.from(character).slice(0, longestCharacter).join(''))
    .join('')
    .trim();
};
