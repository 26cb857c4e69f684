import { text, type StateEngine } from '../storage/index.ts';

/** The names that selectors can match, as the gateway served them. */
export type KnownNames = {
  /** Names of keys, of calls and of snapshots, and the services of rotated keys. */
  readonly keys: readonly string[];
  readonly models: readonly string[];
};

export type ReadNames = (
  account: string,
  /**
   * `summaries`: the names of the rollup and of snapshots, which may lack days that no report has read yet. `calls`: also
   * those of each stored call, which takes longer.
   */
  from: 'summaries' | 'calls',
) => Promise<KnownNames>;

const keysOfSummaries = [
  'SELECT DISTINCT token_name AS name FROM rollup_key WHERE account = $account',
  'SELECT DISTINCT name FROM key_snapshot WHERE account = $account',
  'SELECT name FROM key_lineage WHERE account = $account',
  'SELECT service AS name FROM key_lineage WHERE account = $account',
];
const modelsOfSummaries = ['SELECT DISTINCT model_name AS name FROM rollup_model WHERE account = $account'];

const ofCalls = (column: 'token_name' | 'model_name'): string =>
  `SELECT DISTINCT ${column} AS name FROM call_log WHERE account = $account`;

export const createKnownNames =
  (engine: StateEngine): ReadNames =>
  async (account, from) =>
    engine.state(async (connection) => {
      const read = async (selects: readonly string[]): Promise<readonly string[]> => {
        const sql = `SELECT name FROM (${selects.join(' UNION ')}) AS named WHERE name <> '' ORDER BY name`;
        return (await connection.rows(sql, { account })).map((row) => text(row, 'name'));
      };
      const all = from === 'calls';
      return {
        keys: await read(all ? [...keysOfSummaries, ofCalls('token_name')] : keysOfSummaries),
        models: await read(all ? [...modelsOfSummaries, ofCalls('model_name')] : modelsOfSummaries),
      };
    });
