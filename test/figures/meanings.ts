import type { Dimension, Sums } from './account-truth.ts';

/** What a column or figure of a report states, so that it can be computed from the truth. */
export type Meaning =
  | { readonly is: 'name'; readonly of: Dimension }
  /** An amount, in the currency of the report. */
  | {
      readonly is: 'amount';
      readonly of: 'spend' | 'consumption' | 'refunds';
      /** Its change is not against the period before. */
      readonly isComparedOtherwise?: true;
    }
  | { readonly is: 'count'; readonly of: keyof Sums }
  /** A count as the gateway serves it, whose convention the data file does not state. */
  | { readonly is: 'served'; readonly of: 'prompt' | 'completion' | 'cacheRead' | 'reasoning' }
  /** `of` is an amount where `money` is set, a count otherwise. */
  | {
      readonly is: 'quotient';
      readonly of: keyof Sums;
      readonly by: keyof Sums;
      readonly times?: bigint;
      readonly money?: true;
    }
  | { readonly is: 'share'; readonly of: 'spend' }
  | { readonly is: 'change'; readonly of: 'spend' | 'calls' }
  /** Price of a million tokens of a class, fitted to the charges. */
  | {
      readonly is: 'price';
      readonly of:
        | 'text'
        | 'cached'
        | 'cacheWrite'
        | 'completion'
        | 'audioInput'
        | 'audioOutput'
        | 'imageInput';
    }
  /** Tokens that are in no class: their row is marked as partly unknown. */
  | { readonly is: 'mark' }
  | { readonly is: 'other'; readonly why: string };

const count = (of: keyof Sums): Meaning => ({ is: 'count', of });

const perMillion = {
  is: 'quotient',
  of: 'rateSpend',
  by: 'rateTokens',
  times: 1_000_000n,
  money: true,
} as const;

const columns: Readonly<Record<string, Meaning>> = {
  model_name: { is: 'name', of: 'model' },
  service: { is: 'name', of: 'key' },
  day: { is: 'name', of: 'day' },
  team: { is: 'name', of: 'team' },
  spend: { is: 'amount', of: 'spend' },
  consumption: { is: 'amount', of: 'consumption' },
  refunds: { is: 'amount', of: 'refunds' },
  spend_share: { is: 'share', of: 'spend' },
  spend_change: { is: 'change', of: 'spend' },
  calls: count('calls'),
  tokens: count('tokens'),
  input: count('input'),
  input_tokens: count('input'),
  uncached: count('uncached'),
  input_uncached_tokens: count('uncached'),
  cache_read: count('cacheRead'),
  input_cache_read_tokens: count('cacheRead'),
  cached: count('cacheRead'),
  cache_write: count('cacheWrite'),
  input_cache_write_tokens: count('cacheWrite'),
  audio_input: count('audioInput'),
  input_audio_tokens: count('audioInput'),
  image: count('image'),
  input_image_tokens: count('image'),
  split: { is: 'mark' },
  input_open: { is: 'mark' },
  input_unclassified_tokens: { is: 'mark' },
  output: count('output'),
  output_tokens: count('output'),
  reasoning: count('reasoning'),
  output_reasoning_tokens: count('reasoning'),
  output_plain_tokens: count('plain'),
  output_open: { is: 'mark' },
  output_unclassified_tokens: { is: 'mark' },
  first_day: { is: 'mark' },
  last_day: { is: 'mark' },
  input_counts: { is: 'mark' },
  output_counts: { is: 'mark' },
  audio_output: count('audioOutput'),
  output_audio_tokens: count('audioOutput'),
  prompt_tokens: { is: 'served', of: 'prompt' },
  completion_tokens: { is: 'served', of: 'completion' },
  cached_tokens: { is: 'served', of: 'cacheRead' },
  reasoning_tokens: { is: 'served', of: 'reasoning' },
  rate_cache_read_per_rate_input: { is: 'quotient', of: 'rateCacheRead', by: 'rateInput' },
  token_spend_per_tokens: perMillion,
  uncached_cost_per_uncached: { is: 'price', of: 'text' },
  cache_read_cost_per_cache_read: { is: 'price', of: 'cached' },
  cache_write_cost_per_cache_write: { is: 'price', of: 'cacheWrite' },
  plain_cost_per_plain: { is: 'price', of: 'completion' },
  reasoning_cost_per_reasoning: { is: 'price', of: 'completion' },
  audio_input_cost_per_audio_input: { is: 'price', of: 'audioInput' },
  audio_output_cost_per_audio_output: { is: 'price', of: 'audioOutput' },
  image_cost_per_image: { is: 'price', of: 'imageInput' },
  source: { is: 'other', why: 'says where a price comes from' },
  without_cache: { is: 'other', why: 'follows from a price and tokens that are compared' },
  with_cache: { is: 'other', why: 'follows from a price and tokens that are compared' },
  saved: { is: 'other', why: 'follows from a price and tokens that are compared' },
  name: { is: 'name', of: 'key' },
  generation: { is: 'other', why: 'of the inventory of keys' },
  state: { is: 'other', why: 'of the inventory of keys' },
  age: { is: 'other', why: 'of the inventory of keys' },
  expires_seconds: { is: 'other', why: 'of the inventory of keys' },
  last_call_seconds: { is: 'other', why: 'of the inventory of keys' },
  ours: { is: 'amount', of: 'spend' },
  theirs: { is: 'other', why: 'of another source' },
  entry: { is: 'other', why: 'of another source' },
  gap: { is: 'other', why: 'of another source' },
  unit: { is: 'other', why: 'of another source' },
  verdict: { is: 'other', why: 'of another source' },
  cause: { is: 'other', why: 'the test of causes compares it' },
  spend_difference: { is: 'other', why: 'follows from spend and its change, which are compared' },
  cache_write_tokens: count('cacheWrite'),
  priced_spend_per_priced_volume: perMillion,
  amount: { is: 'other', why: 'the test of causes compares it' },
  leading_model: { is: 'other', why: 'the test of causes compares it' },
  leading_key: { is: 'other', why: 'the test of causes compares it' },
  leading_amount: { is: 'other', why: 'the test of causes compares it' },
};

