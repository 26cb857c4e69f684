import {
  addMoney,
  interval,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  boundRows,
  column,
  millis,
  readAs,
  rowReader,
  seconds,
  secondsRange,
  text,
  wholeNumber,
  type Sql,
} from '../../storage/index.ts';
import type { BadRow, QuarantinedRow } from './quarantined-row.ts';

type Landing = {
  readonly account: string;
  readonly window: Interval<UnixSeconds>;
  readonly quarantined?: readonly BadRow[];
};

/** Limits the stored text of each unreadable row. Characters. */
const longestText = 2000;

const columns = { line: 'BIGINT', moment: 'BIGINT', row_text: 'VARCHAR', reason: 'VARCHAR' } as const;

/** The engine's texts may contain NUL, but its JSON may not. */
const kept = (message: string): string => message.slice(0, longestText).replaceAll('\0', '\uFFFD');

/**
 * Removes from the account's quarantine what a landing of the window replaces: of rows with an unknown time, the part
 * of their time range that it covers.
 */
const clear = async (connection: Sql, { account, window }: Landing): Promise<void> => {
  const bindings = { account, start: window.start, end: window.end };
  const found = await connection.rows(
    'SELECT 1 AS found FROM log_quarantine WHERE account = $account AND start_at < $end AND end_at > $start LIMIT 1',
    bindings,
  );
  // Nearly every landing finds no quarantined rows.
  if (found.length === 0) return;
  for (const change of [
    'UPDATE log_quarantine SET start_at = $end WHERE account = $account AND start_at >= $start AND start_at < $end',
    'UPDATE log_quarantine SET end_at = $start WHERE account = $account AND end_at > $start AND end_at <= $end',
  ])
    await connection.execute(change, bindings);
  await connection.execute('DELETE FROM log_quarantine WHERE account = $account AND start_at >= end_at', {
    account,
  });
};

/**
 * Replaces the quarantined rows of the window by the bad rows of a landing, in its transaction; rows whose time is
 * outside the window belong to its neighbours. Returns the number of stored rows.
 */
export const keepQuarantine = async (connection: Sql, landing: Landing, now: UnixMillis): Promise<number> => {
  const { account, window, quarantined = [] } = landing;
  await clear(connection, landing);
  const own = quarantined.filter(({ at }) => at === undefined || (at >= window.start && at < window.end));
  const rows = boundRows(connection, columns, own, ({ line, at, text: message, reason }) => ({
    line,
    moment: at ?? null,
    row_text: kept(message),
    reason: kept(reason),
  }));
  await rows.execute(
    (
      table,
    ) => `INSERT INTO log_quarantine (account, window_start, window_end, start_at, end_at, line, row_text, reason, landed_at)
      SELECT $account, $start, $end, coalesce(moment, $start), coalesce(moment + 1, $end), line, row_text, reason, $now FROM ${table} AS added`,
    { account, start: window.start, end: window.end, now },
  );
  return own.length;
};

/** The sum of the bad rows; undefined when the amount of one is unreadable. */
export const amountOf = (rows: readonly BadRow[], sum: Money): Money | undefined => {
  let total = sum;
  for (const { amount } of rows) {
    if (amount === undefined) return undefined;
    total = addMoney(total, amount);
  }
  return total;
};

const quarantinedRow = rowReader({
  line: wholeNumber,
  text: column('row_text', text),
  reason: text,
  window: (row) => interval(seconds(row, 'window_start'), seconds(row, 'window_end')),
  range: secondsRange,
  landedAt: millis,
});

/** All quarantined rows of an account, or those that may belong to the range; oldest first. */
export const readQuarantine = async (
  connection: Sql,
  account: string,
  range?: Interval<UnixSeconds>,
): Promise<readonly QuarantinedRow[]> => {
  const within = range === undefined ? '' : 'AND start_at < $end AND end_at > $start';
  return readAs(
    connection,
    quarantinedRow,
    `SELECT * FROM log_quarantine WHERE account = $account ${within} ORDER BY window_start, landed_at, line`,
    range === undefined ? { account } : { account, start: range.start, end: range.end },
  );
};
