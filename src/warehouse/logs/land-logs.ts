import { isDeepStrictEqual } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import {
  absoluteMoney,
  addMoney,
  compareMoney,
  fault,
  formatMoment,
  interval,
  money,
  subtractMoney,
  unixSeconds,
  type Clock,
  type Money,
  type UnixMillis,
} from '../../core/index.ts';
import { writeLearnedChanges } from '../profile/learned-changes.ts';
import { amountOf, keepQuarantine } from '../quarantine/quarantine.ts';
import { applyToPast, type BringBack } from '../kinds/apply-to-past.ts';
import { settleKinds } from '../kinds/settle-kinds.ts';
import { recordRestatement, sumsBefore } from '../restatements/record-restatement.ts';
import { changeCalls } from '../rollup/change-calls.ts';
import { readRows, text, wholeNumber } from '../rows.ts';
import { widen } from '../ranges.ts';
import { chargesIn, type ChargedRows } from './amount-change.ts';
import { amountsFor, readAmounts, writeAmounts, type AccountAmounts } from './amounts.ts';
import { ownKinds } from './checked-cells.ts';
import { headerOf } from './extra.ts';
import { landingSql } from './landing-sql.ts';
import type { LandedWindow, LogBatch } from './log-batch.ts';
import { readRange, writeLedger, writeRange } from './log-ledger.ts';
import { servedColumns } from './served-columns.ts';
import { noneLoaded, readLoaded, readSeen } from './seen-rows.ts';
import { looksChanged, settleAmounts } from './settle-amounts.ts';

const ofWindow = 'account = $account AND created_at >= $start AND created_at < $end';

type Sums = {
  readonly rows: number;
  readonly quota: Money;
};

const windowOf = (batch: LogBatch) => ({
  account: batch.account,
  start: batch.window.start,
  end: batch.window.end,
});

const readSums = async (connection: DuckDBConnection, window: ChargedRows): Promise<Sums> => {
  const [row] = await readRows(
    connection,
    `SELECT count(*) AS row_count, coalesce(sum(quota), 0) AS quota FROM call_log WHERE ${ofWindow}`,
    { ...window },
  );
  return {
    rows: wholeNumber(row, 'row_count'),
    quota: money(text(row, 'quota')),
  };
};

/** A gateway's total may show fewer decimals than its rows: within its last decimal, the sums are equal. */
const checkTotal = (batch: LogBatch, landed: Money): void => {
  const sum = amountOf(batch.quarantined ?? [], landed);
  // An unreadable row may have any amount.
  if (batch.total === undefined || sum === undefined) return;
  const { amount, decimals } = batch.total;
  if (compareMoney(absoluteMoney(subtractMoney(sum, amount)), money(`1e-${decimals}`)) >= 0)
    throw fault('export-truncated', `the rows total ${sum}, but the total line of the export says ${amount}`);
};

const load = async (connection: DuckDBConnection, batch: LogBatch): Promise<void> => {
  const hasKind = batch.columns.some(({ role }) => role === 'kind');
  const header = await headerOf(connection, batch);
  const own = batch.kinds === undefined || !hasKind ? undefined : ownKinds(batch.kinds);
  await changeCalls(connection, windowOf(batch), landingSql(batch, batch.amounts.form), {
    ...windowOf(batch),
    file: batch.file,
    asked_start: batch.asked.start,
    asked_end: batch.asked.end,
    served: servedColumns(batch.columns),
    ...(header === undefined ? {} : { header }),
    ...(own === undefined ? {} : { kind_words: own.labels, kind_names: own.names }),
  });
};

