import { trimOf } from '../../core/index.ts';
import { charactersOf } from '../build/names.ts';

/** UTF-16 units that a cell can hold. */
const maxInCell = 32_767;
/** And a sheet's name. */
const maxInName = 31;

/** What stands for no character at all. */
const noCharacter = /\p{Cs}|\p{Noncharacter_Code_Point}/gu;

/** What XML cannot say, or writers of it leave out: everything else is written as it is. */
// oxlint-disable-next-line no-control-regex
const escaped = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFD]/g;

/** At most so many units, whole characters alone, with `…` where some were left out. */
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
 * A text for a cell. Spreadsheets read `_x000D_` as the character of that number: what XML has no place for is written that
 * way, and what only looks so is written as to stay what it is.
 */
export const cellText = (text: string): string => {
  const written = cut(text.replaceAll(noCharacter, '\uFFFD'), maxInCell)
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(escaped, byNumber);
  // The writer looks texts up in a plain object, where `constructor` and the like are found before they are put in.
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

/** Names of sheets as spreadsheets take them: of bounded length, without `[]/\:*?`, each the only one whatever the case. */
export const sheetNames = (titles: readonly string[]): readonly string[] => {
  // Spreadsheets keep this one for themselves.
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
