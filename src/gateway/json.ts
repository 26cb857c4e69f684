import { LosslessNumber, isLosslessNumber, parse, stringify } from 'lossless-json';
import { money } from '../core/index.ts';
import type { Money } from '../core/index.ts';

/** Parses JSON and keeps every number as it is written. @throws SyntaxError */
export const parseJson = (text: string): unknown => parse(text);

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
