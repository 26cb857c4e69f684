import { charactersOf, isPlain } from '../compose/names.ts';

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|\uFE0F|[\u{20000}-\u{3FFFD}]/u;

const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Columns of a text in a monospaced font: 2 for East Asian characters and emoji. */
export const widthOf = (text: string): number => {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const character of charactersOf(text)) {
    if (!invisible.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
};

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** Chinese punctuation that must not begin a line, and such that must not end one. */
const closes = /^[、。，．；：？！）】》」』”’…%]/;
const opens = /^[（【《「『“‘]/;

/** Splits a word where a line may break within it: beside East Asian characters. */
const partsOf = (word: string): string[] => {
  if (isPlain(word)) return [word];
  const parts: string[] = [];
  let before = '';
  for (const character of charactersOf(word)) {
    const mayBreak =
      (wide.test(before) || wide.test(character)) && !closes.test(character) && !opens.test(before);
    if (parts.length === 0 || mayBreak) parts.push(character);
    else parts.push(`${parts.pop() ?? ''}${character}`);
    before = character;
  }
  return parts.length === 0 ? [''] : parts;
};

/** Lines of at most `width` columns, broken at spaces if there are any, and between East Asian characters. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  const parts = text
    .split(' ')
    .flatMap((word) => partsOf(word).map((part, at) => ({ word: part, space: at === 0 ? ' ' : '' })));
  for (const { word, space } of parts) {
    const longer = line === '' ? word : `${line}${space}${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of charactersOf(word)) {
      if (widthOf(line + character) > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return line === '' ? lines : [...lines, line];
};
