import type { PdfFont } from './pdf-fonts.ts';
import type { PdfFile } from './pdf-page.ts';
import { piecesOf, type Piece } from './pdf-pieces.ts';

export type TextStyle = {
  /** Points. */
  readonly size: number;
  readonly isBold?: boolean;
  readonly colour: string;
};

/** The height of a line, in points. */
export const lineHeightOf = (size: number): number => size * 1.45;

/** Draws and measures text, in points. */
export type PdfText = {
  readonly widthOf: (text: string, style: TextStyle) => number;
  /** Lines that are no wider; a word that is too long for a line continues on the next. */
  readonly wrap: (text: string, width: number, style: TextStyle) => readonly string[];
  /** Draws one line, whose left edge or whose right edge is at `x`; `y` is that of its top. */
  readonly draw: (
    text: string,
    x: number,
    y: number,
    style: TextStyle & { readonly align?: 'left' | 'right' | 'middle' },
  ) => void;
};

/** Chinese breaks between any two characters; before a closing mark it does not. */
const breakable = /(?<=[\u2E80-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF])(?![，。；：、！？）》」』])/u;

const tokensOf = (text: string): readonly string[] =>
  text.split(/(?<= )/u).flatMap((word) => word.split(breakable));

/** Figures stand in columns: each digit is as wide as the others, and marks keep their distance. */
const ofFigures = { features: { tnum: true, kern: false } };
const featuresOf = (text: string) => (/\d/.test(text) ? ofFigures : {});

export const createPdfText = (document: PdfFile): PdfText => {
  const widths = new Map<string, number>();
  const pieceWidth = ({ text, font }: Piece): number => {
    const key = `${font} ${text}`;
    const known = widths.get(key);
    if (known !== undefined) return known;
    // Of one point: widths are proportional to the size.
    const width =
      document
        .font(font satisfies PdfFont)
        .fontSize(1000)
        .widthOfString(text, featuresOf(text)) / 1000;
    if (widths.size > 50_000) widths.clear();
    widths.set(key, width);
    return width;
  };
  const widthOf = (text: string, { size, isBold }: TextStyle): number =>
    piecesOf(text, isBold).reduce((sum, piece) => sum + pieceWidth(piece), 0) * size;

  /** As many characters as fit, at least one, and the rest. */
  const split = (text: string, width: number, style: TextStyle): readonly [string, string] => {
    const characters = Array.from(text);
    let [low, high] = [1, characters.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (widthOf(characters.slice(0, middle).join(''), style) <= width) low = middle;
      else high = middle - 1;
    }
    return [characters.slice(0, low).join(''), characters.slice(low).join('')];
  };

  const wrap: PdfText['wrap'] = (text, width, style) => {
    const lines: string[] = [];
    let line = '';
    for (const token of tokensOf(text)) {
      if (widthOf((line + token).trimEnd(), style) <= width) {
        line += token;
        continue;
      }
      if (line.trim() !== '') lines.push(line.trimEnd());
      line = token;
      while (widthOf(line.trimEnd(), style) > width && Array.from(line).length > 1) {
        const [head, tail] = split(line, width, style);
        lines.push(head);
        line = tail;
      }
    }
    return line.trim() === '' && lines.length > 0 ? lines : [...lines, line.trimEnd()];
  };

  return {
    widthOf,
    wrap,
    draw: (text, x, y, { align = 'left', ...style }) => {
      const width = align === 'left' ? 0 : widthOf(text, style);
      let left = align === 'left' ? x : x - (align === 'right' ? width : width / 2);
      for (const piece of piecesOf(text, style.isBold)) {
        document
          .font(piece.font)
          .fontSize(style.size)
          .fillColor(style.colour)
          // One baseline for all fonts of a line.
          .text(piece.text, left, y + style.size * 0.95, {
            lineBreak: false,
            baseline: 'alphabetic',
            ...featuresOf(piece.text),
          });
        left += pieceWidth(piece) * style.size;
      }
    },
  };
};
