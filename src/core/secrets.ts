import { secretShapes } from './text/key-shape.ts';

/** A value that prints as `[secret]` wherever it is shown by accident; only `reveal` returns it. */
export type Secret = {
  readonly reveal: () => string;
  readonly toString: () => string;
  readonly toJSON: () => string;
};

/** Registers every secret of the process and redacts it from any text, in each possible encoding. */
export type SecretRegistry = {
  /** Call it where a secret originates, before it can appear in any text. */
  readonly register: (value: string) => Secret;
  /** Registers a value from a response; the 10,000th and later ones are recognized by the shape of a key alone. */
  readonly registerSeen: (value: string) => void;
  /** The text with `[secret]` in place of each registered secret and of all that has the shape of one. */
  readonly redact: (text: string) => string;
};

const mask = '[secret]';

/** Shorter values would redact ordinary text. */
const shortest = 4;

const formsOf = (value: string): string[] => {
  const inJson = JSON.stringify(value).slice(1, -1);
  const base64 = Buffer.from(value).toString('base64');
  return [
    value,
    value.trim(),
    inJson,
    encodeURIComponent(value),
    encodeURI(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    base64,
    base64.replaceAll('=', ''),
    Buffer.from(value).toString('base64url'),
    Buffer.from(value).toString('hex'),
  ].filter((form) => form.length >= shortest);
};

/** Shorter remainders of a key would redact ordinary words. */
const shortestBare = 12;

/** A key as errors may quote it: whole, without `sk-`, and without `sk-admin-`. */
const quotedForms = (value: string): readonly string[] => [
  value,
  ...[/^sk-/, /^sk-admin-/]
    .map((prefix) => value.trim().replace(prefix, ''))
    .filter((bare) => bare !== value.trim() && bare.length >= shortestBare),
];

/**
 * Forms by their first characters and their length: a text is gone over once, and each place costs as many lookups as
 * there are lengths, however many secrets begin alike.
 */
type Index = Map<string, Map<number, Set<string>>>;

const startOf = (text: string, at = 0): string => text.slice(at, at + shortest);

const add = (index: Index, form: string): void => {
  const start = startOf(form);
  const byLength = index.get(start) ?? new Map<number, Set<string>>();
  const known = byLength.get(form.length) ?? new Set<string>();
  known.add(form);
  byLength.set(form.length, known);
  index.set(start, byLength);
};

/** Where the text has a form or the shape of a secret; what overlaps is one range. */
const rangesIn = (text: string, index: Index): readonly (readonly [number, number])[] => {
  const found: [number, number][] = secretShapes.flatMap((shape) =>
    Array.from(text.matchAll(shape), (match): [number, number] => [
      match.index,
      match.index + match[0].length,
    ]),
  );
  for (let at = 0; at + shortest <= text.length; at += 1)
    for (const [length, forms] of index.get(startOf(text, at)) ?? [])
      if (forms.has(text.slice(at, at + length))) found.push([at, at + length]);
  const ranges: [number, number][] = [];
  for (const [start, end] of found.sort((left, right) => left[0] - right[0])) {
    const last = ranges.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
};

/** Values of one process that come from responses: a hostile gateway sends any number. */
const maxSeen = 10_000;

export const createSecretRegistry = (): SecretRegistry => {
  const index: Index = new Map();
  const seen = new Set<string>();
  const register: SecretRegistry['register'] = (value) => {
    for (const form of quotedForms(value).flatMap(formsOf)) add(index, form);
    return { reveal: () => value, toString: () => mask, toJSON: () => mask };
  };
  return {
    register,
    registerSeen: (value) => {
      if (seen.has(value) || seen.size >= maxSeen) return;
      seen.add(value);
      register(value);
    },
    redact: (text) => {
      let shown = '';
      let from = 0;
      for (const [start, end] of rangesIn(text, index)) {
        shown += text.slice(from, start) + mask;
        from = end;
      }
      return from === 0 ? text : shown + text.slice(from);
    },
  };
};
