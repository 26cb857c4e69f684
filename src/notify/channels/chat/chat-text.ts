import { isolateNames, withoutIsolates } from '../../../core/index.ts';

/** Bidi controls and invisible characters: a name with them could change the apparent meaning of the text around it. */
const invisible = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff]+/gu;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most `limit` UTF-16 units, cut between graphemes. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (kept.length + segment.length > limit - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};

/** One visible line of at most `limit` UTF-16 units. */
export const chatLine = (text: string, limit: number): string => {
  const visible = text.replaceAll(invisible, ' ').trim();
  // Isolates count too, and a cut after them could leave one open.
  for (let most = limit; ;) {
    const line = isolateNames(cut(visible, most));
    if (line.length <= limit) return line;
    most -= line.length - limit;
  }
};

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;

/** Columns in a monospaced font. */
export const columnsOf = (text: string): number => {
  let width = 0;
  for (const { segment } of graphemes.segment(withoutIsolates(text))) width += wide.test(segment) ? 2 : 1;
  return width;
};

export const chatLines = (lines: readonly string[], limit: number): string =>
  cut(lines.map((line) => chatLine(line, limit)).join('\n'), limit);
