/** A JSON number as its digits, so that no amount becomes a float. */
export type ExactNumber = { readonly exact: string };
export type Json =
  | string
  | number
  | boolean
  | null
  | ExactNumber
  | readonly Json[]
  | { readonly [name: string]: Json };

export const exact = (digits: string): ExactNumber => {
  if (!/^-?\d+(?:\.\d+)?$/u.test(digits)) throw new RangeError(`not a JSON number: ${digits}`);
  return { exact: digits };
};

const isExact = (value: object): value is ExactNumber => 'exact' in value && typeof value.exact === 'string';

export const toJson = (value: Json): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => toJson(item)).join(',')}]`;
  if (isExact(value)) return value.exact;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`);
  return `{${members.join(',')}}`;
};
