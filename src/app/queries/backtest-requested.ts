import {
  addDays,
  addMonths,
  localDays,
  startOfMonth,
  wholeDaysIn,
  type LocalDate,
} from '../../core/index.ts';
import { runQuery, type JobContext } from '../../jobs/index.ts';
import { backtest, type Backtest } from '../../monitoring/index.ts';

export type BacktestView = Backtest & {
  readonly account: string;
  /** Undefined before the first landing. */
  readonly currency: string | undefined;
  readonly zone: string;
  /** The days that were read, both included; undefined without a whole day. */
  readonly first?: LocalDate;
  readonly last?: LocalDate;
};

/** Months that are read before the one in which the log ends. */
const mostMonths = 24;

const sql = `
  SELECT day, sum(spend) AS spend FROM cube
  WHERE period = 'current' AND kind IN ('consumption', 'refund') GROUP BY day ORDER BY day`;

/** Replays forecasts of the end of each month over the call log of an account as it is now. */
export const backtestRequested = async (context: JobContext): Promise<BacktestView> => {
  const { account, warehouse, zone } = context;
  const covered = await warehouse.logs.watermark(account.name);
  const nothing = { account: account.name, currency: undefined, zone, ...backtest([]) };
  if (covered === undefined) return nothing;
  const { first: whole, last } = wholeDaysIn(covered, zone);
  const earliest = addMonths(startOfMonth(last), -mostMonths);
  const first = whole > earliest ? whole : earliest;
  if (first > last) return nothing;
  const { rows, currency } = await runQuery({ sql, period: `${first}..${addDays(last, 1)}` }, context);
  const spend = new Map(rows.map(([day, amount]) => [String(day), Number(amount ?? 0)]));
  const days = localDays(first, last, zone).map(({ date }) => ({ date, spend: spend.get(date) ?? 0 }));
  return { account: account.name, currency, zone, first, last, ...backtest(days) };
};
