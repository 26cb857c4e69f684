import type { DuckDBConnection } from '@duckdb/node-api';
import {
  absoluteMoney,
  addMoney,
  compareMoney,
  fault,
  interval,
  money,
  subtractMoney,
} from '../../base/index.ts';
import type { Clock, Money } from '../../base/index.ts';
import { amountOf, keepQuarantine } from '../quarantine/quarantine.ts';
import { recordRestatement, sumsBefore } from '../restatements/record-restatement.ts';
import { execute, readRows, text, wholeNumber } from '../rows.ts';
import { widen } from '../spans.ts';
import { amountsFor, contradictsCurrency, judgeAmounts, readAmounts, writeAmounts } from './amounts.ts';
import type { AccountAmounts, AmountEvidence } from './amounts.ts';
import { ownKinds } from './checked-cells.ts';
import { landingSql } from './landing-sql.ts';
import type { LandedWindow, LogBatch } from './log-batch.ts';
import { readSpan, writeLedger, writeSpan } from './log-ledger.ts';

const ofWindow = 'account = $account AND created_at >= $start AND created_at < $end';
const ofOverlap = `account = ''`;

type Sums = {
  readonly rows: number;
  readonly quota: Money;
  /** Of calls and refunds alone: a top-up says nothing about the price of a call. */
  readonly largest: Money;
  readonly charged: number;
};

const windowOf = (batch: LogBatch) => ({
  account: batch.account,
  start: batch.window.start,
  end: batch.window.end,
});

const readSums = async (
  connection: DuckDBConnection,
  where: string,
  bindings: Readonly<Record<string, string | number>>,
): Promise<Sums> => {
  const [row] = await readRows(
    connection,
    `SELECT count(*) AS row_count, coalesce(sum(quota), 0) AS quota, count(*) FILTER (quota <> 0 AND kind IN ('consumption', 'refund')) AS charged,
       coalesce(max(abs(quota)) FILTER (kind IN ('consumption', 'refund')), 0) AS largest
     FROM call_log WHERE ${where}`,
    bindings,
  );
  return {
    rows: wholeNumber(row, 'row_count'),
    quota: money(text(row, 'quota')),
    largest: money(text(row, 'largest')),
    charged: wholeNumber(row, 'charged'),
  };
};

/** A gateway's total may show fewer decimals than its rows: nearer than the last of them, it is the same. */
const checkTotal = (batch: LogBatch, landed: Money): void => {
  const sum = amountOf(batch.quarantined ?? [], landed);
  // A row that can't be read may have had any amount.
  if (batch.total === undefined || sum === undefined) return;
  const { amount, places } = batch.total;
  if (compareMoney(absoluteMoney(subtractMoney(sum, amount)), money(`1e-${places}`)) >= 0)
    throw fault('export-truncated', `the rows add up to ${sum}, the export’s own total line says ${amount}`);
};

const load = async (
  connection: DuckDBConnection,
  batch: LogBatch,
  amounts: AccountAmounts,
): Promise<void> => {
  const hasKind = batch.columns.some(({ role }) => role === 'kind');
  const own = batch.kinds === undefined || !hasKind ? undefined : ownKinds(batch.kinds);
  await execute(connection, landingSql(batch, amounts.form), {
    ...windowOf(batch),
    file: batch.file,
    asked_start: batch.asked.start,
    asked_end: batch.asked.end,
    ...(own === undefined ? {} : { kind_words: own.words, kind_names: own.names }),
  });
};

const evidenceOf = async (
  connection: DuckDBConnection,
  batch: LogBatch,
  landed: Sums,
): Promise<AmountEvidence> => {
  // A sum with a fraction needs no look at the rows.
  const fractions =
    landed.quota.includes('.') ||
    (await readSums(connection, `${ofWindow} AND quota <> trunc(quota)`, windowOf(batch))).rows > 0;
  return {
    fractions,
    decimalsWritten: batch.amounts.decimalsWritten,
    wholeCount: fractions ? 0 : landed.charged,
    largestWhole: fractions ? money('0') : landed.largest,
  };
};

const learnAmounts = async (
  connection: DuckDBConnection,
  batch: LogBatch,
  known: AccountAmounts,
  landed: Sums,
): Promise<AccountAmounts> => {
  if (known.form === 'units' || batch.amounts.form !== undefined) return known;
  const seen = await evidenceOf(connection, batch, landed);
  if (known.form === 'currency') {
    if (contradictsCurrency(seen))
      throw fault(
        'export-amounts-changed',
        `all ${seen.wholeCount} amounts are whole numbers up to ${seen.largestWhole}, where the account was charged in ${known.currency} before`,
      );
    return known;
  }
  const form = judgeAmounts(known, seen);
  return {
    ...known,
    form,
    wholeCount: known.wholeCount + seen.wholeCount,
    largestWhole:
      compareMoney(known.largestWhole, seen.largestWhole) > 0 ? known.largestWhole : seen.largestWhole,
  };
};

/**
 * Replaces the rows of the window by those of the file, keeps what that changed of what was landed before, moves the cursor
 * and writes the ledger row. To be run in one transaction: any fault leaves all as it was.
 */
export const landLogWindow = async (
  connection: DuckDBConnection,
  batch: LogBatch,
  clock: Clock,
): Promise<LandedWindow> => {
  const window = windowOf(batch);
  const before = amountsFor(batch, await readAmounts(connection, batch.account));
  const replaced = await readSums(connection, ofWindow, window);
  const now = clock.now();
  const known = await sumsBefore(connection, batch, now);
  if (replaced.rows > 0) await execute(connection, `DELETE FROM call_log WHERE ${ofWindow}`, window);
  if (batch.served > 0) await load(connection, batch, before);
  const landed = await readSums(connection, ofWindow, window);
  const overlap = await readSums(connection, ofOverlap, {});
  if (landed.rows + overlap.rows !== batch.served)
    throw fault(
      'export-row-invalid',
      `the export holds ${batch.served} rows, but ${landed.rows + overlap.rows} were read`,
    );
  // A log only grows: an export without a row takes nothing away.
  if (landed.rows === 0 && replaced.rows > 0)
    throw fault('export-truncated', `the export holds no row, where ${replaced.rows} are kept: they stay`);
  checkTotal(batch, addMoney(landed.quota, overlap.quota));
  if (overlap.rows > 0) await execute(connection, `DELETE FROM call_log WHERE ${ofOverlap}`);

  const amounts = await learnAmounts(connection, batch, before, landed);
  await writeAmounts(connection, batch.account, amounts);
  const quarantined = await keepQuarantine(connection, batch, now);
  const result: LandedWindow = {
    rows: landed.rows,
    replaced: replaced.rows,
    quota: landed.quota,
    replacedQuota: replaced.quota,
    ...(quarantined === 0 ? {} : { quarantined }),
  };
  const restated = await recordRestatement(connection, batch, known, now);
  await writeLedger(connection, batch, result, amounts.form, now);
  const { start, end } = batch.window;
  const settled = batch.settled !== undefined && batch.settled < end ? batch.settled : end;
  if (settled > start) {
    const covered = await readSpan(connection, batch.account);
    const span = widen(covered, interval(start, settled), batch.opensSpan);
    if (span !== undefined) await writeSpan(connection, batch.account, span);
  }
  return restated === 0 ? result : { ...result, restated };
};
