import { stripVTControlCharacters } from 'node:util';

/** Makes any text one line that cannot control a terminal: removes escapes, control characters and bidi controls. */
export const oneLine = (text: string): string =>
  stripVTControlCharacters(text)
    // Keeps joiners, which some scripts and emoji need.
    .replaceAll(/(?![\u200C\u200D])\p{Cf}/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cs}/gu, '\uFFFD')
    .trim();

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

/** Characters that terminals draw two columns wide. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]|\uFE0F/u;
/** Half-width forms, which belong to the scripts above, too. */
const narrow = /^[\uFF61-\uFFDC]/u;
const withoutWidth = /^[\p{M}\p{Cf}]+$/u;

const widthOfGrapheme = (grapheme: string): number => {
  if (withoutWidth.test(grapheme)) return 0;
  return wide.test(grapheme) && !narrow.test(grapheme) ? 2 : 1;
};

const graphemes = (text: string): readonly string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

export const widthOf = (text: string): number =>
  isPlain(text) ? text.length : graphemes(text).reduce((sum, grapheme) => sum + widthOfGrapheme(grapheme), 0);

/** Truncates to `width` columns, with `…` for the removed part. */
export const clip = (text: string, width: number): string => {
  // Text beyond this cannot fit, so it is not measured.
  const start = text.length > width * 16 ? text.slice(0, width * 16) : text;
  if (start === text && widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const grapheme of graphemes(start)) {
    used += widthOfGrapheme(grapheme);
    if (used > width - 1) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
};

/** Splits a word into pieces of one line: paths, and scripts without spaces. */
const pieces = (word: string, width: number): readonly string[] => {
  const cut: string[] = [];
  let piece = '';
  let used = 0;
  for (const grapheme of graphemes(word)) {
    const more = widthOfGrapheme(grapheme);
    if (used + more > width && piece !== '') {
      cut.push(piece);
      piece = '';
      used = 0;
    }
    piece += grapheme;
    used += more;
  }
  return [...cut, piece];
};

/** Wraps to `width` columns, at spaces where possible. */
export const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(' ')) {
    for (const [index, piece] of (widthOf(word) <= width ? [word] : pieces(word, width)).entries()) {
      const more = widthOf(piece);
      if (line !== '' && index === 0 && used + 1 + more <= width) {
        line += ` ${piece}`;
        used += 1 + more;
        continue;
      }
      if (line !== '') lines.push(line);
      line = piece;
      used = more;
    }
  }
  return [...lines, line];
};
