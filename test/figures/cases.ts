import { parseVariants, variantNames, variantTable, type Variants } from '../../src/sandbox/index.ts';
import { coverPairs } from '../support/pairs.ts';

/** How a gateway writes its exports and figures, and the currency that an account is kept in. */
export type Case = {
  readonly name: string;
  readonly currency: 'USD' | 'CNY';
  readonly variants: Partial<Variants>;
};

/** Variants of keys, errors and model calls do not reach a figure; those of partly served columns are in token-columns.test.ts. */
const aboutFigures =
  /^(created_at|log_|refund_rows|cached_header|quota_header|column_|extra_|unknown_|detailed_|title_|total_|guarded_|hidden_|row_|prompt_|completion_|kind_|status_|late_rows|statistics_|usage_|profile_|export_|amount_)/u;

const axes = [
  { name: 'currency', values: ['USD', 'CNY'] as readonly string[], usual: 'USD' },
  ...variantNames
    .filter((name) => aboutFigures.test(name))
    .map((name) => ({
      name,
      values: variantTable[name].values as readonly string[],
      usual: variantTable[name].default,
    })),
];

const caseOf = (row: readonly number[]): Case => {
  const chosen = axes.map(({ name, values, usual }, axis) => ({
    name,
    value: values[row[axis] ?? 0] ?? usual,
    usual,
  }));
  const [currency, ...variants] = chosen;
  const unusual = chosen.filter(({ value, usual }) => value !== usual);
  return {
    name: unusual.length === 0 ? 'defaults' : unusual.map(({ name, value }) => `${name}=${value}`).join(' '),
    currency: currency?.value === 'CNY' ? 'CNY' : 'USD',
    variants: parseVariants(Object.fromEntries(variants.map(({ name, value }) => [name, value]))),
  };
};

const defaultRow = axes.map(({ values, usual }) => values.indexOf(usual));

export const defaultCase: Case = caseOf(defaultRow);

/** Each two values of different axes together in at least one case. */
export const pairedCases = (): readonly Case[] =>
  coverPairs(axes.map(({ values }) => values.length)).map(caseOf);
