import type { Interval, UnixSeconds } from '../../core/index.ts';
import type { Bindings, Relation } from '../../storage/index.ts';
import { cubeRelation, dimensions, ofKey, tokenColumns } from '../report-views/cube-columns.ts';
import type { StoredAmounts } from '../spend.ts';
import type { Needs } from './needs.ts';

/** The dimensions and measures of a set of aggregates. */
export type AggregatesPlan = {
  /** Sums by segment are the fewest; a query that names days needs them by day. */
  readonly by: 'day' | 'segment';
  readonly dimensions: ReadonlySet<string>;
  /** Includes `service` and `team`, which are derived from the key name afterwards. */
  readonly measures: ReadonlySet<string>;
};

const dimensionNames: readonly string[] = ['quarter', ...dimensions];
const tokenNames: ReadonlySet<string> = new Set(tokenColumns.map(({ name }) => name));

/** The aggregates that one query needs of the cube; undefined when it does not name the cube. */
export const cellsOf = (needs: Needs): AggregatesPlan | undefined => {
  const columns = needs.get('cube');
  if (columns === undefined) return undefined;
  const summed = new Set(dimensionNames.filter((name) => columns.has(name)));
  if ([...ofKey].some((name) => columns.has(name))) summed.add('token_name');
  return {
    by: columns.has('day') || columns.has('day_number') ? 'day' : 'segment',
    dimensions: summed,
    measures: new Set(
      [...columns].filter(
        (name) =>
          tokenNames.has(name) || ofKey.has(name) || ['calls', 'rows', 'spend', 'amount'].includes(name),
      ),
    ),
  };
};

const holds = (whole: AggregatesPlan, part: AggregatesPlan): boolean =>
  (whole.by === 'day' || part.by === 'segment') &&
  [...part.dimensions].every((name) => whole.dimensions.has(name));

/** Whether a query with the plan `part` can run on the aggregates of `whole`. */
export const serves = (whole: AggregatesPlan, part: AggregatesPlan): boolean =>
  holds(whole, part) && [...part.measures].every((name) => whole.measures.has(name));

/**
 * The fewest aggregates that serve all queries, none finer than some query needs: a scan that groups by two names at
 * once yields many times the rows of two scans that group by one each.
 */
export const planAggregates = (plans: readonly AggregatesPlan[]): readonly AggregatesPlan[] => {
  const largest = plans.filter(
    (plan, at) =>
      !plans.some(
        (other, otherAt) => otherAt !== at && holds(other, plan) && (!holds(plan, other) || otherAt < at),
      ),
  );
  return largest.map((whole) => ({
    ...whole,
    measures: new Set(plans.filter((part) => holds(whole, part)).flatMap(({ measures }) => [...measures])),
  }));
};

/** The columns of a table of aggregates, in the order in which `cellsSql` returns them. */
export const cellColumns = (
  plan: AggregatesPlan,
): readonly { readonly name: string; readonly type: string }[] => [
  { name: 'slot_index', type: 'INTEGER' },
  ...cubeRelation.columns.filter(
    ({ name }) => !ofKey.has(name) && (plan.dimensions.has(name) || plan.measures.has(name)),
  ),
];

/** `isProven`: whether sums may be shown. They are unknown until the form of stored amounts is proven. */
export type Served = { readonly value: string; readonly inUnits: boolean; readonly isProven: boolean };

/** The form of stored amounts for sums of which the caller knows that they are proven, or that they are not shown. */
export const servedAs = ({ value, form, isProven }: StoredAmounts): Served => ({
  value,
  inUnits: isProven && form === 'units',
  isProven: true,
});

/**
 * Sums in currency at 12 places. Units are whole numbers, so all places are free for the value of one: both are exact.
 */
export const inCurrency = (sum: string, { inUnits, isProven }: Served): string => {
  // The sum stays in the statement, since it may be all that makes it an aggregate query.
  if (!isProven) return `CAST(CASE WHEN false THEN ${sum} END AS DECIMAL(38, 12))`;
  return inUnits
    ? `CAST(CAST(${sum} AS DECIMAL(25, 0)) * CAST($value AS DECIMAL(13, 12)) AS DECIMAL(38, 12))`
    : `CAST(${sum} AS DECIMAL(38, 12))`;
};

/** A refund is positive whichever sign it is booked with; other kinds are no spend. */
export const spendOf = (consumption: string, size: string): string =>
  `CASE kind WHEN 'consumption' THEN ${consumption} WHEN 'refund' THEN -${size} END`;

const measureSql = (name: string, served: Served): string => {
  if (name === 'calls') return `CAST(coalesce(sum(row_count) FILTER (kind = 'consumption'), 0) AS BIGINT)`;
  if (name === 'rows') return 'CAST(sum(row_count) AS BIGINT)';
  if (name === 'amount') return inCurrency('coalesce(sum(quota), 0)', served);
  if (name === 'spend') return inCurrency(`coalesce(sum(${spendOf('quota', 'size')}), 0)`, served);
  return `sum(${name})`;
};

/** Names that calls are restricted to; undefined for no restriction. */
export type NamesLeft = { readonly models?: readonly string[]; readonly keys?: readonly string[] };

/** The columns that `whereSql` compares. */
export const columnsLeft = (left: NamesLeft): readonly string[] => [
  ...(left.models === undefined ? [] : ['model_name']),
  ...(left.keys === undefined ? [] : ['token_name']),
];

export const whereSql = (left: NamesLeft): string =>
  [
    'account = $account AND created_at >= $start AND created_at < $end',
    ...(left.models === undefined ? [] : ['model_name IN (SELECT unnest($models))']),
    ...(left.keys === undefined ? [] : ['token_name IN (SELECT unnest($keys))']),
  ].join(' AND ');

const whereBindings = (left: NamesLeft): Bindings => ({
  ...(left.models === undefined ? {} : { models: left.models }),
  ...(left.keys === undefined ? {} : { keys: left.keys }),
});

/** The bindings of a statement over a relation with `whereSql`; `served`: if it contains amounts, whose `$value` it then names. */
export const bindingsOver = (
  { bindings }: Pick<Relation, 'bindings'>,
  account: string,
  { start, end }: Interval<UnixSeconds>,
  left: NamesLeft,
  served?: Served,
): Bindings => ({
  ...bindings,
  ...whereBindings(left),
  account,
  start,
  end,
  ...(served?.inUnits === true ? { value: served.value } : {}),
});

export const aggregatesSql = (
  plan: AggregatesPlan,
  slot: string,
  cells: Relation,
  served: Served,
  left: NamesLeft,
): string => {
  const columns = cellColumns(plan).slice(1);
  const summed = columns.filter(({ name }) => plan.dimensions.has(name)).map(({ name }) => name);
  const selected = columns.map(({ name }) =>
    plan.dimensions.has(name) ? name : `${measureSql(name, served)} AS ${name}`,
  );
  return `
    SELECT ${[`${slot} AS slot_index`, ...selected].join(', ')}
    FROM ${cells.sql}
    WHERE ${whereSql(left)}
    GROUP BY ${['slot_index', ...summed].join(', ')}`;
};
