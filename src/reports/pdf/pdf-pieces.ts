import bidiFactory, { type Bidi } from 'bidi-js';
import { fontOf, type PdfFont } from './pdf-fonts.ts';

/** A part of a line that is drawn at once: one font, one direction. */
export type Piece = { readonly text: string; readonly font: PdfFont };

// Its types describe a module of another kind than it is.
const bidi = (bidiFactory as unknown as () => Bidi)();

/** Whether all code points are drawn from left to right: most lines are so. */
const isLatin = (text: string): boolean =>
  /^[\u0020-\u024F\u2000-\u2BFF\u3000-\u9FFF\uFF00-\uFFEF]*$/.test(text);

/** Characters that follow each other, with equal facts. */
const runs = <Fact>(
  text: string,
  factAt: (character: string, at: number) => Fact,
): readonly { readonly text: string; readonly fact: Fact }[] => {
  const found: { text: string; fact: Fact }[] = [];
  let at = 0;
  for (const character of text) {
    const fact = factAt(character, at);
    const last = found.at(-1);
    if (last !== undefined && last.fact === fact) last.text += character;
    else found.push({ text: character, fact });
    at += character.length;
  }
  return found;
};

const fontIn =
  (isBold: boolean) =>
  (character: string): PdfFont =>
    fontOf(character.codePointAt(0) ?? 0, isBold) ?? (isBold ? 'bold' : 'regular');

const piecesIn = (text: string, isBold: boolean): readonly Piece[] =>
  runs(text, fontIn(isBold)).map(({ text: part, fact: font }) => ({ text: part, font }));

/** A run from right to left: words of a script keep their order of letters, which the font shapes; all else is mirrored. */
const mirrored = (text: string, isBold: boolean): readonly Piece[] =>
  piecesIn(text, isBold)
    .flatMap(({ text: part, font }) =>
      runs(part, (character) => character === ' ').map((word) => ({ text: word.text, font })),
    )
    .toReversed()
    .map(({ text: part, font }) =>
      font === 'arabic' || font === 'hebrew'
        ? { text: part, font }
        : {
            text: Array.from(part)
              .toReversed()
              .map((character) => bidi.getMirroredCharacter(character) ?? character)
              .join(''),
            font,
          },
    );

/** The pieces of a line from left to right (Unicode Bidirectional Algorithm, rule L2). The direction of the line is that of its first letter. Pure. */
export const piecesOf = (text: string, isBold = false): readonly Piece[] => {
  if (isLatin(text)) return piecesIn(text, isBold);
  const { levels } = bidi.getEmbeddingLevels(text);
  const ordered = [...runs(text, (_, at) => levels[at] ?? 0)];
  const highest = Math.max(...ordered.map(({ fact }) => fact));
  for (let level = highest; level > 0; level -= 1) {
    let from = 0;
    while (from < ordered.length) {
      let to = from;
      while (to < ordered.length && (ordered[to]?.fact ?? 0) >= level) to += 1;
      if (to > from) ordered.splice(from, to - from, ...ordered.slice(from, to).toReversed());
      from = to + 1;
    }
  }
  return ordered.flatMap(({ text: part, fact: level }) =>
    level % 2 === 0 ? piecesIn(part, isBold) : mirrored(part, isBold),
  );
};
