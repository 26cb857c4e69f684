import { bindingsOver, inCurrency, spendOf, whereSql } from '../cube/aggregates.ts';
import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

/** Pairs of a model and a service that are compared, the dearest: an account can have a million pairs. */
const mostPairs = 500;

/**
 * The dearest day of each period, if it cost over twice the median of the known days: of the whole account, of each
 * model, of each service, and of pairs of both. `booked`: a relation with `day`, `model_name`, `service` and `spend`;
 * `days`: a row for each day with `is_known`, `is_current` and `is_compared`. Both are names or subqueries for FROM.
 */
export const unusualDaysSql = (booked: string, days: string): string => `
  WITH booked AS MATERIALIZED (FROM ${booked}),
  each_day AS (FROM ${days}),
  dearest_pairs AS (
    SELECT model_name, service FROM booked WHERE model_name <> '' AND service <> ''
    GROUP BY ALL ORDER BY sum(spend) DESC, model_name, service LIMIT ${mostPairs}
  ),
  levels AS (
    SELECT '' AS model_name, '' AS service, day, sum(spend) AS spend FROM booked GROUP BY day
    UNION ALL
    SELECT model_name, '', day, sum(spend) FROM booked WHERE model_name <> '' GROUP BY model_name, day
    UNION ALL
    SELECT '', service, day, sum(spend) FROM booked WHERE service <> '' GROUP BY service, day
    UNION ALL
    SELECT model_name, service, day, sum(spend) FROM booked SEMI JOIN dearest_pairs USING (model_name, service)
    GROUP BY model_name, service, day
  ),
  known AS (SELECT count(*) AS days FROM each_day WHERE is_known),
  usual AS (
    -- A known day without calls cost nothing.
    SELECT model_name, service,
      list_sort(list_resize(coalesce(list(spend) FILTER (is_known), []), any_value(known.days), 0))[(any_value(known.days) + 1) // 2] AS spend
    FROM levels JOIN each_day USING (day), known
    WHERE known.days >= 7
    GROUP BY model_name, service
  ),
  of_periods AS (
    SELECT 'current' AS period, day FROM each_day WHERE is_current
    UNION ALL SELECT 'comparison', day FROM each_day WHERE is_compared
  ),
  unusual AS (
    SELECT period, levels.model_name, levels.service, day, levels.spend, usual.spend AS usual
    FROM levels JOIN usual USING (model_name, service) JOIN of_periods USING (day)
    WHERE levels.spend > 2 * usual.spend
    QUALIFY row_number() OVER (PARTITION BY period, levels.model_name, levels.service ORDER BY levels.spend DESC, day) = 1
  ),
  by_day AS (
    SELECT day, model_name, service, sum(spend) AS spend
    FROM booked SEMI JOIN (FROM unusual WHERE service = '') USING (day)
    GROUP BY ALL
  ),
  tops AS (
    SELECT unusual.period, unusual.model_name, unusual.service, arg_max(by_day.model_name, (by_day.spend, by_day.model_name, by_day.service)) AS top_model,
      arg_max(by_day.service, (by_day.spend, by_day.model_name, by_day.service)) AS top_service, max(by_day.spend) AS top_spend
    FROM unusual JOIN by_day ON by_day.day = unusual.day AND (unusual.model_name = '' OR unusual.model_name = by_day.model_name)
    WHERE unusual.service = ''
    GROUP BY ALL
  )
  SELECT period, model_name, service, day, unusual.spend, usual, known.days,
    (SELECT spend FROM usual WHERE model_name = '' AND service = '') AS usual_of_all, top_model, top_service, top_spend
  FROM unusual LEFT JOIN tops USING (period, model_name, service), known`;

/** The times of a relation `rows` with their days. The cells of a day have one time: few are looked up for many rows. */
const timesSql = (days: string): string => `
  SELECT created_at, day, is_current, is_compared
  FROM (SELECT DISTINCT created_at FROM rows) JOIN ${days} AS days ON created_at >= start_at AND created_at < end_at`;

export const unusualDaysView: ReportView = {
  name: 'unusual_days',
  ofAmounts: true,
  description: `the dearest day of the current period and of the comparison, if it cost over twice the median of all days with complete data, at least seven: of the account, of each model, of each service, and of the ${mostPairs} dearest pairs of a model and a service`,
  columns: columnsOf([
    ['period', 'VARCHAR', "'current' or 'comparison'"],
    ['model_name', 'VARCHAR', 'as in cube; empty for all models'],
    ['service', 'VARCHAR', 'as in cube; empty for all services'],
    ['day', 'DATE', 'local day'],
    ['spend', 'DECIMAL(38, 12)', 'consumption less refunds of the day'],
    ['usual', 'DECIMAL(38, 12)', 'median over the days with complete data; a day without calls counts as 0'],
    ['known_days', 'BIGINT', 'number of these days'],
    ['usual_of_all', 'DECIMAL(38, 12)', 'the median of the whole account'],
    ['top_model', 'VARCHAR', 'of all services: the model of the pair that cost most on the day'],
    ['top_service', 'VARCHAR', 'the service of this pair'],
    ['top_spend', 'DECIMAL(38, 12)', 'the spend of this pair'],
  ]),
  sql: async ({ request, served, days, services, range, cellsIn, left }) => {
    const cells = await cellsIn(range);
    // A statement must use each value that is bound.
    const rows = `SELECT created_at, model_name, token_name, ${spendOf('quota', 'size')} AS spend FROM ${cells.sql}
      WHERE ${whereSql(left)} AND kind IN ('consumption', 'refund')`;
    const covered = request.run?.covered;
    const booked = `(
      WITH rows AS (${rows}),
      times AS (${timesSql(days.sql)})
      SELECT day, model_name, coalesce(services.service, token_name) AS service, spend
      FROM rows JOIN times USING (created_at) LEFT JOIN ${services.sql} AS services ON services.name = token_name)`;
    const known =
      covered === undefined ? 'false' : `start_at >= ${covered.start} AND end_at <= ${covered.end}`;
    const eachDay = `(SELECT day, ${known} AS is_known, is_current, is_compared FROM ${days.sql})`;
    const amount = (column: string): string => inCurrency(column, served);
    return {
      sql: `SELECT period, model_name, service, day, ${amount('spend')}, ${amount('usual')}, days, ${amount('usual_of_all')},
        top_model, top_service, ${amount('top_spend')} FROM (${unusualDaysSql(booked, eachDay)})`,
      bindings: {
        ...bindingsOver(cells, request.account, range, left, served),
        ...days.bindings,
        ...services.bindings,
      },
    };
  },
};
