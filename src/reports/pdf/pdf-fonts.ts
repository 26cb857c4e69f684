import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../package-root.ts';
import { box } from '../charts/chart-glyphs.ts';
import { hasGlyph } from '../charts/font-runs.ts';

/** The fonts of a PDF by name, in the order in which they are tried. */
const files = {
  regular: 'Inter-Regular.ttf',
  bold: 'Inter-SemiBold.ttf',
  chinese: 'NotoSansSC-Regular.otf',
  arabic: 'NotoSansArabic-Regular.ttf',
  hebrew: 'NotoSansHebrew-Regular.ttf',
} as const;

export type PdfFont = keyof typeof files;

export const pdfFonts: ReadonlyMap<PdfFont, string> = new Map(
  Object.entries(files).map(([name, file]) => [
    name as PdfFont,
    fileURLToPath(new URL(`fonts/${file}`, packageRoot)),
  ]),
);

const has = (font: PdfFont, point: number): boolean => hasGlyph(pdfFonts.get(font) ?? '', point);

const others: readonly PdfFont[] = ['chinese', 'arabic', 'hebrew'];

/** The first font with a glyph for the code point; undefined where none has one. */
export const fontOf = (point: number, isBold: boolean): PdfFont | undefined =>
  [isBold ? ('bold' as const) : ('regular' as const), ...others].find((font) => has(font, point));

/** The blocks of a trend, which are drawn as bars. */
const isBlock = (point: number): boolean => point >= 0x2581 && point <= 0x2588;

/** Marks that turn the direction, and joiners: fonts need no glyph for them. */
const isInvisible = (point: number): boolean =>
  (point >= 0x200b && point <= 0x200f) || (point >= 0xfe00 && point <= 0xfe0f);

/** The text with a box for each code point without a glyph; those are added to `missing`. */
export const printable = (text: string, missing: Set<number>): string =>
  Array.from(text)
    .map((character) => {
      const point = character.codePointAt(0) ?? 0;
      if (isInvisible(point)) return '';
      if (isBlock(point) || fontOf(point, false) !== undefined) return character;
      missing.add(point);
      return box;
    })
    .join('');
