import { groupBy, type Interval, type Money, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import {
  amount,
  column,
  label,
  millis,
  optionalText,
  readAs,
  rowReader,
  seconds,
  secondsRange,
  text,
  wholeNumber,
  type Row,
  type Sql,
} from '../../storage/index.ts';
import { countedClasses, type ClassPrices, type ClassTokens } from '../tokens/class-names.ts';

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
  readonly tokens: ClassTokens;
};

/** A change of a closed month, as booked before and as of the log when a later month was closed. */
export type ClosedCorrection = Named & {
  /** The month of the day. */
  readonly month: string;
  readonly old: Pick<ClosedRow, 'calls' | 'charge'>;
  readonly new: Pick<ClosedRow, 'calls' | 'charge'>;
};

const named = {
  day: text,
  model: column('model_name', text),
  key: column('token_name', text),
  service: text,
  kind: label<Named['kind']>(),
};

const order = 'ORDER BY month, day, model_name, token_name, kind';

const closedMonth = rowReader({
  month: text,
  zone: text,
  range: secondsRange,
  currency: text,
  unit: amount,
  calls: wholeNumber,
  spend: amount,
  rows: column('row_count', wholeNumber),
  verdict: text,
  reached: seconds,
  closedAt: millis,
});

/** By month. */
export const readClosedMonths = async (connection: Sql, account: string): Promise<readonly ClosedMonth[]> =>
  readAs(connection, closedMonth, 'SELECT * FROM closed_month WHERE account = $account ORDER BY month', {
    account,
  });

const tokensOf = (row: Row): ClosedRow['tokens'] =>
  Object.fromEntries(
    countedClasses.flatMap((name) => {
      const count = optionalText(row, name);
      return count === undefined ? [] : [[name, BigInt(count)]];
    }),
  );

const closedRow = rowReader({
  ...named,
  calls: wholeNumber,
  charge: amount,
  unstatedCalls: wholeNumber,
  tokens: tokensOf,
});

export const readClosedRows = async (
  connection: Sql,
  account: string,
  month: string,
  day?: string,
): Promise<readonly ClosedRow[]> =>
  readAs(
    connection,
    closedRow,
    `SELECT * FROM closed_row WHERE account = $account AND month = $month ${day === undefined ? '' : 'AND day = $day'} ${order}`,
    { account, month, ...(day === undefined ? {} : { day }) },
  );

/** What a closed month books for a key: of the month itself, and of each earlier month that is corrected in it. */
export type BookedSpend = {
  /** That of the calls. */
  readonly month: string;
  readonly key: string;
  readonly service: string;
  readonly amount: Money;
};

const bookedSpend = rowReader({
  month: text,
  key: column('token_name', text),
  service: text,
  amount,
});

export const readBooked = async (
  connection: Sql,
  account: string,
  month: string,
): Promise<readonly BookedSpend[]> =>
  readAs(
    connection,
    bookedSpend,
    `SELECT month, token_name, service, CAST(sum(charge) AS DECIMAL(38, 12)) AS amount
     FROM (
       SELECT month, token_name, service, charge FROM closed_row WHERE account = $account AND month = $month
       UNION ALL
       SELECT month, token_name, service, new_charge - old_charge FROM closed_correction
       WHERE account = $account AND booked_month = $month
     ) AS booked
     GROUP BY month, token_name, service ORDER BY month, token_name, service`,
    { account, month },
  );

/** The prices of a million tokens of one model on one day, and where they are from. */
export type ClosedPrices = {
  readonly day: string;
  readonly model: string;
  readonly source: 'configured' | 'fitted';
  readonly prices: ClassPrices;
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
      source: label<ClosedPrices['source']>()(same[0], 'source'),
      prices: Object.fromEntries(same.map((row) => [text(row, 'class'), amount(row, 'price')])),
    }),
  );
};

const sideOf =
  (side: 'old' | 'new') =>
  (row: Row): ClosedCorrection['old'] => ({
    calls: wholeNumber(row, `${side}_calls`),
    charge: amount(row, `${side}_charge`),
  });

const closedCorrection = rowReader({ ...named, month: text, old: sideOf('old'), new: sideOf('new') });

/** The corrections that were booked when the month was closed. */
export const readCorrections = async (
  connection: Sql,
  account: string,
  bookedMonth: string,
): Promise<readonly ClosedCorrection[]> =>
  readAs(
    connection,
    closedCorrection,
    `SELECT * FROM closed_correction WHERE account = $account AND booked_month = $booked ${order}`,
    { account, booked: bookedMonth },
  );
