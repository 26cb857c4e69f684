import { countsOf, type CountColumn, type CountedTokens } from '../../core/index.ts';
import { isServedSql, servedByDaySql } from '../logs/served-columns.ts';

/** A negative count is invalid: unknown. */
export const countSql = (column: string): string => `CASE WHEN ${column} >= 0 THEN ${column} END`;

/** Counts that the total of their side always includes. */
export const includedIn = (side: CountedTokens['side']) =>
  countsOf(side).filter(({ included }) => included === true);

const includedSql = (side: CountedTokens['side']): string =>
  ['0', ...includedIn(side).map(({ column }) => `coalesce(${countSql(`calls.${column}`)}, 0)`)].join(' + ');

/** The effective counts of a call, the conventions of its model, and the columns that its export had. */
export const countsSql = (relation: string): string => `
  SELECT calls.*, token_convention.convention, token_convention.output_convention,
    coalesce(calls.served_columns, earlier_day.served, 0) AS served,
    ${countSql('calls.prompt_tokens')} AS prompt,
    ${countSql('calls.cached_tokens')} AS cached,
    ${countSql('calls.cache_write_tokens')} AS cache_write,
    ${countSql('calls.completion_tokens')} AS completion,
    ${countSql('calls.reasoning_tokens')} AS reasoning,
    ${includedSql('input')} AS included_input,
    ${includedSql('output')} AS included_output,
    -- Audio that is not said to be of the input or the output.
    CASE WHEN calls.audio_input_tokens IS NULL AND calls.audio_output_tokens IS NULL
      THEN greatest(coalesce(calls.audio_tokens, 0), 0) ELSE 0 END AS audio_somewhere
  FROM ${relation} AS calls
  LEFT JOIN token_convention
    ON token_convention.account = calls.account AND token_convention.model_name = calls.model_name
  LEFT JOIN (${servedByDaySql(relation)}) AS earlier_day
    ON earlier_day.account = calls.account AND earlier_day.day = calls.created_at // 86400`;

/** Whether an unknown whole may have tokens: not where its column is served and the other side of the call has none. */
const lacksWhole = (whole: string, role: CountColumn, other: string): string =>
  `${whole} IS NULL AND (NOT ${isServedSql(role, 'served')} OR coalesce(${other}, 0) > 0)`;

/** Whether an unknown part may have tokens: in a served column only beside tokens of its own side. */
const lacksPart = (part: string, role: CountColumn, whole: string): string =>
  `${part} IS NULL AND CASE WHEN ${isServedSql(role, 'served')} THEN coalesce(${whole}, 0) > 0
    ELSE coalesce(prompt, 0) + coalesce(completion, 0) > 0 END`;

/** A refund has no tokens: it belongs to the calls of exports with the same columns. */
const lacks = (missing: string, role: CountColumn): string =>
  `CASE WHEN kind = 'refund' THEN NOT ${isServedSql(role, 'served')} ELSE ${missing} END`;

const lacksCached = lacks(lacksPart('cached', 'cached_tokens', 'prompt'), 'cached_tokens');
const lacksCacheWrite = lacks(lacksPart('cache_write', 'cache_write_tokens', 'prompt'), 'cache_write_tokens');
const lacksReasoning = lacks(lacksPart('reasoning', 'reasoning_tokens', 'completion'), 'reasoning_tokens');
const lacksPrompt = lacks(lacksWhole('prompt', 'prompt_tokens', 'completion'), 'prompt_tokens');
const lacksCompletion = lacks(lacksWhole('completion', 'completion_tokens', 'prompt'), 'completion_tokens');

/**
 * How far the export states the tokens of a call: `known`; `split unknown` where it states the total without its cached
 * (or reasoning) tokens; `lower bound` where tokens may be missing from the total. Parts that a whole includes are
 * missing from no total.
 */
const stateSql = (whole: string, parts: readonly string[], includes: string): string =>
  `CASE WHEN ${whole} OR (${parts.join(' OR ')}) AND ${includes} IS NOT TRUE THEN 'lower bound'
    WHEN ${parts[0] ?? 'false'} THEN 'split unknown' ELSE 'known' END`;

export const inputCountsSql = stateSql(
  `(${lacksPrompt})`,
  [`(${lacksCached})`, `(${lacksCacheWrite})`],
  `(convention = 'includes_cache')`,
);

export const outputCountsSql = stateSql(
  `(${lacksCompletion})`,
  [`(${lacksReasoning})`],
  `(output_convention = 'includes_reasoning')`,
);
