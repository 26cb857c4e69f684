import { isRecord } from '../request.ts';

/** The type of a request field; `!` marks a required one, and a list of texts an enumeration. */
export type Rule =
  | `${'string' | 'bool' | 'int' | 'strings' | 'object' | 'array' | 'image' | 'images'}${'' | '!'}`
  | readonly string[];

const base64 = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/]+={0,2}$/u;

export const isImage = (value: unknown): boolean => typeof value === 'string' && base64.test(value);

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  int: (value) => Number.isSafeInteger(value),
  strings: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  object: isRecord,
  array: Array.isArray,
  image: isImage,
  images: (value) => Array.isArray(value) && value.every(isImage),
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

export type Body = Readonly<Record<string, unknown>>;

/** The body as an object, or the reason why it is invalid. A null counts as a missing field. */
export const readBody = (body: unknown, rules: Readonly<Record<string, Rule>>): Body | string => {
  if (!isRecord(body)) return 'the body must be a JSON object';
  for (const [name, rule] of Object.entries(rules)) {
    const value = body[name];
    if (typeof rule !== 'string') {
      if (!isEmpty(value) && !rule.includes(String(value))) return `${name} must be ${rule.join(' or ')}`;
      continue;
    }
    const required = rule.endsWith('!');
    const kind = rule.replace('!', '');
    if (isEmpty(value)) {
      if (required) return `${name} is required`;
      continue;
    }
    if (checks[kind]?.(value) !== true)
      return kind.startsWith('image') ? `${name} must be base64` : `${name} must be of the type ${kind}`;
  }
  return body;
};

export const textIn = (body: Body, name: string): string =>
  typeof body[name] === 'string' ? body[name] : '';
