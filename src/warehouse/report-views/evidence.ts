import { inCurrency, spendOf } from '../cube/aggregates.ts';
import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

// Evidence found after the moment of a run counts too: the sums beside it are today's.

export const restatedDaysView: ReportView = {
  name: 'restated_days',
  reads: ['restatement'],
  ofAmounts: true,
  description:
    'changes of past days by later landings, one row per day and landing; covers only the quarter hours that changed',
  ofWholeAccount: true,
  columns: columnsOf([
    ['day', 'DATE', 'local day'],
    ['changed_seconds', 'BIGINT', 'time of the landing, seconds UTC'],
    ['old_spend', 'DECIMAL(38, 12)', 'consumption less refunds before the landing'],
    ['new_spend', 'DECIMAL(38, 12)', 'consumption less refunds after the landing'],
    ['difference', 'DECIMAL(38, 12)', 'new_spend minus old_spend'],
    ['old_calls', 'BIGINT', 'calls before the landing'],
    ['new_calls', 'BIGINT', 'calls after the landing'],
  ]),
  sql: async ({ request, served, days }) => {
    const sum = (side: string): string =>
      inCurrency(`coalesce(sum(${spendOf(`${side}_amount`, `${side}_size`)}), 0)`, served);
    const calls = (side: string): string =>
      `CAST(coalesce(sum(${side}_calls) FILTER (kind = 'consumption'), 0) AS BIGINT)`;
    return Promise.resolve({
      sql: `
        SELECT day, changed, old_spend, new_spend, new_spend - old_spend, old_calls, new_calls
        FROM (
          SELECT days.day, landed_at // 1000 AS changed, ${sum('old')} AS old_spend, ${sum('new')} AS new_spend,
            ${calls('old')} AS old_calls, ${calls('new')} AS new_calls
          FROM restatement JOIN ${days.sql} AS days ON quarter >= days.start_at AND quarter < days.end_at
          WHERE account = $account
          GROUP BY days.day, changed
        )`,
      bindings: {
        account: request.account,
        ...days.bindings,
        ...(served.inUnits ? { value: served.value } : {}),
      },
    });
  },
};

/** Exact up to 18 decimals; NULL beyond that, never rounded. */
const exact = (column: string): string =>
  `CASE WHEN length(split_part(${column}, '.', 2)) <= 18 THEN TRY_CAST(${column} AS DECIMAL(38, 18)) END`;

export const comparisonsView: ReportView = {
  name: 'comparisons',
  reads: ['comparison'],
  ofAmounts: true,
  description:
    'comparisons of the call log with other sources: the newest for each source, name and time range that overlaps the periods',
  ofWholeAccount: true,
  columns: columnsOf([
    ['source', 'VARCHAR', "'statistics', 'usage by model', 'usage by key', 'used_quota' or 'balance'"],
    ['entry', 'VARCHAR', 'model or key; NULL for the total'],
    ['start_seconds', 'BIGINT', 'first second compared, UTC'],
    ['end_seconds', 'BIGINT', 'first second after it, UTC'],
    ['ours', 'DECIMAL(38, 18)', 'sum of the call log, in unit'],
    ['theirs', 'DECIMAL(38, 18)', 'figure of the source'],
    [
      'gap',
      'DECIMAL(38, 18)',
      'theirs minus ours; NULL while it is unknown whether the source subtracts refunds',
    ],
    ['unit', 'VARCHAR', 'USD, CNY or units'],
    ['verdict', 'VARCHAR', 'the verdict'],
    ['message', 'VARCHAR', 'the verdict as a sentence'],
    ['compared_seconds', 'BIGINT', 'time of the comparison, seconds UTC'],
  ]),
  sql: async ({ request, range }) =>
    Promise.resolve({
      sql: `
        SELECT source, entry, start_at, end_at, ${exact('ours')}, ${exact('theirs')}, ${exact('gap')}, unit, verdict, message,
          compared_at // 1000
        FROM comparison
        WHERE account = $account AND start_at < $end AND end_at > $start
        QUALIFY row_number() OVER (PARTITION BY source, entry, start_at, end_at ORDER BY compared_at DESC, message) = 1`,
      bindings: { account: request.account, start: range.start, end: range.end },
    }),
};

export const usageDaysView: ReportView = {
  name: 'usage_days',
  reads: ['usage_bucket'],
  description:
    'daily figures of the usage export for the days of the periods, as served; the gateway does not state their unit',
  ofWholeAccount: true,
  columns: columnsOf([
    ['dimension', 'VARCHAR', "'model', 'token' or another group_by of pull-usage"],
    ['metric', 'VARCHAR', 'spend, or another metric'],
    ['day', 'DATE', 'the local day in which the bucket begins'],
    ['start_seconds', 'BIGINT', 'where the bucket begins, seconds UTC'],
    ['entry', 'VARCHAR', 'model or key'],
    ['value', 'DECIMAL(28, 12)', 'as served'],
  ]),
  sql: async ({ request, days }) =>
    Promise.resolve({
      sql: `
        SELECT dimension, metric, days.day, bucket_start // 1000, entry, value
        FROM usage_bucket JOIN ${days.sql} AS days
          ON bucket_start >= days.start_at * 1000 AND bucket_start < days.end_at * 1000
        WHERE account = $account AND granularity = 'day'`,
      bindings: { account: request.account, ...days.bindings },
    }),
};
