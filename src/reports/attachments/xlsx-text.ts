import { trimOf } from '../../core/index.ts';
import { charactersOf } from '../compose/names.ts';

/** Maximum UTF-16 units of a cell. */
const maxInCell = 32_767;
/** Maximum UTF-16 units of a sheet name. */
const maxInName = 31;

/** Code points that represent no character. */
const noCharacter = /\p{Cs}|\p{Noncharacter_Code_Point}/gu;

/** Characters that are invalid in XML, or that XML writers drop: all others are written unchanged. */
// oxlint-disable-next-line no-control-regex
const escaped = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFD]/g;

/** At most so many units, only whole characters, with `…` when cut. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  let kept = '';
  for (const character of charactersOf(text.slice(0, most))) {
    if (kept.length + character.length > most - 1) break;
    kept += character;
  }
  return `${kept}…`;
};

const byNumber = (character: string): string =>
  `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/**
 * A text for a cell. Spreadsheets decode `_x000D_` as the character of that number: characters that are invalid in XML
 * are written in this form, and text that only looks like it is escaped.
 */
export const cellText = (text: string): string => {
  const written = cut(text.replaceAll(noCharacter, '\uFFFD'), maxInCell)
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(escaped, byNumber);
  // The writer looks texts up in a plain object, which already contains `constructor` and the like.
  return written in Object.prototype ? byNumber(written) + written.slice(1) : written;
};

const cleanName = (title: string): string =>
  trimOf(
    title
      .replaceAll(noCharacter, '')
      .replaceAll(/[\u202A-\u202E\u2066-\u2069\uFFFD]/g, '')
      .replaceAll(/[[\]/\\:*?\s\p{Cc}]+/gu, ' '),
    "' ",
  );

/** Valid, unique sheet names: of limited length, without `[]/\:*?`, distinct regardless of case. */
export const sheetNames = (titles: readonly string[]): readonly string[] => {
  // Spreadsheets reserve this name.
  const taken = new Set(['history']);
  return titles.map((title) => {
    const name = cleanName(title) || 'Sheet';
    for (let number = 1; ; number += 1) {
      const end = number === 1 ? '' : ` (${number})`;
      const candidate = `${cut(name, maxInName - end.length)}${end}`;
      const key = candidate.toLowerCase();
      if (taken.has(key)) continue;
      taken.add(key);
      return candidate;
    }
  });
};