const figures: Readonly<Record<string, Meaning>> = {
  Spend: { is: 'amount', of: 'spend' },
  Consumption: { is: 'amount', of: 'consumption' },
  Refunds: { is: 'amount', of: 'refunds' },
  Calls: count('calls'),
  Tokens: count('tokens'),
  'Input tokens': count('input'),
  'Output tokens': count('output'),
  'Per 1M tokens': perMillion,
  'Cache hit rate': { is: 'quotient', of: 'rateCacheRead', by: 'rateInput' },
  'Reasoning share': { is: 'quotient', of: 'rateReasoning', by: 'rateOutput' },
  'Tokens per call': { is: 'quotient', of: 'rateTokens', by: 'rateCalls' },
  'Daily average': { is: 'other', why: 'the test of means compares it' },
  'This day': { is: 'amount', of: 'spend', isComparedOtherwise: true },
  Keys: { is: 'other', why: 'of the inventory of keys' },
  'Idle for 30 days': { is: 'other', why: 'of the inventory of keys' },
  'Expire within 30 days': { is: 'other', why: 'of the inventory of keys' },
  'Without a quota limit': { is: 'other', why: 'of the inventory of keys' },
  'Sharing a name': { is: 'other', why: 'of the inventory of keys' },
  'Spend in the call log': { is: 'amount', of: 'spend' },
  'Sources compared': { is: 'other', why: 'of other sources' },
  Agree: { is: 'other', why: 'of other sources' },
  'Entries that differ': { is: 'other', why: 'of other sources' },
  'Days restated': { is: 'other', why: 'of restatements' },
  'Month to date': { is: 'other', why: 'of another period' },
  Forecast: { is: 'other', why: 'of another period' },
};

/** @throws Error for a column that nobody has said how to verify. */
export const columnMeaning = (table: string, column: string): Meaning => {
  const meaning = columns[column];
  if (meaning === undefined) throw new Error(`no meaning is declared for the column ${column} of ${table}`);
  return meaning;
};

/** @throws Error for a figure that nobody has said how to verify. */
export const figureMeaning = (report: string, label: string): Meaning => {
  const meaning = figures[label];
  if (meaning === undefined) throw new Error(`no meaning is declared for the figure "${label}" of ${report}`);
  return meaning;
};
