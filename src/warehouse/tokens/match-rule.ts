import type { OutputConvention, TokenConvention } from './convention.ts';

/** Conventions by model name patterns, in which `*` matches anything. */
export type RulesOf<Convention> = Readonly<Record<string, Convention>>;
export type TokenRules = RulesOf<TokenConvention>;
export type OutputRules = RulesOf<OutputConvention>;

/** To normalize a name takes several times as long as to see that it is written in ASCII, as most are. */
const beyondAscii = /\P{ASCII}/u;

/** As names compare: an accent may be written as one character or two. What is stored stays as it was served. */
const comparable = (text: string): string => (beyondAscii.test(text) ? text.normalize('NFC') : text);

export const isSameName = (one: string, other: string): boolean => comparable(one) === comparable(other);

/** Whether a name matches the pattern; `*` matches anything. */
export const matches = (written: string, name: string): boolean => {
  const [pattern, model] = [comparable(written), comparable(name)];
  if (!pattern.includes('*')) return pattern === model;
  const [first = '', ...later] = pattern.split('*');
  const last = later.pop() ?? '';
  if (!model.startsWith(first)) return false;
  let at = first.length;
  for (const part of later) {
    const found = model.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return model.length - last.length >= at && model.endsWith(last);
};

/**
 * What is found for a key and its service is remembered by the list of rules: the parts of a report ask for the same keys again, and patterns are
 * many where parts are many.
 */
export const rememberedByRules = <Rules extends object, Value>(
  find: (key: string, service: string, rules: Rules) => Value,
): ((key: string, service: string, rules: Rules) => Value) => {
  const known = new WeakMap<Rules, Map<string, Value>>();
  return (key, service, rules) => {
    const values = known.get(rules) ?? new Map<string, Value>();
    known.set(rules, values);
    const name = key === service ? key : `${key}\0${service}`;
    const found = values.get(name);
    // A value may be null: no team pays for the key.
    if (found !== undefined) return found;
    const value = find(key, service, rules);
    values.set(name, value);
    return value;
  };
};

/** A name without `*` first, then the pattern with the most literal characters. */
const closeness = (pattern: string): number =>
  pattern.includes('*') ? pattern.replaceAll('*', '').length : Infinity;

/** The item with the most specific pattern that matches one of the names; of equally specific ones the first. */
export const closest = <Item extends { readonly pattern: string }>(
  items: readonly Item[],
  names: readonly string[],
): Item | undefined =>
  items
    .filter(({ pattern }) => names.some((name) => matches(pattern, name)))
    .toSorted((left, right) => {
      const nearer = closeness(right.pattern) - closeness(left.pattern);
      return Number.isNaN(nearer) ? 0 : nearer;
    })[0];

/** The rule for a model; of several that match, the closest. */
export const ruleFor = <Convention extends string>(
  rules: RulesOf<Convention>,
  model: string,
): { readonly pattern: string; readonly convention: Convention } | undefined =>
  Object.entries(rules)
    .filter(([pattern]) => matches(pattern, model))
    .map(([pattern, convention]) => ({ pattern, convention }))
    .toSorted((left, right) => {
      const nearer = closeness(right.pattern) - closeness(left.pattern);
      if (!Number.isNaN(nearer) && nearer !== 0) return nearer;
      return left.pattern < right.pattern ? -1 : 1;
    })[0];
