import {
  absoluteMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { text, wholeNumber, type Sql, type StateEngine } from '../../storage/index.ts';
import { valueOfServed } from '../spend.ts';

/** Calls of one kind and their amount in currency; refunds as a positive amount. */
export type KindSums = { readonly calls: number; readonly amount: Money };

/** One kind of row of one quarter hour, before and after. */
export type RestatedQuarter = {
  readonly quarter: UnixSeconds;
  readonly kind: string;
  readonly old: KindSums;
  readonly new: KindSums;
  /** The last landing that changed it. */
  readonly changedAt: UnixMillis;
};

/** Sums in currency, as in `Spend`. */
export type RestatedSums = {
  readonly consumption: Money;
  readonly refunds: Money;
  /** Consumption minus refunds. */
  readonly net: Money;
  readonly calls: number;
};

/** Changes of data that had landed before. */
export type Restated = {
  /** The changed ones, by quarter hour and kind. */
  readonly quarters: readonly RestatedQuarter[];
  /** Sums of only these quarters and kinds: a sum over a longer range changed by new minus old. */
  readonly old: RestatedSums;
  readonly new: RestatedSums;
};

export type Restatements = {
  /**
   * What later landings changed in the quarter hours that start in the range, since a moment such as the creation of a
   * report. Data that lands for the first time is no change.
   */
  readonly since: (account: string, moment: UnixMillis, range: Interval<UnixSeconds>) => Promise<Restated>;
};

const sumsOf = (quarters: readonly RestatedQuarter[], side: 'old' | 'new'): RestatedSums => {
  const amountOf = (kind: string): Money =>
    sumMoney(quarters.filter((one) => one.kind === kind).map((one) => one[side].amount));
  const [consumption, refunds] = [amountOf('consumption'), amountOf('refund')];
  return {
    consumption,
    refunds,
    net: subtractMoney(consumption, refunds),
    calls: quarters
      .filter(({ kind }) => kind === 'consumption')
      .reduce((sum, one) => sum + one[side].calls, 0),
  };
};

const readSince = async (
  connection: Sql,
  account: string,
  moment: UnixMillis,
  range: Interval<UnixSeconds>,
): Promise<Restated> => {
  const { value } = await valueOfServed(connection, account);
  const rows = await connection.rows(
    // The old sums are the current ones minus all changes: data landed for the first time in between belongs to both.
    `SELECT quarter, kind, changed_at, new_calls, new_calls - calls AS old_calls,
       new_amount, new_amount - amount AS old_amount, new_size, new_size - size AS old_size
     FROM (
       SELECT quarter, kind, new_calls, new_amount, new_size, max(landed_at) OVER changes AS changed_at,
         sum(new_calls - old_calls) OVER changes AS calls, sum(new_amount - old_amount) OVER changes AS amount,
         sum(new_size - old_size) OVER changes AS size,
         row_number() OVER (PARTITION BY quarter, kind ORDER BY number DESC) AS place
       FROM restatement
       WHERE account = $account AND landed_at > $moment AND quarter >= $start AND quarter < $end
       WINDOW changes AS (PARTITION BY quarter, kind)
     ) AS changed
     WHERE place = 1 AND (calls <> 0 OR amount <> 0 OR size <> 0)
     ORDER BY quarter, kind`,
    { account, moment, start: range.start, end: range.end },
  );
  const quarters = rows.map((row): RestatedQuarter => {
    const kind = text(row, 'kind');
    // A refund is positive whichever sign it is booked with.
    const served = (side: 'old' | 'new'): Money =>
      kind === 'refund'
        ? absoluteMoney(money(text(row, `${side}_size`)))
        : money(text(row, `${side}_amount`));
    const sums = (side: 'old' | 'new'): KindSums => ({
      calls: wholeNumber(row, `${side}_calls`),
      amount: multiplyMoney(served(side), value),
    });
    return {
      quarter: unixSeconds(wholeNumber(row, 'quarter')),
      kind,
      old: sums('old'),
      new: sums('new'),
      changedAt: unixMillis(wholeNumber(row, 'changed_at')),
    };
  });
  return { quarters, old: sumsOf(quarters, 'old'), new: sumsOf(quarters, 'new') };
};

export const createRestatements = (engine: StateEngine): Restatements => ({
  since: async (account, moment, range) =>
    engine.bulk(async (connection) => readSince(connection, account, moment, range)),
});
