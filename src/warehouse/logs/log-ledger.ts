import {
  interval,
  unixSeconds,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  all,
  amount,
  column,
  json,
  label,
  millis,
  optional,
  readAs,
  rowReader,
  seconds,
  secondsOf,
  secondsRange,
  optionalText,
  text,
  wholeNumber,
  type Sql,
} from '../../storage/index.ts';
import type { AmountForm, LandedWindow, LogBatch } from './log-batch.ts';

/** One landing of a window. A window that is pulled again has a row for each landing, which documents changes. */
export type LedgerWindow = {
  readonly window: Interval<UnixSeconds>;
  readonly rows: number;
  readonly served: number;
  readonly replaced: number;
  /** Quarantined rows. */
  readonly quarantined: number;
  readonly quota: Money;
  readonly replacedQuota: Money;
  readonly amounts: AmountForm | undefined;
  readonly currency: string;
  readonly columns: readonly string[];
  readonly bytes: number;
  readonly landedAt: UnixMillis;
};

export const writeLedger = async (
  connection: Sql,
  batch: LogBatch,
  landed: LandedWindow,
  amounts: AmountForm | undefined,
  at: UnixMillis,
  gatewayAt: UnixMillis,
): Promise<void> => {
  await connection.execute(
    `INSERT INTO log_window (account, start_at, end_at, row_count, served_count, replaced_count, quota, replaced_quota,
       amounts, currency, columns, bytes, landed_at, settled_at, quarantined_count, gateway_at)
     VALUES ($account, $start, $end, $rows, $served, $replaced, CAST($quota AS DECIMAL(38, 12)),
       CAST($replacedQuota AS DECIMAL(38, 12)), $amounts, $currency, $columns, $bytes, $at, $settled, $quarantined, $gatewayAt)`,
    {
      account: batch.account,
      start: batch.window.start,
      end: batch.window.end,
      rows: landed.rows,
      served: batch.served,
      replaced: landed.replaced,
      quota: landed.quota,
      replacedQuota: landed.replacedQuota,
      amounts: amounts ?? null,
      currency: batch.currency,
      columns: JSON.stringify(batch.columns.map(({ name }) => name)),
      bytes: batch.bytes,
      at,
      gatewayAt,
      settled: batch.settled ?? null,
      quarantined: landed.quarantined ?? 0,
    },
  );
};

/** The range that regular pulls have covered without a gap. */
export const readRange = async (
  connection: Sql,
  account: string,
): Promise<Interval<UnixSeconds> | undefined> => {
  const [row] = await connection.rows('SELECT origin, reached FROM log_cursor WHERE account = $account', {
    account,
  });
  return row === undefined ? undefined : interval(seconds(row, 'origin'), seconds(row, 'reached'));
};

export const writeRange = async (
  connection: Sql,
  account: string,
  range: Interval<UnixSeconds>,
): Promise<void> => {
  const bindings = { account, start: range.start, end: range.end };
  const moved = await connection.execute(
    'UPDATE log_cursor SET origin = $start, reached = $end WHERE account = $account',
    bindings,
  );
  if (moved === 0)
    await connection.execute(
      'INSERT INTO log_cursor (account, origin, reached) VALUES ($account, $start, $end)',
      bindings,
    );
};

/** Shortens the covered range to end at the second: later times are pulled again. Rows stay until then. */
export const takeBackFrom = async (connection: Sql, account: string, from: number): Promise<void> => {
  const range = await readRange(connection, account);
  if (range === undefined || range.end <= from) return;
  // A landing of later times no longer proves anything about them.
  await connection.execute(
    'UPDATE log_window SET settled_at = $from WHERE account = $account AND coalesce(settled_at, end_at) > $from AND end_at > $from',
    { account, from },
  );
  if (from > range.start) await writeRange(connection, account, interval(range.start, unixSeconds(from)));
  else await connection.execute('DELETE FROM log_cursor WHERE account = $account', { account });
};

