import { interval, unixSeconds, type Interval, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import { recordRestatement, sumsBefore } from '../restatements/record-restatement.ts';
import { wholeNumber, type RowChange, type Sql } from '../../storage/index.ts';
import { chargesAround, chargesIn, judgeCharges } from './amount-change.ts';
import { readAmounts, storedCurrency } from './amounts.ts';
import { readSeen } from './seen-rows.ts';
import { convertToCurrency } from './settle-amounts.ts';

/** Windows of an account in currency whose sum is a whole number: rare, unless they were integer units. */
const readSuspects = async (connection: Sql, account: string): Promise<readonly Interval<UnixSeconds>[]> => {
  const rows = await connection.rows(
    `SELECT DISTINCT start_at, end_at FROM log_window
     WHERE account = $account AND amounts = 'currency' AND quota <> 0 AND quota = trunc(quota)
     ORDER BY start_at, end_at`,
    { account },
  );
  const joined: Interval<UnixSeconds>[] = [];
  for (const row of rows) {
    const [start, end] = [wholeNumber(row, 'start_at'), wholeNumber(row, 'end_at')].map(unixSeconds);
    const last = joined.at(-1);
    if (start === undefined || end === undefined) continue;
    // Windows that share rows are judged together; windows that only touch may be in different units.
    if (last === undefined || start >= last.end) joined.push(interval(start, end));
    else if (end > last.end) joined[joined.length - 1] = interval(last.start, end);
  }
  return joined;
};

/**
 * Converts amounts that an earlier version stored as currency and that, compared with other charges of the same models,
 * are integer units. Run it in one transaction; the changes are recorded as restatements. Returns the corrected ranges.
 */
export const correctAmounts = async (
  { connection, stored, hold }: RowChange,
  account: string,
  now: UnixMillis,
): Promise<readonly Interval<UnixSeconds>[]> => {
  const amounts = await readAmounts(connection, account);
  if (amounts?.form !== 'currency' || !amounts.hasFractions) return [];
  if (storedCurrency({ ...amounts, form: 'units' }) !== storedCurrency(amounts)) return [];
  const corrected: Interval<UnixSeconds>[] = [];
  for (const window of await readSuspects(connection, account)) {
    const rows = { account, start: window.start, end: window.end };
    await hold(window, 0);
    const seen = await readSeen(connection, rows);
    if (seen.whole === 0 || seen.fractions !== undefined) continue;
    const past = await chargesAround(stored, rows, 'ever', 'fractional');
    if (judgeCharges(await chargesIn(connection, rows), past, amounts.unitsPerCurrency) !== 'times') continue;
    const before = await sumsBefore(connection, { account, window }, now);
    await convertToCurrency(connection, rows, amounts.unitsPerCurrency);
    await recordRestatement(connection, { account, window }, before, now);
    corrected.push(window);
  }
  return corrected;
};
