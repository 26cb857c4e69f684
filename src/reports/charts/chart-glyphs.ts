import { chartFonts } from './chart-fonts.ts';
import { hasGlyph } from './font-runs.ts';
import { charactersOf } from '../compose/names.ts';

/** Whether every font of the pictures has glyphs for all of the text. */
export const isDrawable = (text: string): boolean => {
  const fonts = chartFonts();
  return Array.from(text).every((character) =>
    fonts.every((file) => hasGlyph(file, character.codePointAt(0) ?? 0)),
  );
};

/** Replaces a character that no font has. */
export const box = '\u25A1';

/** The text with a box for each character without a glyph. */
export const drawable = (text: string): string =>
  isDrawable(text)
    ? text
    : charactersOf(text)
        .map((character) => (isDrawable(character) ? character : box))
        .join('');
