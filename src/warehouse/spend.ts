import type { DuckDBConnection } from '@duckdb/node-api';
import { absoluteMoney, money, multiplyMoney, subtractMoney, sumMoney, zero } from '../base/index.ts';
import type { Interval, Money, UnixSeconds } from '../base/index.ts';
import type { CallsRelation } from './archive/relations.ts';
import { readAmounts, unitValue } from './logs/amounts.ts';
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
  /** Sum of all amounts as served, in whatever unit that was. */
  readonly served: Money;
  /** Whether amounts were served as currency or units; nothing while the data has not shown it (then taken as currency). */
  readonly amounts: AmountForm | undefined;
};

/** What one served unit is worth in the account's currency, exactly. */
export const valueOfServed = async (
  connection: DuckDBConnection,
  account: string,
): Promise<{
  readonly value: Money;
  readonly form: AmountForm | undefined;
  readonly currency: string | undefined;
}> => {
  const amounts = await readAmounts(connection, account);
  const value = amounts?.form === 'units' ? unitValue(amounts.unitsPerCurrency) : money('1');
  return { value, form: amounts?.form, currency: amounts?.currency };
};

export const readSpend = async (
  connection: DuckDBConnection,
  account: string,
  span: Interval<UnixSeconds>,
  calls: CallsRelation,
): Promise<Spend> => {
  const { value, form } = await valueOfServed(connection, account);
  const rows = await readRows(
    connection,
    // A refund counts as given back whichever sign it is booked with.
    `SELECT kind, count(*) AS row_count, coalesce(sum(quota), 0) AS quota, coalesce(sum(abs(quota)), 0) AS size
     FROM ${calls.sql} WHERE account = $account AND created_at >= $start AND created_at < $end
     GROUP BY kind ORDER BY kind`,
    { account, start: span.start, end: span.end, ...calls.bindings },
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
