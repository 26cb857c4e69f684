import {
  daySeconds,
  interval,
  localDays,
  dateAt,
  mergeRanges,
  restOf,
  unixSeconds,
  type Interval,
  type LocalDay,
  type UnixSeconds,
} from '../../core/index.ts';
import {
  cellsBySpan,
  readAs,
  rowReader,
  secondsRange,
  wholeNumber,
  within,
  type Relation,
  type AccountRows,
  type Sql,
} from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { grouped, type DayGroup } from './build-cells.ts';
import { validSpans } from './cells.ts';
import { hourNames, isUnmarked, type DifferentDay, type HourTable } from './rollup-schema.ts';

type Range = Interval<UnixSeconds>;

/** Hours are those of UTC, so that no clock change makes one longer. */
const zone = 'UTC';

/** Whole UTC days whose hours are kept: enough for the weeks that an hour is compared with. */
const keptDays = 70;

export const ofHours = [...cellsBySpan.rollup_hours, 'rollup_hours'] as const;

const names = hourNames.rollup_hour;

/** What hours need of a call. */
const ofCalls = ['account', 'created_at', 'kind', 'quota', ...names];

/** The hours of calls by model and key. Bindings: those of the calls, `$account`, `$start`, `$end`. */
const hoursSql = (calls: string): string => `
  SELECT $account AS account, '${zone}' AS zone, CAST(hour_at // 86400 * 86400 AS BIGINT) AS start_at, *
  FROM (
    SELECT CAST(created_at // 3600 * 3600 AS BIGINT) AS hour_at, ${names.join(', ')},
      CAST(count(*) FILTER (kind = 'consumption') AS BIGINT) AS calls,
      coalesce(sum(CASE kind WHEN 'consumption' THEN quota ELSE -abs(quota) END), 0) AS spend
    FROM ${calls} WHERE account = $account AND created_at >= $start AND created_at < $end AND kind IN ('consumption', 'refund')
    GROUP BY ALL)`;

/** The tables of hours by one name. */
const byName = { model_name: 'rollup_hour_model', token_name: 'rollup_hour_key' } as const;

/** The columns of a table, besides account and zone. */
const columnsOf = (table: HourTable): readonly string[] => ['hour_at', ...hourNames[table], 'calls', 'spend'];

/** Hours by one name in doubles, from those by model and key. A sum is exact before it becomes a double. */
const judgedSql = (table: (typeof byName)[keyof typeof byName], hours: string): string => `
  SELECT account, zone, start_at, hour_at, ${hourNames[table].join(', ')}, CAST(sum(calls) AS BIGINT) AS calls,
    CAST(sum(spend) AS DOUBLE) AS spend
  FROM ${hours} GROUP BY ALL`;

const oldest = (now: UnixSeconds): UnixSeconds =>
  unixSeconds(Math.floor(now / daySeconds) * daySeconds - keptDays * daySeconds);

/** Removes the hours of days that are no longer kept; returns the number of days. */
export const removeOldHours = async (
  connection: Pick<Sql, 'execute'>,
  account: string,
  now: UnixSeconds,
): Promise<number> => {
  const bindings = { account, before: oldest(now) };
  for (const table of cellsBySpan.rollup_hours)
    await connection.execute(
      `DELETE FROM ${table} WHERE account = $account AND start_at < $before`,
      bindings,
    );
  return connection.execute(
    'DELETE FROM rollup_hours WHERE account = $account AND start_at < $before',
    bindings,
  );
};

/** The whole UTC days that the range touches. */
const wholeDays = ({ start, end }: Range): Range =>
  interval(
    unixSeconds(Math.floor(start / daySeconds) * daySeconds),
    unixSeconds(Math.ceil(end / daySeconds) * daySeconds),
  );

/** The UTC days of the range that have ended, are kept, and have no hours; the first and last one of it as a whole. */
export const missingHours = async (
  connection: Pick<Sql, 'rows'>,
  { account, range }: { readonly account: string; readonly range: Range },
  now: UnixSeconds,
): Promise<readonly LocalDay[]> => {
  const whole = wholeDays(range);
  const start = Math.max(whole.start, oldest(now));
  const end = Math.min(whole.end, now);
  if (end <= start) return [];
  const rows = await connection.rows(
    'SELECT start_at FROM rollup_hours WHERE account = $account AND start_at >= $start AND end_at <= $end',
    { account, start, end },
  );
  const built = new Set(rows.map((row) => wholeNumber(row, 'start_at')));
  return localDays(dateAt(unixSeconds(start), zone), dateAt(unixSeconds(end), zone), zone).filter(
    (day) => day.start >= start && day.end <= end && !built.has(day.start),
  );
};

