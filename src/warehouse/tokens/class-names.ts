import { countsOf, type CountedTokens, type PricedClass } from '../../core/index.ts';

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
