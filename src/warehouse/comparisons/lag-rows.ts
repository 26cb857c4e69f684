import type { Interval, UnixSeconds } from '../../core/index.ts';
import {
  amount,
  millis,
  readAs,
  rowReader,
  secondsRange,
  sparse,
  wholeNumber,
  type Sql,
} from '../../storage/index.ts';
import type { LaggingWindow, LogCheck } from './comparison.ts';

const check = rowReader({ range: secondsRange, gatewaySum: amount, checkedAt: millis });

export const readChecks = async (connection: Sql, account: string): Promise<readonly LogCheck[]> =>
  readAs(connection, check, 'SELECT * FROM log_check WHERE account = $account ORDER BY start_at', {
    account,
  });

export const writeCheck = async (
  connection: Sql,
  account: string,
  { range, gatewaySum, checkedAt }: LogCheck,
): Promise<void> => {
  const { start, end } = range;
  await connection.execute(
    'DELETE FROM log_check WHERE account = $account AND start_at < $end AND end_at > $start',
    { account, start, end },
  );
  await connection.execute(
    `INSERT INTO log_check (account, start_at, end_at, gateway_sum, checked_at)
     VALUES ($account, $start, $end, $sum, $checked)`,
    { account, start, end, sum: gatewaySum, checked: checkedAt },
  );
};

const lagging = rowReader({
  range: secondsRange,
  gatewaySum: amount,
  tries: wholeNumber,
  triedAt: sparse(millis),
  notifiedAt: sparse(millis),
});

export const readLagging = async (
  connection: Sql,
  account: string,
  condition = 'true',
): Promise<readonly LaggingWindow[]> =>
  readAs(
    connection,
    lagging,
    `SELECT * FROM lagging_window WHERE account = $account AND ${condition} ORDER BY start_at, end_at`,
    { account },
  );

export const writeLagging = async (
  connection: Sql,
  account: string,
  range: Interval<UnixSeconds>,
  windows: readonly LaggingWindow[],
): Promise<void> => {
  await connection.execute(
    'DELETE FROM lagging_window WHERE account = $account AND start_at < $end AND end_at > $start',
    { account, start: range.start, end: range.end },
  );
  for (const one of windows)
    await connection.execute(
      `INSERT INTO lagging_window (account, start_at, end_at, gateway_sum, tries, tried_at, notified_at)
       VALUES ($account, $start, $end, $sum, $tries, $tried, $notified)`,
      {
        account,
        start: one.range.start,
        end: one.range.end,
        sum: one.gatewaySum,
        tries: one.tries,
        tried: one.triedAt ?? null,
        notified: one.notifiedAt ?? null,
      },
    );
};
