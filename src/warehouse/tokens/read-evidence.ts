import { unixSeconds } from '../../core/index.ts';
import {
  all,
  column,
  label,
  optional,
  rowReader,
  seconds,
  text,
  wholeNumber,
  type Row,
  type Sql,
} from '../../storage/index.ts';
import type { TokenSide } from './convention.ts';
import type { ModelEvidence, ShownPrice } from './decide.ts';

/** Counts of a call have up to 18 digits; as evidence they are only shown. */
const shownCount = (row: Row, column: string): number | undefined =>
  row[column] === null ? undefined : Number(text(row, column));

const optionalCount = optional(wholeNumber);

const shownPrice = rowReader({
  day: seconds,
  ...all(wholeNumber, 'days', 'calls'),
  key: column('token_name', text),
  shows: label<ShownPrice['shows']>(),
  ...all(text, 'wholePrice', 'partPrice', 'partError'),
});

/** For each side, the calls and the first proof. */
const rowsSql = `
  SELECT sums.*, witness_at, witness_whole, witness_part, witness_write
  FROM (
    SELECT model_name, side, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(part_calls) AS BIGINT) AS part_calls,
      CAST(sum(excludes_calls) AS BIGINT) AS excludes_calls
    FROM token_row_evidence WHERE account = $account GROUP BY model_name, side
  ) AS sums
  LEFT JOIN (
    SELECT DISTINCT ON (model_name, side) * FROM token_row_evidence
    WHERE account = $account AND witness_at IS NOT NULL ORDER BY model_name, side, day
  ) AS witness ON witness.model_name = sums.model_name AND witness.side = sums.side
  ORDER BY sums.model_name`;

const pricesSql = `
  SELECT * FROM (
    SELECT *, count(*) OVER (PARTITION BY model_name, shows) AS times,
      row_number() OVER (PARTITION BY model_name, shows ORDER BY day DESC) AS place
    FROM token_price_evidence WHERE account = $account
  ) AS placed WHERE place = 1`;

/** All evidence of an account, by model. */
export const readEvidence = async (
  connection: Sql,
  account: string,
): Promise<ReadonlyMap<string, ModelEvidence>> => {
  const rows = await connection.rows(rowsSql, { account });
  const prices = await connection.rows(pricesSql, { account });
  const proofsOf = (model: string, side: TokenSide) => {
    const row = rows.find((one) => one['model_name'] === model && one['side'] === side);
    const priceOf = (shows: ShownPrice['shows']): Row | undefined =>
      prices.find((one) => one['model_name'] === model && one['shows'] === shows);
    const includes = priceOf(side === 'input' ? 'includes_cache' : 'includes_reasoning');
    const excludes = priceOf(side === 'input' ? 'excludes_cache' : 'excludes_reasoning');
    const count = (column: string): number => (row === undefined ? 0 : wholeNumber(row, column));
    const at = row === undefined ? undefined : optionalCount(row, 'witness_at');
    return {
      partCalls: count('part_calls'),
      witness:
        row === undefined || at === undefined
          ? undefined
          : { at: unixSeconds(at), whole: Number(text(row, 'witness_whole')), row },
      proofs: {
        calls: count('calls'),
        excludesCalls: count('excludes_calls'),
        includesTimes: includes === undefined ? 0 : wholeNumber(includes, 'times'),
        excludesTimes: excludes === undefined ? 0 : wholeNumber(excludes, 'times'),
        ...(includes === undefined ? {} : { includesPrice: shownPrice(includes) }),
        ...(excludes === undefined ? {} : { excludesPrice: shownPrice(excludes) }),
      },
    };
  };
  const inputOf = (model: string): ModelEvidence['input'] => {
    const { proofs, partCalls, witness } = proofsOf(model, 'input');
    if (witness === undefined) return { ...proofs, cacheCalls: partCalls };
    const { at, whole: prompt, row } = witness;
    const cached = shownCount(row, 'witness_part');
    const cacheWrite = shownCount(row, 'witness_write');
    return { ...proofs, cacheCalls: partCalls, witness: { at, prompt, cached, cacheWrite } };
  };
  const outputOf = (model: string): ModelEvidence['output'] => {
    const { proofs, partCalls, witness } = proofsOf(model, 'output');
    if (witness === undefined) return { ...proofs, reasoningCalls: partCalls };
    const { at, whole: completion, row } = witness;
    const reasoning = shownCount(row, 'witness_part');
    return { ...proofs, reasoningCalls: partCalls, witness: { at, completion, reasoning } };
  };
  const models = new Set(rows.map((row) => text(row, 'model_name')));
  return new Map([...models].map((model) => [model, { input: inputOf(model), output: outputOf(model) }]));
};
