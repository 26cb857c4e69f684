import { countsOf, type CountedTokens, type Money, type PricedClass } from '../../core/index.ts';

/** A class of tokens in which each token is counted once. */
export type TokenClass = PricedClass | 'input_unclassified_tokens' | 'output_unclassified_tokens';

const classesOf = (side: CountedTokens['side']): readonly TokenClass[] => [
  ...countsOf(side).map((counted) => counted.class),
  `${side}_unclassified_tokens`,
];

/** Classes of a call's input; the known ones add up to `input_tokens`. */
export const inputClasses = classesOf('input');

/** Classes of a call's output; the known ones add up to `output_tokens`. */
export const outputClasses = classesOf('output');

/** Totals and classes as named in the cube and the view. */
export const tokenClasses = ['input_tokens', ...inputClasses, 'output_tokens', ...outputClasses] as const;

export const countedClasses: readonly TokenClass[] = [...inputClasses, ...outputClasses];

/** Tokens by class; a class that is missing has none. */
export type ClassTokens = Readonly<Partial<Record<TokenClass, bigint>>>;

/** The price of tokens by class, in one unit; a class that is missing has none that is known. */
export type ClassPrices = Readonly<Partial<Record<TokenClass, Money>>>;

export const sumTokens = (parts: readonly { readonly tokens: ClassTokens }[]): ClassTokens =>
  Object.fromEntries(
    countedClasses.flatMap((name) => {
      const total = parts.reduce((sum, { tokens }) => sum + (tokens[name] ?? 0n), 0n);
      return total === 0n ? [] : [[name, total]];
    }),
  );
