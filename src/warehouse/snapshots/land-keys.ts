import { interval, unixMillis, type UnixMillis } from '../../core/index.ts';
import { boundRows, optionalText, type Sql } from '../../storage/index.ts';
import { amountType } from './exact-decimal.ts';
import { boundRange, keptKey, keyColumns, rangeOf, stillSo, type KeyRange } from './key-rows.ts';
import { planKeys } from './plan-keys.ts';
import type { KeyCounts, KeyState } from './snapshot.ts';

const columns = Object.keys(keyColumns);

const cells = columns.map((name) => {
  if (name === 'remain_quota') return `CAST(remain_quota AS ${amountType})`;
  return name === 'unlimited_quota' ? 'unlimited_quota = 1' : name;
});

/** `shown` selects ranges: an expression over valid_from and valid_until. */
const readRanges = async (
  connection: Sql,
  account: string,
  shown: string,
  at: UnixMillis,
): Promise<readonly KeyRange[]> => {
  const rows = await connection.rows(
    `SELECT ${columns.join(', ')} FROM key_snapshot WHERE account = $account AND ${shown} ORDER BY key_id`,
    { account, at },
  );
  return rows.map(rangeOf);
};

export const rangesHolding = async (
  connection: Sql,
  account: string,
  at: UnixMillis,
): Promise<readonly KeyRange[]> =>
  readRanges(connection, account, 'valid_from <= $at AND valid_until > $at', at);

/** The times of the key readings before and after a moment. */
const readingsAround = async (
  connection: Sql,
  account: string,
  at: UnixMillis,
): Promise<{ readonly before: string | undefined; readonly after: string | undefined }> => {
  const [row] = await connection.rows(
    `SELECT max(taken_at) FILTER (WHERE taken_at < $at) AS before, min(taken_at) FILTER (WHERE taken_at > $at) AS after
     FROM account_snapshot WHERE account = $account AND key_count IS NOT NULL`,
    { account, at },
  );
  return { before: optionalText(row, 'before'), after: optionalText(row, 'after') };
};

const ofRange = `account = $account AND key_snapshot.key_id = span.key_id AND key_snapshot.valid_from = span.valid_from`;

/**
 * Updates the ranges to show these keys from the moment to the next reading, in a transaction of the caller; no reading
 * of the same moment exists. @throws faults export-amount-inexact, gateway-answer-unreadable
 */
export const landKeys = async (
  connection: Sql,
  account: string,
  at: UnixMillis,
  keys: readonly KeyState[],
): Promise<KeyCounts> => {
  const { before, after } = await readingsAround(connection, account, at);
  const until = after === undefined ? stillSo : unixMillis(Number(after));
  const current = await rangesHolding(connection, account, at);
  const following =
    after === undefined ? [] : await readRanges(connection, account, 'valid_from = $at', until);
  const plan = planKeys(keys.map(keptKey), interval(at, until), current, following);
  const rowsOf = (ranges: readonly KeyRange[]) => boundRows(connection, keyColumns, ranges, boundRange);
  const moved = { account, at };
  await rowsOf(plan.ended).execute(
    (table) => `UPDATE key_snapshot SET valid_until = $at FROM ${table} AS span WHERE ${ofRange}`,
    moved,
  );
  await rowsOf(plan.drawnForward).execute(
    (table) => `UPDATE key_snapshot SET valid_from = $at FROM ${table} AS span WHERE ${ofRange}`,
    moved,
  );
  await rowsOf(plan.added).execute(
    (table) => `INSERT INTO key_snapshot (account, ${columns.join(', ')})
      SELECT $account, ${cells.join(', ')} FROM ${table} AS span`,
    { account },
  );
  const first = before === undefined;
  return {
    count: keys.length,
    new: first ? 0 : plan.new,
    changed: plan.changed,
    gone: plan.gone,
    first,
  };
};
