import type { UnixSeconds } from '../../core/index.ts';
import type { Bindings } from '../../storage/index.ts';
import { bindingsOver, columnsLeft, inCurrency, spendOf, whereSql } from '../cube/aggregates.ts';
import { columnsOf } from './relation.ts';
import type { ReportView } from './view.ts';

/** Pairs of a model and a service that are compared, the dearest: an account can have a million pairs. */
const mostPairs = 500;

/** Names or subqueries for FROM. */
type BookedSpend = {
  /** `slot`, `model_name` and `spend`. */
  readonly byModel: string;
  /** `slot`, `token_name` and `spend`. */
  readonly byKey: string;
  /** `slot`, `model_name`, `token_name` and `spend`. */
  readonly byPair: string;
  /** `model_name`, `token_name` and `spend`: the same spend, also of several days in one row. */
  readonly ofPairs: string;
  /** `name` and `service` of keys; a missing name is its own service. */
  readonly services: string;
  /** A row for each `slot` with its `day`, `is_known`, `is_current` and `is_compared`. */
  readonly days: string;
};

/**
 * The dearest day of each period, if it cost over twice the median of the known days: of the whole account, of each
 * model, of each service, and of pairs of both. Keys are summed before their services are looked up, since they are fewer than rows.
 */
export const unusualDaysSql = ({ byModel, byKey, byPair, ofPairs, services, days }: BookedSpend): string => `
  WITH each_day AS MATERIALIZED (FROM ${days}),
  service_of AS MATERIALIZED (FROM ${services}),
  of_models AS MATERIALIZED (SELECT slot, model_name, sum(spend) AS spend FROM ${byModel} GROUP BY ALL),
  of_keys AS (
    SELECT slot, coalesce(service_of.service, token_name) AS service, sum(spend) AS spend
    FROM (SELECT slot, token_name, sum(spend) AS spend FROM ${byKey} GROUP BY ALL)
    LEFT JOIN service_of ON service_of.name = token_name
    GROUP BY ALL
  ),
  pairs AS MATERIALIZED (
    SELECT model_name, token_name, coalesce(service_of.service, token_name) AS service, spend
    FROM (SELECT model_name, token_name, sum(spend) AS spend FROM ${ofPairs} GROUP BY ALL)
    LEFT JOIN service_of ON service_of.name = token_name
  ),
  dearest_pairs AS (
    SELECT model_name, service FROM pairs WHERE model_name <> '' AND service <> ''
    GROUP BY ALL ORDER BY sum(spend) DESC, model_name, service LIMIT ${mostPairs}
  ),
  dearest AS (SELECT model_name, token_name, service FROM pairs SEMI JOIN dearest_pairs USING (model_name, service)),
  levels AS MATERIALIZED (
    SELECT '' AS model_name, '' AS service, slot, sum(spend) AS spend FROM of_models GROUP BY slot
    UNION ALL
    SELECT model_name, '', slot, spend FROM of_models WHERE model_name <> ''
    UNION ALL
    SELECT '', service, slot, spend FROM of_keys WHERE service <> ''
    UNION ALL
    SELECT model_name, service, slot, sum(spend) FROM ${byPair} AS booked JOIN dearest USING (model_name, token_name)
    GROUP BY model_name, service, slot
  ),
  known AS (SELECT count(*) AS days FROM each_day WHERE is_known),
  usual AS (
    -- A known day without calls cost nothing.
    SELECT model_name, service,
      list_aggregate(list_resize(coalesce(list(spend) FILTER (is_known), []), any_value(known.days), 0), 'quantile_disc', 0.5) AS spend
    FROM levels JOIN each_day USING (slot), known
    WHERE known.days >= 7
    GROUP BY model_name, service
  ),
  of_periods AS (
    SELECT 'current' AS period, slot, day FROM each_day WHERE is_current
    UNION ALL SELECT 'comparison', slot, day FROM each_day WHERE is_compared
  ),
  unusual AS MATERIALIZED (
    SELECT period, model_name, service, dearest_day.slot, dearest_day.day, dearest_day.spend, usual
    FROM (
      SELECT period, levels.model_name, levels.service, any_value(usual.spend) AS usual,
        arg_min({ slot: slot, day: day, spend: levels.spend }, (-levels.spend, day)) AS dearest_day
      FROM levels JOIN usual USING (model_name, service) JOIN of_periods USING (slot)
      WHERE levels.spend > 2 * usual.spend
      GROUP BY ALL
    )
  ),
  by_day AS (
    SELECT slot, model_name, coalesce(service_of.service, token_name) AS service, sum(spend) AS spend
    FROM (
      SELECT slot, model_name, token_name, sum(spend) AS spend
      FROM ${byPair} SEMI JOIN (FROM unusual WHERE service = '') USING (slot)
      GROUP BY ALL
    )
    LEFT JOIN service_of ON service_of.name = token_name
    GROUP BY ALL
  ),
  tops AS (
    SELECT unusual.period, unusual.model_name, unusual.service, arg_max(by_day.model_name, (by_day.spend, by_day.model_name, by_day.service)) AS top_model,
      arg_max(by_day.service, (by_day.spend, by_day.model_name, by_day.service)) AS top_service, max(by_day.spend) AS top_spend
    FROM unusual JOIN by_day ON by_day.slot = unusual.slot AND (unusual.model_name = '' OR unusual.model_name = by_day.model_name)
    WHERE unusual.service = ''
    GROUP BY ALL
  )
  SELECT period, model_name, service, day, unusual.spend, usual, known.days,
    (SELECT spend FROM usual WHERE model_name = '' AND service = '') AS usual_of_all, top_model, top_service, top_spend
  FROM unusual LEFT JOIN tops USING (period, model_name, service), known`;

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
    let bindings: Bindings = {};
    const spendBy = async (names: readonly string[], cuts?: readonly UnixSeconds[]): Promise<string> => {
      const cells = await cellsIn(range, [...names, ...columnsLeft(left)], cuts);
      bindings = { ...bindings, ...cells.bindings };
      return `(SELECT ${days.slotOf} AS slot, ${names.join(', ')}, ${spendOf('quota', 'size')} AS spend FROM ${cells.sql}
        WHERE ${whereSql(left)} AND ${days.hasSlot} AND kind IN ('consumption', 'refund'))`;
    };
    const covered = request.run?.covered;
    const known =
      covered === undefined ? 'false' : `start_at >= ${covered.start} AND end_at <= ${covered.end}`;
    const unusual = unusualDaysSql({
      byModel: await spendBy(['model_name']),
      byKey: await spendBy(['token_name']),
      byPair: await spendBy(['model_name', 'token_name']),
      ofPairs: await spendBy(['model_name', 'token_name'], days.bounds),
      services: services.sql,
      days: `(SELECT slot, day, ${known} AS is_known, is_current, is_compared FROM ${days.sql})`,
    });
    const amount = (column: string): string => inCurrency(column, served);
    return {
      sql: `SELECT period, model_name, service, day, ${amount('spend')}, ${amount('usual')}, days, ${amount('usual_of_all')},
        top_model, top_service, ${amount('top_spend')} FROM (${unusual})`,
      bindings: {
        ...bindingsOver({ bindings }, request.account, range, left, served),
        ...days.bindings,
        ...services.bindings,
      },
    };
  },
};
