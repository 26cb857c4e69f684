import { interval, mergeRanges, type Interval, type UnixSeconds } from '../../core/index.ts';
import { within } from '../../storage/index.ts';
import { bindingsOver, inCurrency, whereSql } from '../cube/aggregates.ts';
import type { CubePeriodName, CubeRequest } from '../cube/cube-request.ts';
import { countedClasses } from '../tokens/class-names.ts';
import { columnsOf, type ReportColumn } from './relation.ts';
import type { ReportView } from './view.ts';

/** Figures of one period, by their columns. Tokens and calls are whole numbers, amounts are in units as stored. */
const figures = [
  ['calls', 'HUGEINT', 'calls', `sum(row_count) FILTER (kind = 'consumption')`],
  [
    'unstated_calls',
    'HUGEINT',
    'calls of which the export does not state all tokens',
    `sum(row_count) FILTER (kind = 'consumption' AND (input_counts <> 'known' OR output_counts <> 'known'))`,
  ],
  ['charge', 'DECIMAL(38, 12)', 'consumption', `sum(quota) FILTER (kind = 'consumption')`],
  ['refunds', 'DECIMAL(38, 12)', 'refunds, as a positive amount', `sum(size) FILTER (kind = 'refund')`],
  ...countedClasses.map(
    (name) =>
      [
        name,
        'HUGEINT',
        'tokens of the class, as in cube',
        `sum(${name}) FILTER (kind = 'consumption')`,
      ] as const,
  ),
] as const;

const isAmount = (type: string): boolean => type.startsWith('DECIMAL');

const figureColumns = (suffix: '' | '_before'): readonly ReportColumn[] =>
  columnsOf(
    figures.map(([name, type, text]) => [
      `${name}${suffix}`,
      type,
      suffix === '' ? text : 'the same in the comparison',
    ]),
  );

const rangesOf = ({ periods }: CubeRequest, wanted: CubePeriodName): readonly Interval<UnixSeconds>[] => {
  const days = periods.flatMap(({ name, days }) => (name === wanted ? days : []));
  return mergeRanges(days.map(({ start, end }) => interval(start, end)));
};

/** For the causes of a change, which are computed from the usage of each model and service in both periods. */
export const changedUsageView: ReportView = {
  name: 'changed_usage',
  ofAmounts: true,
  description:
    'a row for each model and service: the usage of the current period and of the comparison, 0 where there is none',
  columns: [
    ...columnsOf([
      ['model_name', 'VARCHAR', 'as in cube'],
      ['service', 'VARCHAR', 'as in cube'],
    ]),
    ...figureColumns(''),
    ...figureColumns('_before'),
  ],
  sql: async ({ request, served, services, range, cellsIn, left }) => {
    const [current, compared] = [rangesOf(request, 'current'), rangesOf(request, 'comparison')];
    const cells = await cellsIn(
      range,
      ['model_name', 'token_name', 'input_counts', 'output_counts', ...countedClasses],
      [...current, ...compared].flatMap(({ start, end }) => [start, end]),
    );
    // Comparing times costs less than a join with days.
    const of = (isCurrent: boolean): string =>
      figures
        .map(([name, type]) => {
          const sum = `coalesce(sum(${name}) FILTER (${isCurrent ? 'is_current' : 'is_compared'}), 0)`;
          return isAmount(type) ? inCurrency(sum, served) : sum;
        })
        .join(', ');
    return {
      sql: `
        WITH summed AS (
          SELECT model_name, token_name, is_current, is_compared, ${figures.map(([name, , , sql]) => `${sql} AS ${name}`).join(', ')}
          FROM (
            SELECT *, ${within('created_at', current)} AS is_current, ${within('created_at', compared)} AS is_compared
            FROM ${cells.sql} WHERE ${whereSql(left)} AND kind IN ('consumption', 'refund')
          )
          WHERE is_current OR is_compared
          GROUP BY model_name, token_name, is_current, is_compared
        )
        SELECT model_name, coalesce(services.service, token_name), ${of(true)}, ${of(false)}
        FROM summed LEFT JOIN ${services.sql} AS services ON services.name = token_name
        GROUP BY model_name, coalesce(services.service, token_name)`,
      bindings: {
        ...bindingsOver(cells, request.account, range, left, served),
        ...services.bindings,
      },
    };
  },
};
