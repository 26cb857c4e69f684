/** Bidi controls and what is not shown at all: a name with them could make the words around it say something else. */
const invisible = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff]+/gu;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most so many UTF-16 units, cut between characters as they are seen. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (kept.length + segment.length > limit - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};

/** Text on one line that shows what it holds, at most so long. */
export const chatLine = (text: string, limit: number): string =>
  cut(text.replaceAll(invisible, ' ').trim(), limit);

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;

/** Columns in a font of one width. */
export const columnsOf = (text: string): number => {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
};

/** Several lines, each by itself. */
export const chatLines = (lines: readonly string[], limit: number): string =>
  cut(lines.map((line) => chatLine(line, limit)).join('\n'), limit);
