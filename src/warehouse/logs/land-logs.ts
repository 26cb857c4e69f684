import {
  absoluteMoney,
  addMoney,
  compareMoney,
  fault,
  money,
  multiplyMoney,
  subtractMoney,
  unixSeconds,
  type Money,
  type UnixMillis,
} from '../../core/index.ts';
import { amountOf } from '../quarantine/quarantine.ts';
import { applyToPast } from '../kinds/apply-to-past.ts';
import { settleKinds } from '../kinds/settle-kinds.ts';
import { recordRestatement, sumsBefore } from '../restatements/record-restatement.ts';
import { changeCalls } from '../rollup/change-calls.ts';
import type { Bindings, RowChange, Sql } from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { chargesIn } from './amount-change.ts';
import { amountsFor, readAmounts } from './amounts.ts';
import { ownKinds } from './checked-cells.ts';
import { headerOf } from './extra.ts';
import { landingFault } from './landing-fault.ts';
import { landingSql } from './landing-sql.ts';
import type { LandedWindow, LogBatch } from './log-batch.ts';
import { recordLanding, recordedTables, type Landing } from './record-landing.ts';
import { servedColumns } from './served-columns.ts';
import { lastRow, noneLoaded, readLoaded, readSeen, readSums, type RowSums } from './seen-rows.ts';
import { looksChanged, settleAmounts } from './settle-amounts.ts';

const ofWindow = 'account = $account AND created_at >= $start AND created_at < $end';

const windowOf = (batch: LogBatch) => ({
  account: batch.account,
  start: batch.window.start,
  end: batch.window.end,
});

/** The most by which rounding changes an amount: half of the last decimal. */
const roundingOfRow = money('5e-13');

/** A gateway's total may show fewer decimals than its rows: within its last decimal, the sums are equal. */
const checkTotal = (batch: LogBatch, landed: Money): void => {
  const sum = amountOf(batch.quarantined ?? [], landed);
  // An unreadable row may have any amount.
  if (batch.total === undefined || sum === undefined) return;
  const { amount, decimals } = batch.total;
  const rounding = multiplyMoney(roundingOfRow, money(String(batch.rounded ?? 0)));
  const allowed = addMoney(money(`1e-${decimals}`), rounding);
  if (compareMoney(absoluteMoney(subtractMoney(sum, amount)), allowed) >= 0)
    throw fault('export-truncated', `the rows total ${sum}, but the total line of the export says ${amount}`);
};

/** What the statement that loads the file is bound to. */
const bindingsOf = async (connection: Sql, batch: LogBatch): Promise<Bindings> => {
  const hasKind = batch.columns.some(({ role }) => role === 'kind');
  const header = await headerOf(connection, batch);
  const own = batch.kinds === undefined || !hasKind ? undefined : ownKinds(batch.kinds);
  return {
    ...windowOf(batch),
    file: batch.file,
    asked_start: batch.asked.start,
    asked_end: batch.asked.end,
    served: servedColumns(batch.columns),
    ...(header === undefined ? {} : { header }),
    ...(own === undefined ? {} : { kind_words: own.labels, kind_names: own.names }),
  };
};

/**
 * Times that the gateway's clock has not passed are not settled, whatever was requested; rows arrive up to ten minutes
 * late.
 */
const withinTime = (batch: LogBatch, gatewayNow: UnixMillis): LogBatch => {
  const reached = Math.floor(gatewayNow / 1000);
  const settled = Math.min(batch.settled ?? batch.window.end, batch.window.end);
  return settled <= reached ? batch : { ...batch, settled: unixSeconds(reached - 600) };
};

const isEqual = (one: RowSums, other: RowSums): boolean =>
  one.rows === other.rows && one.quota === other.quota && one.digest === other.digest;

/**
 * Runs in a transaction: any fault leaves everything unchanged. The rows of the file are compared with those of the
 * window before these are removed: even when it is rolled back, a removal takes memory for each row.
 */
