import { trimOf } from '../../core/index.ts';

/** A title as a part of a file's name: `Tokens by model` is `tokens-by-model`. Nothing for one in another script. */
export const fileWord = (title: string): string | undefined => {
  if (/[^\P{L}a-z]/iu.test(title)) return undefined;
  const word = trimOf(title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), '-').slice(0, 60);
  return word === '' ? undefined : word;
};

/** The names, with `_2`, `_3` appended to repeated ones, regardless of case. */
export const distinct = (
  names: readonly string[],
  taken: readonly string[] = [],
  mark = '_',
): readonly string[] => {
  const known = new Set(taken.map((name) => name.toLowerCase()));
  return names.map((name) => {
    let candidate = name;
    for (let number = 2; known.has(candidate.toLowerCase()); number += 1)
      candidate = `${name}${mark}${number}`;
    known.add(candidate.toLowerCase());
    return candidate;
  });
};
