import { isTagName, nearestToPattern, type TagName } from '../core/index.ts';
import { matchesPattern, tagsOf, type KnownNames, type TagRule } from '../warehouse/index.ts';

/** Selects keys (or services), models or keys with a tag by a pattern, in which `*` matches any text. */
export type Selector = {
  readonly names: 'key' | 'model' | TagName;
  readonly pattern: string;
};

export type Unmatched<Given extends Selector> = Given & {
  /** Known names that are similar, the nearest first. */
  readonly near: readonly string[];
};

const namesFor = (
  names: Selector['names'],
  known: KnownNames,
  rules: readonly TagRule[],
): readonly string[] => {
  if (names === 'key') return known.keys;
  if (names === 'model') return known.models;
  return [...new Set(known.keys.flatMap((key) => tagsOf(key, key, rules)[names] ?? []))];
};

/**
 * The selectors that match no known name. Selectors of keys are not judged while no key is known, nor those of models while
 * no model is known: unknown is not zero. Pure.
 */
export const unmatchedSelectors = <Given extends Selector>(
  selectors: readonly Given[],
  known: KnownNames,
  rules: readonly TagRule[],
): readonly Unmatched<Given>[] =>
  selectors.flatMap((selector) => {
    const { names: kind, pattern } = selector;
    if ((kind === 'model' ? known.models : known.keys).length === 0) return [];
    const names = namesFor(kind, known, rules);
    return names.some((name) => matchesPattern(pattern, name))
      ? []
      : [{ ...selector, near: nearestToPattern(pattern, names) }];
  });

/** `no key matches "café-*"`. */
export const unmatchedText = ({ names, pattern }: Selector): string =>
  isTagName(names)
    ? `no key has the ${names} ${JSON.stringify(pattern)}`
    : `no ${names} matches ${JSON.stringify(pattern)}`;

/** What to do about a selector of the configuration that matches nothing. */
export const unmatchedAdvice = ({ near }: Pick<Unmatched<Selector>, 'near'>): string =>
  near.length === 0
    ? 'correct the pattern, or remove it'
    : `correct the pattern, or remove it; similar names: ${near.join(', ')}`;
