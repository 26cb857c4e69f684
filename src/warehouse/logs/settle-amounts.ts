import { compareMoney, fault, interval, money, unixSeconds, type Fault } from '../../core/index.ts';
import { changeCalls } from '../rollup/change-calls.ts';
import { text, wholeNumber, type RowChange, type Sql } from '../../storage/index.ts';
import {
  chargesAround,
  chargesIn,
  judgeCharges,
  type ChargedRows,
  type ModelCharges,
} from './amount-change.ts';
import { judgeAmounts, storedCurrency, unitValue, type AccountAmounts } from './amounts.ts';
import type { AmountForm, LogBatch } from './log-batch.ts';
import { readSeen, type SeenRows } from './seen-rows.ts';

/** Later than any call. */
const everything = interval(unixSeconds(0), unixSeconds(32_503_680_000));

/** The inputs of landing a window. */
type Landing = Pick<RowChange, 'connection' | 'stored' | 'hold'> & {
  readonly batch: LogBatch;
  readonly known: AccountAmounts;
  readonly seen: SeenRows;
  readonly rows: ChargedRows;
  /** The charges of the rows that the window replaces. */
  readonly replaced: readonly ModelCharges[];
};

const changed = ({ known, seen }: Landing, why: string): Fault =>
  fault(
    'export-amounts-changed',
    `${seen.whole} of ${seen.charged} amounts are whole numbers, the largest ${seen.largestWhole}, but earlier charges of the account are in ${known.form === 'units' ? 'integer units' : known.currency}: ${why}`,
  );

/** Converts integer units of a range to currency; exact, since they are whole numbers. */
export const convertToCurrency = async (
  connection: Sql,
  rows: ChargedRows,
  unitsPerCurrency: number,
): Promise<void> => {
  await changeCalls(
    connection,
    rows,
    `UPDATE call_log SET quota = CAST(CAST(quota AS DECIMAL(25, 0)) * CAST($value AS DECIMAL(13, 12)) AS DECIMAL(28, 12))
     WHERE account = $account AND created_at >= $start AND created_at < $end`,
    { ...rows, value: unitValue(unitsPerCurrency) },
  );
};

/** Converts rows from the moment on to the form in which the account's amounts are stored; exact in both directions. */
const convert = async (landing: Landing, from: number): Promise<void> => {
  const { connection, known, rows } = landing;
  const { unitsPerCurrency } = known;
  const where = 'account = $account AND created_at >= $start AND created_at < $end';
  const range = { account: rows.account, start: from, end: rows.end };
  const other: AmountForm = known.form === 'units' ? 'currency' : 'units';
  if (storedCurrency({ ...known, form: other }) !== storedCurrency(known))
    throw changed(
      landing,
      `integer units are fractions of a US dollar, and the rate to ${known.currency} is unknown; set gateway.units_per_currency if they are fractions of 1 ${known.currency}`,
    );
  if (known.form === 'currency') {
    await convertToCurrency(connection, range, unitsPerCurrency);
    return;
  }
  await changeCalls(
    connection,
    range,
    `UPDATE call_log SET quota = CAST(quota * CAST($units AS DECIMAL(10, 0)) AS DECIMAL(28, 12)) WHERE ${where}`,
    { ...range, units: unitsPerCurrency },
  );
  const [odd] = await connection.rows(
    `SELECT count(*) AS row_count FROM call_log WHERE ${where} AND quota <> trunc(quota)`,
    range,
  );
  if (wholeNumber(odd, 'row_count') > 0)
    throw changed(landing, `${text(odd, 'row_count')} of them are not a whole number of units`);
};

/** The charges of the same models in known rows: of this window, of those it replaces, and around it or of all time. */
const pastOf = async (
  { stored, known, rows, replaced }: Landing,
  own: readonly ModelCharges[],
): Promise<readonly ModelCharges[]> => {
  const around = await chargesAround(stored, rows);
  // Amounts with a fraction are certainly currency. Of a model with both, the last entry applies.
  const surely = known.form === 'currency' ? await chargesAround(stored, rows, 'nearby', 'fractional') : [];
  const near = [...replaced, ...around, ...surely, ...own];
  return near.length > 0 ? near : chargesAround(stored, rows, 'ever');
};

/** Settles amounts of an account that stores currency. Returns the form in which the window was served. */
const settleCurrency = async (landing: Landing): Promise<AmountForm> => {
  const { connection, batch, known, seen, rows } = landing;
  const { form: stated, decimalsWritten } = batch.amounts;
  if (stated === 'units') {
    await convert(landing, rows.start);
    return 'units';
  }
  if (seen.whole === 0) return 'currency';
  const factor = known.unitsPerCurrency;
  const past = await pastOf(landing, await chargesIn(connection, rows, 'fractional'));
  // If the form changed within the window, all amounts after the last fraction are whole.
  const from = seen.fractions === undefined ? rows.start : seen.fractions.last + 1;
  const later = { ...rows, start: from };
  const earlier =
    seen.fractions === undefined ? [] : await chargesIn(connection, { ...rows, end: from }, 'whole');
  if (judgeCharges(earlier, past, factor) === 'times')
    throw changed(landing, 'amounts alternate between currency and integer units');
  const reading = judgeCharges(await chargesIn(connection, later, 'whole'), past, factor);
  if (reading === 'times') {
    if (stated === 'currency')
      throw changed(
        landing,
        `the same models cost about ${factor} times as much as before, but gateway.amounts is currency`,
      );
    await convert(landing, from);
    return 'units';
  }
  const isBelieved =
    stated === 'currency' || decimalsWritten || seen.fractions !== undefined || !known.hasFractions;
  if (reading !== 'same' && !isBelieved)
    throw changed(landing, 'earlier costs of these models do not show whether they are integer units');
  return 'currency';
};

