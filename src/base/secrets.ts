/** A value that prints itself as `[secret]` wherever it is shown by accident; `reveal` is the one way to it. */
export type Secret = {
  readonly reveal: () => string;
  readonly toString: () => string;
  readonly toJSON: () => string;
};

/** Knows every secret of the process and takes it out of any text, in each form it may be written in. */
export type SecretRegistry = {
  /** To be called where a secret is born, before it can reach any text. */
  readonly register: (value: string) => Secret;
  readonly redact: (text: string) => string;
};

const mask = '[secret]';

/** Shorter values would blank out ordinary words. */
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

export const createSecretRegistry = (): SecretRegistry => {
  const forms = new Set<string>();
  let longestFirst: string[] = [];
  return {
    register: (value) => {
      for (const form of formsOf(value)) forms.add(form);
      longestFirst = [...forms].sort((left, right) => right.length - left.length);
      return { reveal: () => value, toString: () => mask, toJSON: () => mask };
    },
    redact: (text) => longestFirst.reduce((shown, form) => shown.replaceAll(form, mask), text),
  };
};
