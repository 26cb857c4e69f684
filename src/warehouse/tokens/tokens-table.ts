import { createNamedGates, type Log } from '../../core/index.ts';
import type { Sql, StateEngine } from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { markModels } from '../rollup/change-calls.ts';
import type { OutputConvention, TokenConvention } from './convention.ts';
import { readConventions, readRules, writeConventions, writeRules } from './conventions.ts';
import { decide, type ModelConvention } from './decide.ts';
import type { OutputRules, RulesOf, TokenRules } from './match-rule.ts';
import { judgePrices } from './price-evidence.ts';
import { readEvidence } from './read-evidence.ts';
import { daysToPrice, judgeRows, staleDays, writeJudged } from './row-evidence.ts';

export type TokensTable = {
  /**
   * The conventions of each model's prompt and completion tokens, with the reasons, by model; examines the newest data
   * first.
   */
  readonly conventions: (account: string, signal?: AbortSignal) => Promise<readonly ModelConvention[]>;
  /** Replaces the rules of the configuration, by model name patterns in which `*` matches anything. */
  readonly configure: (account: string, input: TokenRules, output?: OutputRules) => Promise<void>;
  /** Examines what landed since the last call; cheap when nothing is new. Changes are logged. */
  readonly judge: (account: string, signal?: AbortSignal) => Promise<void>;
};

const sameRules = (left: RulesOf<string>, right: RulesOf<string>): boolean => {
  const written = (rules: RulesOf<string>): string =>
    JSON.stringify(Object.entries(rules).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return written(left) === written(right);
};

/** Models whose tokens are counted in another way than before. */
const changedModels = (
  before: readonly ModelConvention[],
  now: readonly ModelConvention[],
): readonly string[] => {
  const written = (models: readonly ModelConvention[]): ReadonlyMap<string, string> =>
    new Map(
      models.flatMap(({ model, convention, output }) =>
        convention === undefined && output.convention === undefined
          ? []
          : [[model, `${convention} ${output.convention}`]],
      ),
    );
  const [old, current] = [written(before), written(now)];
  return [...new Set([...old.keys(), ...current.keys()])].filter(
    (model) => old.get(model) !== current.get(model),
  );
};

const evidenceTables = ['token_row_evidence', 'token_price_evidence'] as const;
const decisionTables = ['token_convention', 'rollup_mark'] as const;

/** Updates the decisions from the evidence and the rules, and returns the previous ones. */
const decideAll = async (
  connection: Sql,
  account: string,
): Promise<{ readonly before: readonly ModelConvention[]; readonly now: readonly ModelConvention[] }> => {
  const before = await readConventions(connection, account);
  const rules = {
    input: await readRules<TokenConvention>(connection, account, 'input'),
    output: await readRules<OutputConvention>(connection, account, 'output'),
  };
  const evidence = await readEvidence(connection, account);
  const now = [...evidence].map(([model, seen]) => decide(model, seen, rules));
  await writeConventions(connection, account, now);
  await markModels(connection, account, changedModels(before, now));
  return { before, now };
};

const notifyChanges = (
  log: Log,
  account: string,
  { before: formerly, now }: Awaited<ReturnType<typeof decideAll>>,
): void => {
  const known = new Map(formerly.map((one) => [one.model, one]));
  for (const { model, output, ...input } of now) {
    const earlier = known.get(model);
    for (const [tokens, one, before] of [
      ['prompt tokens', input, earlier],
      ['completion tokens', output, earlier?.output],
    ] as const) {
      const { convention, decidedBy, contradicted } = one;
      const fields = { account, model, convention: convention ?? 'open', decidedBy: decidedBy ?? 'nothing' };
      if (contradicted && before?.contradicted !== true)
        log.warn(`observed ${tokens} of calls contradict the earlier conclusion about them`, fields);
      else if (convention !== before?.convention)
        log.info(`concluded how the ${tokens} of a model are composed`, fields);
    }
  }
};

export const createTokensTable = (engine: StateEngine, rowStore: AccountStore, log: Log): TokensTable => {
  const oneAnAccount = createNamedGates();

  const judge = async (account: string, signal?: AbortSignal): Promise<void> =>
    oneAnAccount(account, async () => {
      const { ranges: stale } = await rowStore.read(
        { account, reads: ['log_window', 'token_judged'] },
        async ({ connection }) => staleDays(connection, account),
        signal,
      );
      if (stale.length === 0) return;
      await rowStore
        .publish(
          {
            account,
            reads: ['log_window', 'token_rule'],
            writes: ['token_judged', ...evidenceTables, ...decisionTables],
          },
          async (change) => {
            const { connection } = change;
            const { ranges, reached } = await staleDays(connection, account);
            for (const range of ranges) await judgeRows(change, account, range);
            for (const side of ['input', 'output'] as const)
              await judgePrices(change, account, side, await daysToPrice(connection, account, side, ranges));
            await writeJudged(connection, account, reached);
            return decideAll(connection, account);
          },
          { signal },
        )
        .then((changes) => notifyChanges(log, account, changes));
    });

  return {
    judge,
    conventions: async (account, signal) => {
      await judge(account, signal);
      return engine.state(async (connection) => readConventions(connection, account));
    },
    configure: async (account, input, output = {}) =>
      oneAnAccount(account, async () => {
        const isSame = await rowStore.read(
          { account, reads: ['token_rule'] },
          async ({ connection }) =>
            sameRules(input, await readRules(connection, account, 'input')) &&
            sameRules(output, await readRules(connection, account, 'output')),
        );
        if (isSame) return;
        const touched = {
          account,
          reads: evidenceTables,
          writes: ['token_rule', ...decisionTables],
        } as const;
        await rowStore
          .publish(touched, async ({ connection }) => {
            await writeRules(connection, account, 'input', input);
            await writeRules(connection, account, 'output', output);
            return decideAll(connection, account);
          })
          .then((changes) => notifyChanges(log, account, changes));
      }),
  };
};
