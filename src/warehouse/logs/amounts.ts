import type { DuckDBConnection } from '@duckdb/node-api';
import { compareMoney, divideMoney, fault, money, multiplyMoney, zero } from '../../base/index.ts';
import type { Money } from '../../base/index.ts';
import { execute, optionalText, readRows, text, wholeNumber } from '../rows.ts';
import type { AmountForm, LogBatch } from './log-batch.ts';

/** What is known of an account's amounts. */
export type AccountAmounts = {
  readonly currency: string;
  readonly form: AmountForm | undefined;
  readonly unitsPerCurrency: number;
  /** Charged rows seen with whole amounts while the form was open, and the largest of them. */
  readonly wholeCount: number;
  readonly largestWhole: Money;
};

/** What one landed window shows. */
export type AmountEvidence = {
  readonly fractions: boolean;
  readonly decimalsWritten: boolean;
  readonly wholeCount: number;
  readonly largestWhole: Money;
};

/** Whole amounts are units only when there are enough of them, and some too large for the price of a call. */
const enoughRows = 20;
const dearestCall = money('100');
/** From here on, whole amounts contradict an account that is known to be charged in currency. */
const absurdCall = money('1000');

/** The form that the data shows, together with what was seen before; nothing while it is open. */
export const judgeAmounts = (
  before: Pick<AccountAmounts, 'wholeCount' | 'largestWhole'>,
  seen: AmountEvidence,
): AmountForm | undefined => {
  if (seen.fractions || (seen.decimalsWritten && seen.wholeCount > 0)) return 'currency';
  const largest =
    compareMoney(before.largestWhole, seen.largestWhole) > 0 ? before.largestWhole : seen.largestWhole;
  return before.wholeCount + seen.wholeCount >= enoughRows && compareMoney(largest, dearestCall) >= 0
    ? 'units'
    : undefined;
};

/** Whole and far too large, where the account is known to be charged in currency. */
export const contradictsCurrency = (seen: AmountEvidence): boolean =>
  !seen.fractions &&
  !seen.decimalsWritten &&
  seen.wholeCount >= enoughRows &&
  compareMoney(seen.largestWhole, absurdCall) >= 0;

/** What one unit is worth, exactly. @throws fault wrong-use when it has no exact decimal of 12 places. */
export const unitValue = (unitsPerCurrency: number): Money => {
  const units = money(String(unitsPerCurrency));
  const value = divideMoney(money('1'), units, 12);
  if (value === undefined || compareMoney(multiplyMoney(value, units), money('1')) !== 0)
    throw fault('wrong-use', `1/${unitsPerCurrency} of a currency is no exact decimal of 12 places`, {
      advice: 'set gateway.units_per_currency to a number like 500000 or 1000000',
    });
  return value;
};

export const readAmounts = async (
  connection: DuckDBConnection,
  account: string,
): Promise<AccountAmounts | undefined> => {
  const [row] = await readRows(connection, 'SELECT * FROM log_amounts WHERE account = $account', { account });
  if (row === undefined) return undefined;
  return {
    currency: text(row, 'currency'),
    form: optionalText(row, 'form') as AmountForm | undefined,
    unitsPerCurrency: wholeNumber(row, 'units_per_currency'),
    wholeCount: wholeNumber(row, 'whole_count'),
    largestWhole: money(text(row, 'largest_whole')),
  };
};

export const writeAmounts = async (
  connection: DuckDBConnection,
  account: string,
  amounts: AccountAmounts,
): Promise<void> => {
  await execute(connection, 'DELETE FROM log_amounts WHERE account = $account', { account });
  await execute(
    connection,
    `INSERT INTO log_amounts VALUES ($account, $currency, $form, $units, $count, CAST($largest AS DECIMAL(28, 12)))`,
    {
      account,
      currency: amounts.currency,
      form: amounts.form ?? null,
      units: amounts.unitsPerCurrency,
      count: amounts.wholeCount,
      largest: amounts.largestWhole,
    },
  );
};

/** What to take the amounts of a batch for, before its rows are read. @throws faults export-currency-changed, wrong-use. */
export const amountsFor = (batch: LogBatch, known: AccountAmounts | undefined): AccountAmounts => {
  if (known !== undefined && known.currency !== batch.currency)
    throw fault(
      'export-currency-changed',
      `the account ${batch.account} holds amounts in ${known.currency}; this export is in ${batch.currency}`,
    );
  unitValue(batch.amounts.unitsPerCurrency);
  return {
    currency: batch.currency,
    form: batch.amounts.form ?? known?.form,
    unitsPerCurrency: batch.amounts.unitsPerCurrency,
    wholeCount: known?.wholeCount ?? 0,
    largestWhole: known?.largestWhole ?? zero,
  };
};