const replaceRows = async (change: RowChange, batch: LogBatch, now: UnixMillis): Promise<Landing> => {
  const { connection } = change;
  await change.hold(batch.window, batch.served);
  const window = windowOf(batch);
  const kept = await readAmounts(connection, batch.account);
  const before = amountsFor(batch, kept);
  const known = await sumsBefore(connection, batch, now);
  const [range] = known.ranges;
  const isWhole = known.ranges.length === 1 && range?.start === window.start && range.end === window.end;
  const replaced = isWhole ? known.total : await readSums(connection, window);
  const past = replaced.rows > 0 && looksChanged(batch, before) ? await chargesIn(connection, window) : [];
  const last = replaced.rows > 0 ? await lastRow(connection, window) : undefined;
  if (batch.served > 0) {
    const bindings = await bindingsOf(connection, batch);
    await changeCalls(connection, windowOf(batch), landingSql(batch, batch.amounts.form), bindings);
  }
  const { overlap, ...served } = batch.served > 0 ? await readLoaded(connection, window, last) : noneLoaded;
  if (served.rows + overlap.rows !== batch.served)
    throw fault(
      'export-row-invalid',
      `the export has ${batch.served} rows, but ${served.rows + overlap.rows} were read`,
    );
  // A log only grows: an export without rows removes nothing, unless a person has accepted that.
  if (served.rows === 0 && replaced.rows > 0 && batch.acceptsEmpty !== true)
    throw fault(
      'export-emptied',
      `the export has no rows, but ${replaced.rows} rows of its window are stored; they are kept`,
    );
  checkTotal(batch, addMoney(served.quota, overlap.quota));
  const landing = { batch, replaced, kept, before };
  if (last !== undefined && isEqual(served, replaced))
    return {
      ...landing,
      landed: served,
      kinds: served.kinds,
      amounts: before,
      isUnchanged: true,
      restated: 0,
    };

  if (last !== undefined)
    await changeCalls(
      connection,
      window,
      `DELETE FROM call_log WHERE ${ofWindow} AND rowid <= CAST($last AS BIGINT)`,
      {
        ...window,
        last,
      },
    );
  if (overlap.rows > 0) await changeCalls(connection, window, `DELETE FROM call_log WHERE account = ''`, {});
  const kinds = await settleKinds(connection, batch, served.kinds);
  const seen = kinds.changed === 0 ? served : await readSeen(connection, window);
  const amounts = await settleAmounts(change, batch, before, seen, past);
  // Converted rows have another sum than was served.
  const landed = amounts.served === amounts.form ? seen : await readSums(connection, window);
  const changed = await recordRestatement(connection, batch, known, now);
  const fromPast = kinds.isNew ? await applyToPast(change, batch.account, kinds, now) : 0;
  const restated = changed + fromPast;
  return { ...landing, landed, kinds: seen.kinds, amounts, isUnchanged: false, restated };
};

/** One moment by two clocks: read one after the other, a gateway's clock that agrees would seem to be behind. */
export type LandingTime = {
  /** By the local clock. */
  readonly now: UnixMillis;
  /** By the clock that stamps rows. */
  readonly gatewayNow: UnixMillis;
};

/** What changes with the calls of a window, besides its record. */
const landedTables = [
  'call_log',
  'rollup_mark',
  'restatement',
  'extra_header',
  'log_kind_word',
  'log_unclear_row',
] as const;

/**
 * Replaces the rows of the window by those of the file, records restatements of earlier landings, moves the cursor and
 * writes the ledger row, all or nothing. Where the rows are those that the window held before, they stay as they are,
 * with all that was derived from them, and only the landing is recorded.
 */
export const landLogWindow = async (
  rowStore: AccountStore,
  exported: LogBatch,
  { now, gatewayNow }: LandingTime,
  signal?: AbortSignal,
): Promise<LandedWindow> => {
  const batch = gatewayNow < now ? withinTime(exported, gatewayNow) : exported;
  const record = async ({ connection }: RowChange, landing: Landing): Promise<LandedWindow> =>
    recordLanding(connection, landing, now, gatewayNow);
  const { account } = batch;
  const { landing, landed } = await rowStore.publish(
    { account, writes: [...recordedTables, ...landedTables] },
    (change) =>
      replaceRows(change, batch, now).then(
        async (replaced) => ({
          landing: replaced,
          landed: replaced.isUnchanged ? undefined : await record(change, replaced),
        }),
        (error: unknown) => {
          throw landingFault(error);
        },
      ),
    { signal, isKept: (one) => one.landed !== undefined },
  );
  return (
    landed ??
    rowStore.publish({ account, writes: recordedTables }, async (change) => record(change, landing), {
      signal,
    })
  );
};
