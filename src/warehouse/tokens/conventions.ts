import type { DuckDBConnection } from '@duckdb/node-api';
import { unixSeconds } from '../../base/index.ts';
import { boundRows } from '../bound-rows.ts';
import { execute, optionalText, readRows, text, wholeNumber } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { TokenConvention } from './convention.ts';
import type { ModelConvention, ShownPrice, TokenEvidence } from './decide.ts';
import type { TokenRules } from './match-rule.ts';

const optionalCount = (row: Row | undefined, column: string): number | undefined => {
  const value = optionalText(row, column);
  return value === undefined ? undefined : Number(value);
};

const shownPrice = (row: Row): ShownPrice => ({
  day: unixSeconds(wholeNumber(row, 'day')),
  days: wholeNumber(row, 'days'),
  key: text(row, 'token_name'),
  calls: wholeNumber(row, 'calls'),
  shows: text(row, 'shows') as TokenConvention,
  promptPrice: text(row, 'prompt_price'),
  cachedPrice: text(row, 'cached_price'),
  cachedError: text(row, 'cached_error'),
});

/** All evidence of an account, by model. */
export const readEvidence = async (
  connection: DuckDBConnection,
  account: string,
): Promise<ReadonlyMap<string, TokenEvidence>> => {
  const models = await readRows(
    connection,
    `SELECT * EXCLUDE (witness), witness.moment AS witness_at, witness.prompt AS witness_prompt,
       witness.cached AS witness_cached, witness.cache_write AS witness_write
     FROM (
       SELECT model_name, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(cache_calls) AS BIGINT) AS cache_calls,
         CAST(sum(excludes_calls) AS BIGINT) AS excludes_calls,
         arg_min({moment: witness_at, prompt: witness_prompt, cached: witness_cached, cache_write: witness_write}, day)
           FILTER (witness_at IS NOT NULL) AS witness
       FROM token_row_evidence WHERE account = $account GROUP BY model_name
     ) ORDER BY model_name`,
    { account },
  );
  const prices = await readRows(
    connection,
    `SELECT *, count(*) OVER (PARTITION BY model_name, shows) AS times FROM token_price_evidence
     WHERE account = $account QUALIFY row_number() OVER (PARTITION BY model_name, shows ORDER BY day DESC) = 1`,
    { account },
  );
  const priceOf = (model: string, shows: TokenConvention): Row | undefined =>
    prices.find((row) => row['model_name'] === model && row['shows'] === shows);
  return new Map(
    models.map((row) => {
      const model = text(row, 'model_name');
      const includes = priceOf(model, 'includes_cache');
      const excludes = priceOf(model, 'excludes_cache');
      const at = optionalCount(row, 'witness_at');
      return [
        model,
        {
          calls: wholeNumber(row, 'calls'),
          cacheCalls: wholeNumber(row, 'cache_calls'),
          excludesCalls: wholeNumber(row, 'excludes_calls'),
          ...(at === undefined
            ? {}
            : {
                witness: {
                  at: unixSeconds(at),
                  prompt: wholeNumber(row, 'witness_prompt'),
                  cached: optionalCount(row, 'witness_cached'),
                  cacheWrite: optionalCount(row, 'witness_write'),
                },
              }),
          includesTimes: includes === undefined ? 0 : wholeNumber(includes, 'times'),
          excludesTimes: excludes === undefined ? 0 : wholeNumber(excludes, 'times'),
          ...(includes === undefined ? {} : { includesPrice: shownPrice(includes) }),
          ...(excludes === undefined ? {} : { excludesPrice: shownPrice(excludes) }),
        },
      ];
    }),
  );
};

export const readRules = async (connection: DuckDBConnection, account: string): Promise<TokenRules> => {
  const rows = await readRows(
    connection,
    'SELECT pattern, convention FROM token_rule WHERE account = $account ORDER BY pattern',
    { account },
  );
  return Object.fromEntries(
    rows.map((row) => [text(row, 'pattern'), text(row, 'convention') as TokenConvention]),
  );
};

export const writeRules = async (
  connection: DuckDBConnection,
  account: string,
  rules: TokenRules,
): Promise<void> => {
  await execute(connection, 'DELETE FROM token_rule WHERE account = $account', { account });
  await boundRows(
    connection,
    { pattern: 'VARCHAR', convention: 'VARCHAR' },
    Object.entries(rules),
    ([pattern, convention]) => ({ pattern, convention }),
  ).execute((table) => `INSERT INTO token_rule SELECT $account, pattern, convention FROM ${table}`, {
    account,
  });
};

export const readConventions = async (
  connection: DuckDBConnection,
  account: string,
): Promise<readonly ModelConvention[]> => {
  const rows = await readRows(
    connection,
    'SELECT * FROM token_convention WHERE account = $account ORDER BY model_name',
    { account },
  );
  return rows.map((row) => ({
    model: text(row, 'model_name'),
    convention: optionalText(row, 'convention') as TokenConvention | undefined,
    decidedBy: optionalText(row, 'decided_by') as ModelConvention['decidedBy'],
    contradicted: row['contradicted'] === true,
    evidence: JSON.parse(text(row, 'evidence')) as TokenEvidence,
  }));
};

/** Rewrites what is decided of an account. */
export const writeConventions = async (
  connection: DuckDBConnection,
  account: string,
  decided: readonly ModelConvention[],
): Promise<void> => {
  await execute(connection, 'DELETE FROM token_convention WHERE account = $account', { account });
  await boundRows(
    connection,
    {
      model: 'VARCHAR',
      convention: 'VARCHAR',
      decided_by: 'VARCHAR',
      contradicted: 'BIGINT',
      evidence: 'VARCHAR',
    },
    decided,
    (one) => ({
      model: one.model,
      convention: one.convention ?? null,
      decided_by: one.decidedBy ?? null,
      contradicted: one.contradicted ? 1 : 0,
      evidence: JSON.stringify(one.evidence),
    }),
  ).execute(
    (table) =>
      `INSERT INTO token_convention
       SELECT $account, model, convention, decided_by, contradicted = 1, evidence FROM ${table}`,
    { account },
  );
};
