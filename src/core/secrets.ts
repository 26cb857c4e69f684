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
    base64.replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
    Buffer.from(value).toString('hex'),
  ].filter((form) => form.length >= shortest);
};

/** Forms by their first characters, so that a text is scanned once, however many secrets there are. */
type Index = ReadonlyMap<string, ReadonlySet<string>>;

const startOf = (text: string, at = 0): string => text.slice(at, at + shortest);

/** Where the text contains a form of a secret; overlapping matches are one range. */
const rangesIn = (text: string, index: Index): readonly (readonly [number, number])[] => {
  const ranges: [number, number][] = [];
  for (let at = 0; at + shortest <= text.length; at += 1) {
    for (const form of index.get(startOf(text, at)) ?? []) {
      if (!text.startsWith(form, at)) continue;
      const last = ranges.at(-1);
      if (last !== undefined && at < last[1]) last[1] = Math.max(last[1], at + form.length);
      else ranges.push([at, at + form.length]);
    }
  }
  return ranges;
};

export const createSecretRegistry = (): SecretRegistry => {
  const index = new Map<string, Set<string>>();
  return {
    register: (value) => {
      for (const form of formsOf(value)) {
        const known = index.get(startOf(form));
        if (known === undefined) index.set(startOf(form), new Set([form]));
        else known.add(form);
      }
      return { reveal: () => value, toString: () => mask, toJSON: () => mask };
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
