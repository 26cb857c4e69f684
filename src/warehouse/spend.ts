import {
  absoluteMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../core/index.ts';
import { isProven, readAmounts, storedCurrency, unitValue } from './logs/amounts.ts';
import type { AmountForm } from './logs/log-batch.ts';
import { text, wholeNumber, type Sql, type Relation } from '../storage/index.ts';

/** The charges of the log, in currency. */
export type Spend = {
  readonly consumption: Money;
  /** Refunded amounts, as a positive sum. */
  readonly refunds: Money;
  /** Consumption minus refunds. */
  readonly net: Money;
  readonly calls: number;
  /** Kinds that are no spend (top-up, management, system, error, unknown ones), each separately. */
  readonly otherKinds: readonly { readonly kind: string; readonly rows: number; readonly amount: Money }[];
  /** Sum of all amounts as stored, in their unit. */
  readonly served: Money;
  /** Whether amounts are stored as currency or units; undefined until data proves it. */
  readonly amounts: AmountForm | undefined;
};

/** The form and unit of stored amounts. */
export type StoredAmounts = {
  /** The exact value of 1 of them in the currency. */
  readonly value: Money;
  /** Undefined until data proves it. */
  readonly form: AmountForm | undefined;
  /** The currency of their value; undefined before the first landing. */
  readonly currency: string | undefined;
  /** The currency in which the export was requested. */
  readonly asked: string | undefined;
  /** Whether sums of them may be shown. */
  readonly isProven: boolean;
};

/** The value of one stored amount, and its currency. */
export const valueOfServed = async (connection: Sql, account: string): Promise<StoredAmounts> => {
  const amounts = await readAmounts(connection, account);
  const value = amounts?.form === 'units' ? unitValue(amounts.unitsPerCurrency) : money('1');
  return {
    value,
    form: amounts?.form,
    currency: amounts === undefined ? undefined : storedCurrency(amounts),
    asked: amounts?.currency,
    isProven: isProven(amounts),
  };
};

export const readSpend = async (
  connection: Sql,
  account: string,
  range: Interval<UnixSeconds>,
  calls: Relation,
): Promise<Spend> => {
  const { value, form } = await valueOfServed(connection, account);
  const rows = await connection.rows(
    // A refund is positive whichever sign it is booked with.
    `SELECT kind, count(*) AS row_count, coalesce(sum(quota), 0) AS quota, coalesce(sum(abs(quota)), 0) AS size
     FROM ${calls.sql} WHERE account = $account AND created_at >= $start AND created_at < $end
     GROUP BY kind ORDER BY kind`,
    { account, start: range.start, end: range.end, ...calls.bindings },
  );
  const kinds = rows.map((row) => ({
    kind: text(row, 'kind'),
    rows: wholeNumber(row, 'row_count'),
    amount: multiplyMoney(money(text(row, 'quota')), value),
    size: multiplyMoney(money(text(row, 'size')), value),
    served: money(text(row, 'quota')),
  }));
  const consumption = kinds.find(({ kind }) => kind === 'consumption')?.amount ?? zero;
  const refunds = absoluteMoney(kinds.find(({ kind }) => kind === 'refund')?.size ?? zero);
  return {
    consumption,
    refunds,
    net: subtractMoney(consumption, refunds),
    calls: kinds.find(({ kind }) => kind === 'consumption')?.rows ?? 0,
    otherKinds: kinds
      .filter(({ kind }) => kind !== 'consumption' && kind !== 'refund')
      .map(({ kind, rows, amount }) => ({ kind, rows, amount })),
    served: sumMoney(kinds.map(({ served }) => served)),
    amounts: form,
  };
};