/** The same for an account that stores integer units. */
const settleUnits = async (landing: Landing): Promise<AmountForm> => {
  const { connection, batch, known, seen, rows } = landing;
  const { form: stated, decimalsWritten } = batch.amounts;
  if (stated === 'units' || (stated === undefined && seen.fractions === undefined && !decimalsWritten))
    return 'units';
  const factor = known.unitsPerCurrency;
  const past = await pastOf(landing, []);
  const first = seen.fractions?.first ?? rows.start;
  const earlier = await chargesIn(connection, { ...rows, end: first });
  const isWholeWindow = stated === 'currency' || judgeCharges(earlier, past, factor) === 'parts';
  const from = isWholeWindow ? rows.start : first;
  const later = { ...rows, start: from };
  const reading = judgeCharges(await chargesIn(connection, later), past, factor);
  if (reading === 'same' && seen.fractions === undefined && stated === undefined) return 'units';
  if (reading !== 'parts' && !(reading === 'unclear' && stated === 'currency'))
    throw changed(landing, 'earlier costs of the same models match neither');
  await convert(landing, from);
  return 'currency';
};

/** The same while the form of the account's amounts is unproven: all of its rows together may prove it. */
const settleOpen = async (landing: Landing): Promise<AccountAmounts> => {
  const { connection, batch, known, rows } = landing;
  const all = { account: rows.account, ...everything };
  const others = await landing.stored.rows(
    'SELECT 1 AS found FROM call_log WHERE account = $account AND NOT (created_at >= $start AND created_at < $end) LIMIT 1',
    { ...rows },
  );
  if (others.length > 0) await landing.hold(everything, 0);
  const seen = others.length === 0 ? landing.seen : await readSeen(connection, all);
  const open = { ...known, wholeCount: seen.whole, largestWhole: seen.largestWhole };
  const proven = (form: AmountForm, served = form): AccountAmounts => ({
    ...open,
    form,
    served,
    decidedBy: 'data',
    hasFractions: form === 'currency' && seen.fractions !== undefined,
  });
  if (seen.fractions === undefined) {
    const form = judgeAmounts({
      fractions: false,
      decimalsWritten: batch.amounts.decimalsWritten,
      wholeCount: seen.whole,
      largestWhole: seen.largestWhole,
    });
    return form === undefined ? open : proven(form);
  }
  if (seen.whole === 0) return proven('currency');
  const whole = await chargesIn(connection, all, 'whole');
  const reading = judgeCharges(whole, await chargesIn(connection, all, 'fractional'), known.unitsPerCurrency);
  if (reading === 'times') {
    const units = { ...landing, known: { ...known, form: 'units' as const } };
    await convert(units, landing.seen.fractions?.first ?? rows.start);
    return proven('units', 'currency');
  }
  if (reading !== 'same' && compareMoney(seen.largestWhole, dearestCall) > 0)
    throw changed(
      landing,
      'the export also contains amounts with a fraction, and no model shows which are right',
    );
  return proven('currency');
};

/** A larger charge of one call is accepted only if its model had such charges before. */
const dearestCall = money('100');

/**
 * Whether judging the window may need the rows that it replaces: its first amounts differ in form from those stored.
 */
export const looksChanged = (batch: LogBatch, { form }: AccountAmounts): boolean =>
  (form === 'currency' && !batch.amounts.decimalsWritten) ||
  (form === 'units' && batch.amounts.decimalsWritten);

/**
 * Judges the amounts of a window whose rows are in the table (`seen`) by earlier evidence, and converts those that are
 * served in another form than the account's are stored in. Returns the new state.
 * @throws faults export-amounts-changed when the amounts have changed and nothing shows to which form;
 * export-currency-changed
 */
export const settleAmounts = async (
  change: RowChange,
  batch: LogBatch,
  known: AccountAmounts,
  seen: SeenRows,
  replaced: readonly ModelCharges[],
): Promise<AccountAmounts> => {
  const settled = await settle(change, batch, known, seen, replaced);
  const { currency, headerCurrency = currency } = batch;
  if (settled.served === 'currency' && headerCurrency !== currency)
    throw fault(
      'export-currency-changed',
      `the export has amounts in ${headerCurrency}, but ${currency} was requested`,
    );
  return settled;
};

const settle = async (
  { connection, stored, hold }: RowChange,
  batch: LogBatch,
  known: AccountAmounts,
  seen: SeenRows,
  replaced: readonly ModelCharges[],
): Promise<AccountAmounts> => {
  const { start, end } = batch.window;
  const rows = { account: batch.account, start, end };
  if (seen.charged === 0 && seen.fractions === undefined) return known;
  const landing = { connection, stored, hold, batch, known, seen, rows, replaced };
  if (known.form === undefined) return settleOpen(landing);
  if (known.form === 'units') return { ...known, served: await settleUnits(landing) };
  const served = await settleCurrency(landing);
  return {
    ...known,
    served,
    hasFractions: known.hasFractions || (served === 'currency' && seen.fractions !== undefined),
  };
};
