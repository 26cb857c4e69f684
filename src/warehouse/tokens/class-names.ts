/** Classes of a call's input; the known ones add up to `input_tokens`. */
export const inputClasses = [
  'input_uncached_tokens',
  'input_cache_read_tokens',
  'input_cache_write_tokens',
  'input_audio_tokens',
  'input_image_tokens',
  'input_unclassified_tokens',
] as const;

/** Classes of a call's output; the known ones add up to `output_tokens`. */
export const outputClasses = [
  'output_plain_tokens',
  'output_reasoning_tokens',
  'output_audio_tokens',
  'output_unclassified_tokens',
] as const;

/** Totals and classes as named in the cube and the view. */
export const tokenClasses = ['input_tokens', ...inputClasses, 'output_tokens', ...outputClasses] as const;

/** A class of tokens in which each token is counted once. */
export type TokenClass = (typeof inputClasses)[number] | (typeof outputClasses)[number];

export const countedClasses: readonly TokenClass[] = [...inputClasses, ...outputClasses];