/** Notifies operators that the gateway serves amounts in another form than before, and how they are stored. */
const noteChange = async (
  connection: DuckDBConnection,
  { account, window }: LogBatch,
  before: AccountAmounts,
  { served, form }: AccountAmounts,
  now: UnixMillis,
): Promise<void> => {
  if (served === undefined || before.served === undefined || served === before.served) return;
  const detail = `${formatMoment(window.start, 'UTC')}|${served === form ? 'stored' : 'converted'}`;
  await writeLearnedChanges(connection, account, [
    { topic: 'amounts-changed', name: served, detail, notedAt: now },
  ]);
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

/**
 * Replaces the rows of the window by those of the file, records restatements of earlier landings, moves the cursor and
 * writes the ledger row. Run it in one transaction: any fault leaves everything unchanged.
 */
export const landLogWindow = async (
  connection: DuckDBConnection,
  exported: LogBatch,
  clock: Clock,
  gatewayNow: UnixMillis,
  bringBack: BringBack,
): Promise<LandedWindow> => {
  const now = clock.now();
  const batch = gatewayNow < now ? withinTime(exported, gatewayNow) : exported;
  const window = windowOf(batch);
  const kept = await readAmounts(connection, batch.account);
  const before = amountsFor(batch, kept);
  const replaced = await readSums(connection, window);
  const known = await sumsBefore(connection, batch, now);
  const past = replaced.rows > 0 && looksChanged(batch, before) ? await chargesIn(connection, window) : [];
  if (replaced.rows > 0)
    await changeCalls(connection, window, `DELETE FROM call_log WHERE ${ofWindow}`, window);
  if (batch.served > 0) await load(connection, batch);
  const { overlap, ...served } = batch.served > 0 ? await readLoaded(connection, window) : noneLoaded;
  if (served.rows + overlap.rows !== batch.served)
    throw fault(
      'export-row-invalid',
      `the export has ${batch.served} rows, but ${served.rows + overlap.rows} were read`,
    );
  // A log only grows: an export without rows removes nothing.
  if (served.rows === 0 && replaced.rows > 0)
    throw fault(
      'export-truncated',
      `the export has no rows, but ${replaced.rows} rows of its window are stored; they are kept`,
    );
  checkTotal(batch, addMoney(served.quota, overlap.quota));
  if (overlap.rows > 0) await changeCalls(connection, window, `DELETE FROM call_log WHERE account = ''`, {});

  const kinds = await settleKinds(connection, batch, served.kinds);
  const seen = kinds.changed === 0 ? served : await readSeen(connection, window);
  const amounts = await settleAmounts(connection, batch, before, seen, past);
  const covered = await readRange(connection, batch.account);
  // The newest rows show what the gateway serves now; older ones that are pulled again may have another form.
  const isNewest = covered === undefined || batch.window.end > covered.end;
  const learned = isNewest ? amounts : { ...amounts, served: before.served ?? amounts.served };
  if (!isDeepStrictEqual(learned, kept)) await writeAmounts(connection, batch.account, learned);
  await noteChange(connection, batch, before, learned, now);
  // Converted rows have another sum than was served.
  const landed = amounts.served === amounts.form ? served : await readSums(connection, window);
  const quarantined = await keepQuarantine(connection, batch, now);
  const result: LandedWindow = {
    rows: landed.rows,
    replaced: replaced.rows,
    quota: landed.quota,
    replacedQuota: replaced.quota,
    ...(quarantined === 0 ? {} : { quarantined }),
    ...(batch.columns.some(({ role }) => role === 'kind') ? { kinds: seen.kinds } : {}),
  };
  const changed = await recordRestatement(connection, batch, known, now);
  const restated =
    changed + (kinds.isNew ? await applyToPast(connection, batch.account, kinds, bringBack, now) : 0);
  await writeLedger(connection, batch, result, amounts.form, now, gatewayNow);
  const { start, end } = batch.window;
  const settled = batch.settled !== undefined && batch.settled < end ? batch.settled : end;
  if (settled > start) {
    const range = widen(covered, interval(start, settled), batch.opensRange);
    if (range !== undefined) await writeRange(connection, batch.account, range);
  }
  return restated === 0 ? result : { ...result, restated };
};