export const buildHours = async (
  rowStore: AccountStore,
  account: string,
  { days, range }: DayGroup,
  signal: AbortSignal | undefined,
): Promise<void> => {
  await rowStore.publish(
    { account, writes: ofHours },
    async ({ connection, rows }) => {
      const calls = await rows(range, { columns: ofCalls });
      await connection.execute(`INSERT INTO rollup_hour BY NAME ${hoursSql(calls.sql)}`, {
        ...calls.bindings,
        account,
        ...range,
      });
      const hours = `(FROM rollup_hour WHERE account = $account AND start_at >= $start AND start_at < $end)`;
      for (const table of Object.values(byName))
        await connection.execute(`INSERT INTO ${table} BY NAME ${judgedSql(table, hours)}`, {
          account,
          ...range,
        });
      const built = connection.table(
        { start_at: 'BIGINT', end_at: 'BIGINT' },
        days.map(({ start, end }) => ({ start_at: start, end_at: end })),
      );
      await connection.execute(
        `INSERT INTO rollup_hours SELECT $account, '${zone}', start_at, end_at FROM ${built.sql}`,
        { account, ...built.bindings },
      );
    },
    { signal },
  );
};

/** All hours of a range, and maybe others: rows with `hour_at`, names, `calls`, and `spend` as stored, less refunds. */
type HoursIn = {
  /** By model and key. */
  readonly exact: (range: Range) => Promise<Relation>;
  /** By one name, in doubles. */
  readonly judged: (range: Range, by: keyof typeof byName) => Promise<Relation>;
};

/** Hours within the ranges: from their cells where these are valid, else from calls, which are read once. */
export const openHours = async (
  { connection, rows, cells }: AccountRows,
  account: string,
  ranges: readonly Range[],
): Promise<HoursIn> => {
  const asked = mergeRanges(ranges);
  const [first, last] = [asked[0], asked.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no range of hours is asked for');
  const whole = interval(first.start, last.end);
  const valid = await validSpans(connection, 'rollup_hours', account, zone, wholeDays(whole));
  const daysIn = (range: Range): readonly Range[] =>
    mergeRanges(valid.filter(({ start, end }) => start < range.end && end > range.start));
  const others = asked.flatMap((range) => restOf(range, daysIn(range)));
  if (others.length > 0) {
    const calls = await rows(whole, {
      within: others,
      columns: ofCalls,
    });
    await connection.execute(
      `CREATE OR REPLACE TEMP TABLE hours_of_calls AS ${hoursSql(`(FROM ${calls.sql} WHERE ${within('created_at', others)})`)}`,
      { ...calls.bindings, account, ...whole },
    );
  }
  const read = async (table: HourTable, range: Range, fromCalls: string): Promise<Relation> => {
    const columns = columnsOf(table);
    const list = columns.join(', ');
    const days = daysIn(range);
    const parts: string[] = [];
    if (days.length > 0) {
      const stored = await cells(table, zone, days, ['account', 'zone', 'start_at', ...columns]);
      parts.push(
        `SELECT ${list} FROM ${stored} WHERE account = $account AND zone = '${zone}' AND ${within('start_at', days)}`,
      );
    }
    if (restOf(range, days).length > 0) parts.push(`SELECT ${list} FROM ${fromCalls}`);
    return { sql: `(${parts.join(' UNION ALL ')})`, bindings: days.length > 0 ? { account } : {} };
  };
  return {
    exact: (range) => read('rollup_hour', range, 'hours_of_calls'),
    judged: (range, by) => read(byName[by], range, `(${judgedSql(byName[by], 'hours_of_calls')})`),
  };
};

const span = rowReader({ range: secondsRange });

/** The UTC days whose hours differ from their calls. Days that are marked as changed are left out. */
export const differentHours = async (
  { connection, rows, cells }: AccountRows,
  account: string,
): Promise<readonly DifferentDay[]> => {
  const known = await readAs(
    connection,
    span,
    `SELECT start_at, end_at FROM rollup_hours AS day WHERE account = $account AND ${isUnmarked('day')} ORDER BY start_at`,
    { account },
  );
  const different: DifferentDay[] = [];
  for (const { range } of grouped(
    known.map(({ range }) => ({ ...range, date: dateAt(range.start, zone) })),
  )) {
    const calls = await rows(range, { columns: ofCalls });
    const parts: string[] = [];
    for (const table of cellsBySpan.rollup_hours) {
      const cellsOf = await cells(table, zone, [range]);
      const columns = `start_at, ${columnsOf(table).join(', ')}`;
      const stored = `SELECT ${columns} FROM ${cellsOf} WHERE account = $account AND zone = '${zone}' AND start_at >= $start AND start_at < $end`;
      const counted = `SELECT ${columns} FROM ${table === 'rollup_hour' ? 'of_calls' : `(${judgedSql(table, 'of_calls')})`}`;
      parts.push(`(${stored} EXCEPT ALL ${counted})`, `(${counted} EXCEPT ALL ${stored})`);
    }
    const found = await connection.rows(
      `WITH of_calls AS MATERIALIZED (${hoursSql(calls.sql)})
       SELECT DISTINCT start_at FROM (${parts.map((part) => `SELECT start_at FROM ${part}`).join(' UNION ALL ')})
       ORDER BY start_at`,
      { ...calls.bindings, account, ...range },
    );
    different.push(...found.map((row) => ({ zone, start: unixSeconds(wholeNumber(row, 'start_at')) })));
  }
  return different;
};
