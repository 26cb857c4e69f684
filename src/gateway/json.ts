import { LosslessNumber, isLosslessNumber, parse, stringify } from 'lossless-json';
import { money, type Money } from '../core/index.ts';

/** No answer of the contract nests deeper than ten levels; writing values takes more of the stack than reading them. */
const deepest = 500;

/** Whether brackets outside of texts nest deeper than any answer. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  for (const [mark] of text.matchAll(/[[\]{}]|"(?:[^"\\]|\\.)*"/gs)) {
    if (mark === '[' || mark === '{') depth += 1;
    else if (mark === ']' || mark === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
};

/** Parses JSON and keeps every number as it is written. @throws SyntaxError, also for JSON that is nested too deeply */
export const parseJson = (text: string): unknown => {
  if (isTooDeep(text)) throw new SyntaxError(`the JSON is nested deeper than ${deepest} levels`);
  return parse(text);
};

/** The digits of a number parsed by `parseJson`; undefined when the value is no number. */
export const numberText = (value: unknown): string | undefined =>
  isLosslessNumber(value) ? value.value : undefined;

/** An amount as a JSON number, digit for digit. */
export const jsonNumber = (amount: Money): unknown => new LosslessNumber(money(amount));

/** JSON text of a value that may contain numbers of `parseJson` and `jsonNumber`. */
export const jsonText = (value: unknown): string => stringify(value) ?? 'null';

/** Fields that the contract does not name: each value as JSON text, with numbers as written. */
export type UnknownFields = Readonly<Record<string, string>>;

export const unknownFields = (
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
): UnknownFields => {
  const named = new Set(known);
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !named.has(name))
      .map(([name, value]) => [name, jsonText(value)]),
  );
};
