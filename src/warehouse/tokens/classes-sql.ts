import { countsOf, type CountedTokens } from '../../core/index.ts';
import { countsSql, countSql, includedIn, inputCountsSql, outputCountsSql } from './counts-sql.ts';

/** The remainder of each whole after its parts; NULL or negative where the parts exceed it. */
const remaindersSql = (relation: string): string => `
  SELECT *,
    cache = 0 OR convention IS NOT NULL AS splits,
    excludes OR cached IS NOT NULL AS reads_stated,
    CASE WHEN excludes THEN prompt WHEN cache <= prompt THEN prompt - cache END
      - included_input AS uncached,
    thought = 0 OR output_convention IS NOT NULL AS splits_output,
    CASE WHEN excludes_reasoning THEN completion ELSE completion - thought END - included_output AS plain
  FROM (
    SELECT *,
      coalesce(convention = 'excludes_cache', false) AS excludes,
      coalesce(cached, 0) + coalesce(cache_write, 0) AS cache,
      coalesce(output_convention = 'excludes_reasoning', false) AS excludes_reasoning,
      coalesce(reasoning, 0) AS thought
    FROM (${countsSql(relation)})
  )`;

const helpers = [
  'served',
  'convention',
  'prompt',
  'cached',
  'cache_write',
  'included_input',
  'completion',
  'reasoning',
  'included_output',
  'audio_somewhere',
  'excludes',
  'cache',
  'splits',
  'reads_stated',
  'uncached',
  'plain',
  'output_convention',
  'excludes_reasoning',
  'thought',
  'splits_output',
].join(', ');

/** What is included in a total is known where the rest of the total is. */
const includedClasses = (side: CountedTokens['side'], rest: string): string =>
  includedIn(side)
    .map(({ column, class: name }) => `CASE WHEN ${rest} >= 0 THEN ${countSql(column)} END AS ${name},`)
    .join('\n    ');

const unclassifiedSql = (side: CountedTokens['side']): string =>
  [`${side}_tokens`, ...countsOf(side).map((counted) => `coalesce(${counted.class}, 0)`)].join(' - ');

const classesSql = (relation: string): string => `
  SELECT * EXCLUDE (${helpers}),
    convention AS token_convention,
    output_convention AS token_output_convention,
    ${inputCountsSql} AS input_counts,
    ${outputCountsSql} AS output_counts,
    CASE WHEN excludes THEN prompt + cache ELSE prompt END AS input_tokens,
    CASE WHEN uncached >= 0 AND reads_stated THEN greatest(uncached - audio_somewhere, 0) END AS input_uncached_tokens,
    CASE WHEN splits AND (cache <= prompt OR excludes AND prompt >= 0) THEN cached END AS input_cache_read_tokens,
    CASE WHEN splits AND (cache <= prompt OR excludes AND prompt >= 0) THEN cache_write END AS input_cache_write_tokens,
    ${includedClasses('input', 'uncached')}
    ${includedClasses('output', 'plain')}
    CASE WHEN excludes_reasoning THEN completion + thought ELSE completion END AS output_tokens,
    CASE WHEN plain >= 0 THEN greatest(plain - audio_somewhere, 0) END AS output_plain_tokens,
    CASE WHEN splits_output AND (plain >= 0 OR excludes_reasoning AND completion >= 0) THEN reasoning END
      AS output_reasoning_tokens
  FROM (${remaindersSql(relation)})`;

/**
 * The calls of a relation with the columns of `call_log`, each with its tokens counted once: the totals of input and
 * output, and classes that add up to them. A class is NULL if the call does not contain it; its tokens are then in the
 * class that includes them (audio in uncached, reasoning in plain). A total is NULL if its column is. Tokens that
 * cannot be split are unclassified:
 * - Cached and cache-write tokens of a model whose convention is open: they are part of the prompt or are added to it.
 * The input is then the prompt as served, the minimum.
 * - Reasoning tokens of a model whose output convention is open, likewise: the output is then the completion as served.
 * - All tokens of a prompt or completion whose parts exceed the whole: the counts contradict each other.
 * - The remainder of a prompt that may include an unknown number of cached tokens.
 * - Audio that is not assigned to the input or the output, as far as either can include it. Counts have at most 18
 * digits, as landing ensures, so nothing overflows.
 *
 * `input_counts` and `output_counts` say how far the export that brought the call states its tokens.
 */
export const classedCallsSql = (relation: string): string => `
  SELECT *,
    ${unclassifiedSql('input')} AS input_unclassified_tokens,
    ${unclassifiedSql('output')} AS output_unclassified_tokens
  FROM (${classesSql(relation)})`;
