import { isRecord } from '../request.ts';

const base64 = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/]+={0,2}$/u;

export const isImage = (value: unknown): boolean => typeof value === 'string' && base64.test(value);

const checks = {
  any: () => true,
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  int: (value) => Number.isSafeInteger(value),
  whole: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  amount: (value) => typeof value === 'number' && value >= 0,
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== ''),
  object: isRecord,
  array: Array.isArray,
  image: isImage,
  images: (value) => Array.isArray(value) && value.every(isImage),
} as const satisfies Readonly<Record<string, (value: unknown) => boolean>>;

/** The type of a request field; `!` marks a required one, and a list of texts an enumeration. */
export type Rule = `${keyof typeof checks}${'' | '!'}` | readonly string[];

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
    const kind = rule.replace('!', '') as keyof typeof checks;
    if (isEmpty(value)) {
      if (required) return `${name} is required`;
      continue;
    }
    if (!checks[kind](value))
      return kind.startsWith('image') ? `${name} must be base64` : `${name} must be of the type ${kind}`;
  }
  return body;
};

export const textIn = (body: Body, name: string): string =>
  typeof body[name] === 'string' ? body[name] : '';
