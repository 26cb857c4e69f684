import type { DuckDBConnection } from '@duckdb/node-api';
import { absoluteMoney, money, multiplyMoney, subtractMoney, sumMoney, zero } from '../core/index.ts';
import type { Interval, Money, UnixSeconds } from '../core/index.ts';
import type { CallsRelation } from './archive/relations.ts';
import { isProven, readAmounts, storedCurrency, unitValue } from './logs/amounts.ts';
import type { AmountForm } from './logs/log-batch.ts';
import { readRows, text, wholeNumber } from './rows.ts';

/** What the log says was charged, in currency. */
export type Spend = {
  readonly consumption: Money;
  /** What was given back, as a positive amount. */
  readonly refunds: Money;
  /** Consumption less refunds. */
  readonly net: Money;
  readonly calls: number;
  /** Kinds that are no spend (top-up, management, system, error, unknown ones), each by itself. */
  readonly otherKinds: readonly { readonly kind: string; readonly rows: number; readonly amount: Money }[];
  /** Sum of all amounts as they are stored, in whatever unit that is. */
  readonly served: Money;
  /** Whether amounts are stored as currency or units; missing while nothing proves it. */
  readonly amounts: AmountForm | undefined;
};

/** What stored amounts are. */
export type StoredAmounts = {
  /** What 1 of them is worth in the currency, exactly. */
  readonly value: Money;
  /** Missing while nothing proves it. */
  readonly form: AmountForm | undefined;
  /** Of what they are worth; missing where nothing was landed. */
  readonly currency: string | undefined;
  /** What the export was asked for in. */
  readonly asked: string | undefined;
  /** Whether sums of them may be shown. */
  readonly isProven: boolean;
};

/** What one stored amount is worth, and in which currency. */
export const valueOfServed = async (
  connection: DuckDBConnection,
  account: string,
): Promise<StoredAmounts> => {
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
  connection: DuckDBConnection,
  account: string,
  range: Interval<UnixSeconds>,
  calls: CallsRelation,
): Promise<Spend> => {
  const { value, form } = await valueOfServed(connection, account);
  const rows = await readRows(
    connection,
    // A refund counts as given back whichever sign it is booked with.
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
