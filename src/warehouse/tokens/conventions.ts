import {
  boundRows,
  column,
  flag,
  json,
  label,
  optional,
  readAs,
  rowReader,
  text,
  type Sql,
} from '../../storage/index.ts';
import type { TokenConvention, TokenSide } from './convention.ts';
import type { ModelConvention, OutputDecision, TokenEvidence } from './decide.ts';
import type { RulesOf } from './match-rule.ts';

export const readRules = async <Convention extends string>(
  connection: Sql,
  account: string,
  side: TokenSide,
): Promise<RulesOf<Convention>> => {
  const rows = await connection.rows(
    'SELECT pattern, convention FROM token_rule WHERE account = $account AND side = $side ORDER BY pattern',
    { account, side },
  );
  return Object.fromEntries(rows.map((row) => [text(row, 'pattern'), text(row, 'convention') as Convention]));
};

export const writeRules = async (
  connection: Sql,
  account: string,
  side: TokenSide,
  rules: RulesOf<string>,
): Promise<void> => {
  await connection.execute('DELETE FROM token_rule WHERE account = $account AND side = $side', {
    account,
    side,
  });
  await boundRows(
    connection,
    { pattern: 'VARCHAR', convention: 'VARCHAR' },
    Object.entries(rules),
    ([pattern, convention]) => ({ pattern, convention }),
  ).execute(
    (table) => `INSERT INTO token_rule (account, pattern, convention, side)
       SELECT $account, pattern, convention, $side FROM ${table} AS added`,
    { account, side },
  );
};

/** The state before an account's output was first examined. */
const undecidedOutput: OutputDecision = {
  convention: undefined,
  decidedBy: undefined,
  contradicted: false,
  evidence: { calls: 0, reasoningCalls: 0, excludesCalls: 0, includesTimes: 0, excludesTimes: 0 },
};

const modelConvention = rowReader({
  model: column('model_name', text),
  convention: optional(label<TokenConvention>()),
  decidedBy: optional(label<NonNullable<ModelConvention['decidedBy']>>()),
  contradicted: flag,
  evidence: json<TokenEvidence>(),
  // JSON omits undefined fields.
  output: (row, name): OutputDecision => ({
    ...undecidedOutput,
    ...optional(json<Partial<OutputDecision>>())(row, name),
  }),
});

export const readConventions = async (
  connection: Sql,
  account: string,
): Promise<readonly ModelConvention[]> =>
  readAs(
    connection,
    modelConvention,
    'SELECT * FROM token_convention WHERE account = $account ORDER BY model_name',
    { account },
  );

/** Rewrites the decisions of an account. */
export const writeConventions = async (
  connection: Sql,
  account: string,
  decided: readonly ModelConvention[],
): Promise<void> => {
  await connection.execute('DELETE FROM token_convention WHERE account = $account', { account });
  await boundRows(
    connection,
    {
      model: 'VARCHAR',
      convention: 'VARCHAR',
      decided_by: 'VARCHAR',
      contradicted: 'BIGINT',
      evidence: 'VARCHAR',
      output_convention: 'VARCHAR',
      output: 'VARCHAR',
    },
    decided,
    (one) => ({
      model: one.model,
      convention: one.convention ?? null,
      decided_by: one.decidedBy ?? null,
      contradicted: one.contradicted ? 1 : 0,
      evidence: JSON.stringify(one.evidence),
      output_convention: one.output.convention ?? null,
      output: JSON.stringify(one.output),
    }),
  ).execute(
    (table) =>
      `INSERT INTO token_convention
         (account, model_name, convention, decided_by, contradicted, evidence, output_convention, output)
       SELECT $account, model, convention, decided_by, contradicted = 1, evidence, output_convention, output
       FROM ${table} AS added`,
    { account },
  );
};
