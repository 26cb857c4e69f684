import type { LocalDate, Money, UnixMillis } from '../../core/index.ts';
import {
  all,
  amount,
  boundRows,
  inTransaction,
  readAs,
  rowReader,
  text,
  wholeNumber,
  type StateEngine,
} from '../../storage/index.ts';

/** Months of a part of an account: `scope` is its text, such as `team search`; they begin on the anchor day in the zone. */
export type ForecastSubject = { readonly scope: string; readonly zone: string; readonly anchorDay: number };

/** What is known of a subject; `content` is JSON of the module that forecasts. */
export type KeptContent = ForecastSubject & { readonly content: string };

/** A forecast as an evaluation made it. Amounts are in the currency of the account. */
export type StoredForecast = ForecastSubject & {
  /** The first day of the month. */
  readonly month: LocalDate;
  /** The days of the month that were over. */
  readonly day: number;
  readonly method: string;
  readonly amount: Money;
  readonly low: Money;
  readonly high: Money;
};

/** What forecasts of months are made from, and those that were made, by account. */
export type ForecastTable = {
  readonly kept: (account: string) => Promise<readonly KeptContent[]>;
  readonly keep: (account: string, contents: readonly KeptContent[], at: UnixMillis) => Promise<void>;
  /** Removes what is known of parts of the account that nothing asks for, and forecasts of months before this one. */
  readonly trim: (account: string, asked: readonly ForecastSubject[], before: LocalDate) => Promise<void>;
  /** Stores forecasts; the first of each day stays. */
  readonly issue: (account: string, forecasts: readonly StoredForecast[], at: UnixMillis) => Promise<void>;
  readonly issued: (account: string, subject: ForecastSubject) => Promise<readonly StoredForecast[]>;
};

const subject = { ...all(text, 'scope', 'zone') } as const;

const keptContent = rowReader({ ...subject, anchorDay: wholeNumber, content: text });

const storedForecast = rowReader({
  ...subject,
  anchorDay: wholeNumber,
  ...all(text, 'month', 'method'),
  day: wholeNumber,
  ...all(amount, 'amount', 'low', 'high'),
});

const subjectColumns = { scope: 'VARCHAR', zone: 'VARCHAR', anchor_day: 'BIGINT' } as const;
const keyColumns = { ...subjectColumns, month: 'VARCHAR', day: 'BIGINT' } as const;

const rowOf = ({ scope, zone, anchorDay }: ForecastSubject) => ({ scope, zone, anchor_day: anchorDay });

/** Whether two rows have the same key. */
const same = (columns: object, one: string, other: string): string =>
  Object.keys(columns)
    .map((name) => `${one}.${name} = ${other}.${name}`)
    .join(' AND ');

const money = (column: string): string => `CAST(${column} AS DECIMAL(38, 12))`;

export const createForecastTable = (engine: StateEngine): ForecastTable => ({
  kept: async (account) =>
    engine.state(async (connection) =>
      readAs(
        connection,
        keptContent,
        'SELECT scope, zone, anchor_day, content FROM forecast_kept WHERE account = $account ORDER BY scope, zone, anchor_day',
        { account },
      ),
    ),
  keep: async (account, contents, at) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        const bound = boundRows(
          connection,
          { ...subjectColumns, content: 'VARCHAR' },
          contents,
          ({ content, ...one }) => ({ ...rowOf(one), content }),
        );
        await bound.execute(
          (table) =>
            `UPDATE forecast_kept SET content = changed.content, kept_at = $at FROM ${table} AS changed
             WHERE forecast_kept.account = $account AND ${same(subjectColumns, 'forecast_kept', 'changed')}`,
          { account, at },
        );
        await bound.execute(
          (table) =>
            `INSERT INTO forecast_kept (account, scope, zone, anchor_day, content, kept_at)
             SELECT $account, scope, zone, anchor_day, content, $at FROM ${table} AS added
             WHERE NOT EXISTS (
               SELECT 1 FROM forecast_kept AS known
               WHERE known.account = $account AND ${same(subjectColumns, 'known', 'added')})`,
          { account, at },
        );
      }),
    ),
  trim: async (account, asked, before) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        const names = asked.map(({ scope, zone, anchorDay }) => `${scope}\n${zone}\n${anchorDay}`);
        await connection.execute(
          `DELETE FROM forecast_kept WHERE account = $account AND scope <> 'account'
             AND NOT (scope || chr(10) || zone || chr(10) || anchor_day = ANY($names))`,
          { account, names },
        );
        await connection.execute('DELETE FROM forecast_issued WHERE account = $account AND month < $before', {
          account,
          before,
        });
      }),
    ),
  issue: async (account, forecasts, at) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        const bound = boundRows(
          connection,
          {
            ...keyColumns,
            method: 'VARCHAR',
            amount: 'VARCHAR',
            low: 'VARCHAR',
            high: 'VARCHAR',
          },
          forecasts,
          ({ month, day, method, amount, low, high, ...one }) => ({
            ...rowOf(one),
            month,
            day,
            method,
            amount,
            low,
            high,
          }),
        );
        await bound.execute(
          (table) =>
            `INSERT INTO forecast_issued (account, scope, zone, anchor_day, month, day, method, amount, low, high, issued_at)
             SELECT $account, scope, zone, anchor_day, month, day, method, ${money('amount')}, ${money('low')}, ${money('high')}, $at FROM ${table} AS added
             WHERE NOT EXISTS (
               SELECT 1 FROM forecast_issued AS known
               WHERE known.account = $account AND ${same(keyColumns, 'known', 'added')})`,
          { account, at },
        );
      }),
    ),
  issued: async (account, asked) =>
    engine.state(async (connection) =>
      readAs(
        connection,
        storedForecast,
        `SELECT scope, zone, anchor_day, month, day, method, amount, low, high FROM forecast_issued
         WHERE account = $account AND scope = $scope AND zone = $zone AND anchor_day = $anchor_day ORDER BY month, day`,
        { account, ...rowOf(asked) },
      ),
    ),
});
