import { type Bindings, type Sql } from '../../storage/index.ts';

/** Calls of an account between two moments, seconds UTC, half-open. */
export type CallsRange = { readonly account: string; readonly start: number; readonly end: number };

/** Later than any call. */
const endOfTime = Number.MAX_SAFE_INTEGER;

/** Whether calls depend on others of their UTC day: their columns are known only from the values of that day. */
const dependsOnDay = `EXISTS (FROM call_log WHERE account = $account AND served_columns IS NULL
  AND created_at >= $start // 86400 * 86400 AND created_at < ($end + 86399) // 86400 * 86400)`;

/** Marks a range whose cells are no longer valid. */
export const changedRange = async (connection: Sql, range: CallsRange): Promise<void> => {
  await connection.execute(
    `INSERT INTO rollup_mark
     SELECT $account, CASE WHEN depends THEN $start // 86400 * 86400 ELSE $start END,
       CASE WHEN depends THEN ($end + 86399) // 86400 * 86400 ELSE $end END, NULL
     FROM (SELECT ${dependsOnDay} AS depends)
     WHERE NOT EXISTS (FROM rollup_mark
       WHERE account = $account AND model_name IS NULL AND start_at <= $start AND end_at >= $end)`,
    { ...range },
  );
};

/**
 * Runs a statement that changes calls of the range, and marks the range in the same transaction: its cells in the
 * rollup are not read until they are built again. The only way to write `call_log`. Returns the number of rows.
 */
export const changeCalls = async (
  connection: Sql,
  range: CallsRange,
  sql: string,
  bindings: Bindings,
): Promise<number> => {
  await changedRange(connection, range);
  return connection.execute(sql, bindings);
};

/** Moves calls between `call_log` and the archive, where they stay the same calls. Returns the number of rows. */
export const moveCalls = async (connection: Sql, sql: string, bindings: Bindings): Promise<number> =>
  connection.execute(sql, bindings);

/** Marks all calls of models whose token classes changed, in the transaction that changes them. */
export const markModels = async (
  connection: Sql,
  account: string,
  models: readonly string[],
): Promise<void> => {
  if (models.length === 0) return;
  await connection.execute('INSERT INTO rollup_mark SELECT $account, 0, $end, unnest($models)', {
    account,
    end: endOfTime,
    models,
  });
};
