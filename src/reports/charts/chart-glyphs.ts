import { readFileSync } from 'node:fs';
import { chartFonts } from './chart-fonts.ts';
import { charactersOf } from '../compose/names.ts';

/** Code points from `first` to `last`, both included. */
type Run = readonly [first: number, last: number];

/** Where a table of a TrueType file begins (OpenType 1.9, “Organization of an OpenType Font”). */
const tableAt = (font: Buffer, name: string): number => {
  const count = font.readUInt16BE(4);
  for (let at = 12; at < 12 + count * 16; at += 16)
    if (font.toString('latin1', at, at + 4) === name) return font.readUInt32BE(at + 8);
  throw new RangeError(`the font has no table ${name}`);
};

/** The code points that a font has a glyph for, from its `cmap` of format 12: ranges, ascending. */
const runsOf = (font: Buffer): readonly Run[] => {
  const map = tableAt(font, 'cmap');
  const count = font.readUInt16BE(map + 2);
  for (let entry = map + 4; entry < map + 4 + count * 8; entry += 8) {
    const at = map + font.readUInt32BE(entry + 4);
    if (font.readUInt16BE(at) !== 12) continue;
    return Array.from({ length: font.readUInt32BE(at + 12) }, (_, index): Run => {
      const group = at + 16 + index * 12;
      return [font.readUInt32BE(group), font.readUInt32BE(group + 4)];
    });
  }
  throw new RangeError('the font has no cmap of format 12');
};

let known: readonly (readonly Run[])[] | undefined;

/**
 * Whether every font of the pictures has glyphs for all of the text. The files are part of the program and read once.
 */
export const isDrawable = (text: string): boolean => {
  known ??= chartFonts().map((file) => runsOf(readFileSync(file)));
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return known.every((runs) =>
    points.every((point) => runs.some(([first, last]) => first <= point && point <= last)),
  );
};

/** Replaces a character that no font of the pictures has. */
const box = '\u25A1';

/** The text with a box for each character without a glyph. */
export const drawable = (text: string): string =>
  isDrawable(text)
    ? text
    : charactersOf(text)
        .map((character) => (isDrawable(character) ? character : box))
        .join('');
