import {
  groupBy,
  interval,
  money,
  unixMillis,
  unixSeconds,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { optionalText, text, wholeNumber, type Row, type Sql } from '../../storage/index.ts';
import { countedClasses, type TokenClass } from '../tokens/class-names.ts';

/** A month that accounting has received. */
export type ClosedMonth = {
  /** `2026-10`, in the zone. */
  readonly month: string;
  readonly zone: string;
  readonly range: Interval<UnixSeconds>;
  readonly currency: string;
  /** The last unit of the amounts in the log. */
  readonly unit: Money;
  /** Without refunds. */
  readonly calls: number;
  /** Consumption less refunds. */
  readonly spend: Money;
  readonly rows: number;
  /** What the comparison with the gateway said. */
  readonly verdict: string;
  /** Where the call log ended. */
  readonly reached: UnixSeconds;
  readonly closedAt: UnixMillis;
};

/** What the rows of a closed month are sums of. */
type Named = {
  /** `2026-10-31`, in the zone of the month. */
  readonly day: string;
  readonly model: string;
  readonly key: string;
  /** The service of the key when the month was closed. */
  readonly service: string;
  readonly kind: 'consumption' | 'refund';
};

export type ClosedRow = Named & {
  readonly calls: number;
  /** Negative for a refund. */
  readonly charge: Money;
  /** Calls of which the export does not state all tokens. */
  readonly unstatedCalls: number;
  /** Without the classes that the export does not state. */
  readonly tokens: Readonly<Partial<Record<TokenClass, bigint>>>;
};

/** A change of a closed month, as booked before and as of the log when a later month was closed. */
export type ClosedCorrection = Named & {
  /** The month of the day. */
  readonly month: string;
  readonly old: Pick<ClosedRow, 'calls' | 'charge'>;
  readonly new: Pick<ClosedRow, 'calls' | 'charge'>;
};

const namedOf = (row: Row): Named => ({
  day: text(row, 'day'),
  model: text(row, 'model_name'),
  key: text(row, 'token_name'),
  service: text(row, 'service'),
  kind: text(row, 'kind') === 'refund' ? 'refund' : 'consumption',
});

const order = 'ORDER BY month, day, model_name, token_name, kind';

/** By month. */
export const readClosedMonths = async (connection: Sql, account: string): Promise<readonly ClosedMonth[]> => {
  const rows = await connection.rows('SELECT * FROM closed_month WHERE account = $account ORDER BY month', {
    account,
  });
  return rows.map((row) => ({
    month: text(row, 'month'),
    zone: text(row, 'zone'),
    range: interval(unixSeconds(wholeNumber(row, 'start_at')), unixSeconds(wholeNumber(row, 'end_at'))),
    currency: text(row, 'currency'),
    unit: money(text(row, 'unit')),
    calls: wholeNumber(row, 'calls'),
    spend: money(text(row, 'spend')),
    rows: wholeNumber(row, 'row_count'),
    verdict: text(row, 'verdict'),
    reached: unixSeconds(wholeNumber(row, 'reached')),
    closedAt: unixMillis(wholeNumber(row, 'closed_at')),
  }));
};

export const readClosedRows = async (
  connection: Sql,
  account: string,
  month: string,
): Promise<readonly ClosedRow[]> => {
  const rows = await connection.rows(
    `SELECT * FROM closed_row WHERE account = $account AND month = $month ${order}`,
    { account, month },
  );
  return rows.map((row) => ({
    ...namedOf(row),
    calls: wholeNumber(row, 'calls'),
    charge: money(text(row, 'charge')),
    unstatedCalls: wholeNumber(row, 'unstated_calls'),
    tokens: Object.fromEntries(
      countedClasses.flatMap((name) => {
        const count = optionalText(row, name);
        return count === undefined ? [] : [[name, BigInt(count)]];
      }),
    ),
  }));
};

/** The prices of a million tokens of one model on one day, and where they are from. */
export type ClosedPrices = {
  readonly day: string;
  readonly model: string;
  readonly source: 'configured' | 'fitted';
  readonly prices: Readonly<Partial<Record<TokenClass, Money>>>;
};

/** The prices by which the charges of a closed month are split. */
export const readClosedPrices = async (
  connection: Sql,
  account: string,
  month: string,
): Promise<readonly ClosedPrices[]> => {
  const rows = await connection.rows(
    'SELECT * FROM closed_price WHERE account = $account AND month = $month ORDER BY day, model_name, class',
    { account, month },
  );
  return [...groupBy(rows, (row) => JSON.stringify([row['day'], row['model_name']])).values()].map(
    (same) => ({
      day: text(same[0], 'day'),
      model: text(same[0], 'model_name'),
      source: text(same[0], 'source') === 'configured' ? 'configured' : 'fitted',
      prices: Object.fromEntries(same.map((row) => [text(row, 'class'), money(text(row, 'price'))])),
    }),
  );
};

/** The corrections that were booked when the month was closed. */
export const readCorrections = async (
  connection: Sql,
  account: string,
  bookedMonth: string,
): Promise<readonly ClosedCorrection[]> => {
  const rows = await connection.rows(
    `SELECT * FROM closed_correction WHERE account = $account AND booked_month = $booked ${order}`,
    { account, booked: bookedMonth },
  );
  return rows.map((row) => ({
    ...namedOf(row),
    month: text(row, 'month'),
    old: { calls: wholeNumber(row, 'old_calls'), charge: money(text(row, 'old_charge')) },
    new: { calls: wholeNumber(row, 'new_calls'), charge: money(text(row, 'new_charge')) },
  }));
};