/**
 * Corrects the landings whose time at the gateway was taken from a clock that was ahead of the stamps, which are ahead of the
 * local clock by `offset` milliseconds. Shortens the covered range to end where such a landing covered times of the future,
 * less `lateness` seconds, unless they were pulled again since.
 */
export const takeBackEarly = async (
  connection: Sql,
  account: string,
  offset: number,
  lateness: number,
): Promise<void> => {
  await connection.execute(
    `UPDATE log_window SET gateway_at = landed_at + $offset,
       settled_at = least(coalesce(settled_at, end_at), ${secondsOf('landed_at + $offset')} - $lateness)
     WHERE account = $account AND coalesce(gateway_at, landed_at) > landed_at + $offset + 60000`,
    { account, offset, lateness },
  );
  const [row] = await connection.rows(
    `SELECT min(settled_at) AS first FROM log_window AS early
     WHERE account = $account AND end_at > ${secondsOf('gateway_at')} AND NOT EXISTS (
       SELECT 1 FROM log_window AS again
       WHERE again.account = early.account AND again.start_at <= early.settled_at
         AND again.end_at >= early.end_at AND again.settled_at >= early.end_at)`,
    { account },
  );
  const first = optionalText(row, 'first');
  if (first !== undefined) await takeBackFrom(connection, account, Number(first));
};

/**
 * Removes what a clock that ran ahead has covered: a landing later than now (on the gateway's clock) does not prove
 * that it was complete. Rows stay; they are replaced when their time is pulled again.
 */
export const removeFutureRows = async (connection: Sql, account: string, now: UnixMillis): Promise<void> => {
  const range = await readRange(connection, account);
  if (range === undefined || range.end * 1000 <= now) return;
  const [row] = await connection.rows(
    `SELECT min(start_at) AS start_at FROM log_window
     WHERE account = $account AND coalesce(gateway_at, landed_at) > $now AND end_at > $origin`,
    { account, now, origin: range.start },
  );
  const first = optionalText(row, 'start_at');
  const until = Math.floor(now / 1000);
  const end = unixSeconds(Math.min(first === undefined ? until : Number(first), until));
  if (end > range.start) await writeRange(connection, account, interval(range.start, end));
  else await connection.execute('DELETE FROM log_cursor WHERE account = $account', { account });
};

/** A landing; everything older than `settled` had arrived when it was requested. */
export type Landing = { readonly window: Interval<UnixSeconds>; readonly settled: UnixSeconds };

/** Landings of times from the moment on, without those of a clock that ran ahead. */
export const readLandings = async (
  connection: Sql,
  account: string,
  from: UnixSeconds,
  now: UnixMillis,
): Promise<readonly Landing[]> =>
  readAs(
    connection,
    rowReader({ window: secondsRange, settled: column('settled_at', seconds) }),
    `SELECT start_at, end_at, coalesce(settled_at, ${secondsOf('landed_at')}) AS settled_at FROM log_window
     WHERE account = $account AND end_at > $from AND coalesce(gateway_at, landed_at) <= $now ORDER BY start_at, end_at, settled_at`,
    { account, from, now },
  );

const ledgerWindow = rowReader({
  window: secondsRange,
  rows: column('row_count', wholeNumber),
  served: column('served_count', wholeNumber),
  replaced: column('replaced_count', wholeNumber),
  quarantined: (row) => optional(wholeNumber)(row, 'quarantined_count') ?? 0,
  ...all(amount, 'quota', 'replacedQuota'),
  amounts: optional(label<AmountForm>()),
  currency: text,
  columns: json<readonly string[]>(),
  bytes: wholeNumber,
  landedAt: millis,
});

/** All landings of the account, oldest first. */
export const readLedger = async (connection: Sql, account: string): Promise<readonly LedgerWindow[]> =>
  readAs(
    connection,
    ledgerWindow,
    'SELECT * FROM log_window WHERE account = $account ORDER BY landed_at, start_at, end_at',
    { account },
  );
