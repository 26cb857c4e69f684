import { interval, unixSeconds, type Interval, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import { recordRestatement, sumsBefore } from '../restatements/record-restatement.ts';
import { optionalText, type RowChange, type Sql } from '../../storage/index.ts';
import { applyKindLabels, applyTextLabels, noteUnclear, type LearnedKinds } from './settle-kinds.ts';
import type { Rows } from './label-evidence.ts';

const rangeOf = async (
  connection: Sql,
  table: 'call_log' | 'log_unclear_row',
  { sql, bindings }: Rows,
): Promise<Interval<UnixSeconds> | undefined> => {
  const [row] = await connection.rows(
    `SELECT min(created_at) AS first, max(created_at) AS last FROM ${table} WHERE ${sql}`,
    bindings,
  );
  const [first, last] = [optionalText(row, 'first'), optionalText(row, 'last')];
  return first === undefined || last === undefined
    ? undefined
    : interval(unixSeconds(Number(first)), unixSeconds(Number(last) + 1));
};

/**
 * Applies the kinds that a landing proved to rows that landed earlier, and records the restatements, as a landing does.
 * Returns the number of changed quarter hours.
 */
export const applyToPast = async (
  { connection, stored, hold }: RowChange,
  account: string,
  { kinds, texts }: LearnedKinds,
  now: UnixMillis,
): Promise<number> => {
  const ofLabels: Rows = {
    sql: 'account = $account AND lower(kind) = ANY($kinds)',
    bindings: { account, kinds: [...kinds.keys()] },
  };
  const unclear: Rows = {
    sql: 'account = $account AND created_at IN (SELECT created_at FROM log_unclear_row WHERE account = $account)',
    bindings: { account },
  };
  const ranges = [
    kinds.size === 0 ? undefined : await rangeOf(stored, 'call_log', ofLabels),
    texts.size === 0
      ? undefined
      : await rangeOf(connection, 'log_unclear_row', { sql: 'account = $account', bindings: { account } }),
  ].filter((range) => range !== undefined);
  if (ranges.length === 0) return 0;
  const window = interval(
    unixSeconds(Math.min(...ranges.map(({ start }) => start))),
    unixSeconds(Math.max(...ranges.map(({ end }) => end))),
  );
  await hold(window, 0);
  const before = await sumsBefore(connection, { account, window }, now);
  const range = { account, ...window };
  await applyKindLabels(connection, { sql: 'account = $account', bindings: { account } }, range, kinds);
  if (texts.size > 0) {
    await applyTextLabels(connection, unclear, range, texts);
    await noteUnclear(connection, unclear, texts);
  }
  return recordRestatement(connection, { account, window }, before, now);
};
