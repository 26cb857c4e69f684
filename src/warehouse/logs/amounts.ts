import { compareMoney, divideMoney, fault, money, multiplyMoney, type Money } from '../../core/index.ts';
import {
  all,
  amount,
  column,
  flag,
  label,
  optional,
  readAs,
  rowReader,
  text,
  wholeNumber,
  type Sql,
} from '../../storage/index.ts';
import type { AmountForm, LogBatch } from './log-batch.ts';

/** What is known about an account's stored amounts. */
export type AccountAmounts = {
  /** The currency in which the export is requested. */
  readonly currency: string;
  /** How amounts are stored; undefined until data proves it. */
  readonly form: AmountForm | undefined;
  /** What decided the form; undefined while it is open. */
  readonly decidedBy: 'data' | 'config' | undefined;
  /** How the last window with charges was served: a form other than the stored one is converted. */
  readonly served: AmountForm | undefined;
  readonly unitsPerCurrency: number;
  /**
   * Whether `units_per_currency` is set, so that units are parts of the account's currency; undefined while unknown.
   */
  readonly unitsStated: boolean | undefined;
  /** Whether amounts with a fraction were stored as currency. */
  readonly hasFractions: boolean;
  /** Charged rows with whole amounts while the form is open, and the largest of them. */
  readonly wholeCount: number;
  readonly largestWhole: Money;
};

/** The currency of stored amounts. Integer units are parts of a US dollar, whatever currency was requested. */
export const storedCurrency = ({
  currency,
  form,
  unitsStated,
}: Pick<AccountAmounts, 'currency' | 'form' | 'unitsStated'>): string =>
  form === 'units' && unitsStated !== true ? 'USD' : currency;

/** Whether sums of stored amounts may be shown: their form is known, or there is no charge at all. */
export const isProven = (amounts: AccountAmounts | undefined): boolean => {
  if (amounts === undefined) return true;
  const { form, currency, unitsStated, wholeCount } = amounts;
  if (form === undefined) return wholeCount === 0;
  // A database that predates `unitsStated` does not contain what units of another currency are.
  return form !== 'units' || currency === 'USD' || unitsStated !== undefined;
};

/** The evidence of one landed window. */
export type AmountEvidence = {
  readonly fractions: boolean;
  readonly decimalsWritten: boolean;
  /** Charged rows with whole amounts, and the largest of them. */
  readonly wholeCount: number;
  readonly largestWhole: Money;
};

/** Whole amounts are units only if there are enough of them, and some are too large for the price of a call. */
const enoughRows = 20;
const dearestCall = money('100');

/** The form that the amounts of an account prove; undefined while it is open. */
export const judgeAmounts = (seen: AmountEvidence): AmountForm | undefined => {
  if (seen.fractions || (seen.decimalsWritten && seen.wholeCount > 0)) return 'currency';
  return seen.wholeCount >= enoughRows && compareMoney(seen.largestWhole, dearestCall) >= 0
    ? 'units'
    : undefined;
};

/** The exact value of one unit. @throws fault wrong-use when it has no exact decimal of 12 places. */
export const unitValue = (unitsPerCurrency: number): Money => {
  const units = money(String(unitsPerCurrency));
  const value = divideMoney(money('1'), units, 12);
  if (value === undefined || compareMoney(multiplyMoney(value, units), money('1')) !== 0)
    throw fault('wrong-use', `1/${unitsPerCurrency} of a currency is not an exact decimal with 12 places`, {
      advice: 'set gateway.units_per_currency to a number such as 500000 or 1000000',
    });
  return value;
};

const accountAmounts = rowReader({
  currency: text,
  form: optional(label<AmountForm>()),
  decidedBy: optional(label<'data' | 'config'>()),
  served: column('served_form', optional(label<AmountForm>())),
  ...all(wholeNumber, 'unitsPerCurrency', 'wholeCount'),
  unitsStated: optional(flag),
  hasFractions: flag,
  largestWhole: amount,
});

export const readAmounts = async (connection: Sql, account: string): Promise<AccountAmounts | undefined> => {
  const sql = 'SELECT * FROM log_amounts WHERE account = $account';
  return (await readAs(connection, accountAmounts, sql, { account }))[0];
};

export const writeAmounts = async (
  connection: Sql,
  account: string,
  amounts: AccountAmounts,
): Promise<void> => {
  await connection.execute('DELETE FROM log_amounts WHERE account = $account', { account });
  await connection.execute(
    `INSERT INTO log_amounts (account, currency, form, decided_by, served_form, units_per_currency, units_stated,
       has_fractions, whole_count, largest_whole)
     VALUES ($account, $currency, $form, $decided, $served, $units, $stated, $fractions, $count,
       CAST($largest AS DECIMAL(28, 12)))`,
    {
      account,
      currency: amounts.currency,
      form: amounts.form ?? null,
      decided: amounts.decidedBy ?? null,
      served: amounts.served ?? null,
      units: amounts.unitsPerCurrency,
      stated: amounts.unitsStated ?? null,
      fractions: amounts.hasFractions,
      count: amounts.wholeCount,
      largest: amounts.largestWhole,
    },
  );
};

/** The account's amounts before the rows of the batch are read. @throws faults export-currency-changed, wrong-use. */
export const amountsFor = (batch: LogBatch, known: AccountAmounts | undefined): AccountAmounts => {
  if (known !== undefined && known.currency !== batch.currency)
    throw fault(
      'export-currency-changed',
      `the account ${batch.account} has amounts in ${known.currency}, but this export is in ${batch.currency}`,
    );
  const { form: stated, unitsPerCurrency, unitsStated = false } = batch.amounts;
  unitValue(unitsPerCurrency);
  // A form proven by data stays for stored rows; a setting then describes how exports are served now, and they are
  // converted.
  const isProvenByData =
    known !== undefined && (known.hasFractions || (known.form === 'units' && known.decidedBy === 'data'));
  const isKept = known?.form !== undefined && (stated === undefined || isProvenByData);
  return {
    currency: batch.currency,
    form: isKept ? known.form : stated,
    decidedBy: isKept ? known.decidedBy : stated === undefined ? undefined : 'config',
    served: known?.served,
    unitsPerCurrency,
    unitsStated,
    hasFractions: known?.hasFractions ?? false,
    wholeCount: known?.wholeCount ?? 0,
    largestWhole: known?.largestWhole ?? money('0'),
  };
};
