import {
  interval,
  mergeRanges,
  restOf,
  unixSeconds,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import { dimensions, isClass } from '../report-views/cube-columns.ts';
import {
  readAs,
  rowReader,
  secondsRange,
  type Bound,
  type CellsIn,
  type Relation,
  type RollupSpan,
  type AccountRows,
  type Sql,
  within,
} from '../../storage/index.ts';
import { classedCallsSql } from '../tokens/classes-sql.ts';
import { isUnmarked, tableWith, tokenSums } from './rollup-schema.ts';

/** Calls, with their token classes only if a column needs them: without classes the scan costs a fraction. */
export const callsWith = (columns: Iterable<string>, calls: Relation): string =>
  [...columns].some(isClass) ? `(${classedCallsSql(calls.sql)})` : calls.sql;

/** What every reader needs of a cell. */
const ofCells = ['account', 'zone', 'start_at', 'row_count', 'first_at', 'last_at', 'quota', 'size'];

/** What every reader needs of a call, unless it needs the classes of its tokens. */
const ofCalls = ['account', 'created_at', 'quota'];

const span = rowReader({ range: secondsRange });

/** Days, or months, of the range whose cells are as their calls, ascending. */
export const validSpans = async (
  connection: Sql,
  table: RollupSpan,
  account: string,
  zone: string,
  { start, end }: Interval<UnixSeconds>,
): Promise<readonly Interval<UnixSeconds>[]> =>
  (
    await readAs(
      connection,
      span,
      `SELECT start_at, end_at FROM ${table} AS span
       WHERE account = $account AND zone = $zone AND start_at >= $start AND end_at <= $end AND ${isUnmarked('span')}
       ORDER BY start_at`,
      { account, zone, start, end },
    )
  ).map(({ range }) => range);

/** What a work reads that opens the cells, or that asks for the classes of tokens. */
export const rollupTables = ['rollup_day', 'rollup_month', 'rollup_mark', 'token_convention'] as const;

const always = interval(unixSeconds(0), unixSeconds(Number.MAX_SAFE_INTEGER));

/** Within the transaction of the rows, the valid days and months are looked up once: a report reads many ranges. */
export const openCells = (
  { connection, rows: rowsIn, cells }: Pick<AccountRows, 'connection' | 'rows' | 'cells'>,
  account: string,
  zone: string,
): CellsIn => {
  const valid = new Map<RollupSpan, Promise<readonly Interval<UnixSeconds>[]>>();
  const spansIn = async (
    table: RollupSpan,
    range: Interval<UnixSeconds>,
  ): Promise<readonly Interval<UnixSeconds>[]> => {
    const spans = valid.get(table) ?? validSpans(connection, table, account, zone, always);
    valid.set(table, spans);
    return (await spans).filter(({ start, end }) => start >= range.start && end <= range.end);
  };
  return async (range, named = [], cuts, keys) => {
    const columns = new Set(named);
    const isWhole = ({ start, end }: Interval<UnixSeconds>): boolean =>
      cuts?.some((cut) => cut > start && cut < end) !== true;
    // A quarter hour is less than a day. By model, days have fewer cells than months by model and key.
    const hasQuarters = columns.has('quarter');
    const hasMonths = cuts !== undefined && columns.has('token_name') && !hasQuarters;
    const months = hasMonths ? mergeRanges((await spansIn('rollup_month', range)).filter(isWhole)) : [];
    const isApart = ({ start }: Interval<UnixSeconds>): boolean =>
      !months.some((month) => start >= month.start && start < month.end);
    const days = hasQuarters
      ? []
      : mergeRanges((await spansIn('rollup_day', range)).filter((day) => isWhole(day) && isApart(day)));
    const others = restOf(range, mergeRanges([...months, ...days]));
    const names = ['quarter', ...dimensions, ...tokenSums].filter(
      (name) => name === 'kind' || columns.has(name),
    );
    const list = names.map((name) => `, ${name}`).join('');
    const parts: string[] = [];
    const bindings: Record<string, Bound> = {};
    for (const [table, spans] of [
      ['rollup_month_pair', months],
      [tableWith(columns), days],
    ] as const) {
      if (spans.length === 0) continue;
      parts.push(
        `SELECT account, start_at AS created_at, row_count, first_at, last_at, quota, size${list}
       FROM ${await cells(table, zone, spans, [...ofCells, ...names], keys)} WHERE account = $account AND zone = $rollup_zone AND ${within('start_at', spans)}`,
      );
      bindings['rollup_zone'] = zone;
    }
    if (others.length > 0 || parts.length === 0) {
      const times = others.length === 0 ? [range] : others;
      const [first = range] = times;
      const calls = await rowsIn(interval(first.start, (times.at(-1) ?? range).end), {
        within: times,
        columns: names.some(isClass) ? undefined : [...ofCalls, ...names],
        keys,
      });
      parts.push(
        `SELECT account, created_at, CAST(1 AS BIGINT) AS row_count, created_at AS first_at, created_at AS last_at, quota,
         abs(quota) AS size${list}
       FROM ${callsWith(names, calls)} WHERE account = $account AND ${within('created_at', times)}`,
      );
      Object.assign(bindings, calls.bindings);
    }
    return { sql: `(${parts.join(' UNION ALL ')})`, bindings };
  };
};
