import { readFileSync } from 'node:fs';

/** Code points from `first` to `last`, both included. */
type Run = readonly [first: number, last: number];

/** Where a table of a font file begins (OpenType 1.9, “Organization of an OpenType Font”). */
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

const known = new Map<string, readonly Run[]>();

/** Whether the font of a file has a glyph for a code point. The files are part of the program; each is read once. */
export const hasGlyph = (file: string, point: number): boolean => {
  const runs = known.get(file) ?? runsOf(readFileSync(file));
  known.set(file, runs);
  let [low, high] = [0, runs.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = runs[middle] ?? [0, 0];
    if (point < first) high = middle - 1;
    else if (point > last) low = middle + 1;
    else return true;
  }
  return false;
};
