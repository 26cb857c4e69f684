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

/** The calls of cells. Bindings: those of the calls, `$account`, `$start`, `$end`. */
const hoursSql = (calls: string): string => `
  SELECT account, '${zone}' AS zone, CAST(created_at // 86400 * 86400 AS BIGINT) AS start_at,
    CAST(created_at // 3600 * 3600 AS BIGINT) AS hour_at, ${names.join(', ')}, count(*) AS row_count,
    sum(quota) AS quota, sum(abs(quota)) AS size
  FROM ${calls} WHERE account = $account AND created_at >= $start AND created_at < $end
  GROUP BY ALL`;

/** The hours of a table, from those by model and key. */
const sumsOfHoursSql = (table: HourTable, hours: string): string => `
  SELECT account, zone, start_at, hour_at, ${hourNames[table].join(', ')}, CAST(sum(row_count) AS BIGINT) AS row_count,
    sum(quota) AS quota, sum(size) AS size
  FROM ${hours} GROUP BY ALL`;

/** The table with the fewest cells that has these names. */
const tableFor = (asked: readonly string[]): HourTable =>
  (['rollup_hour_model', 'rollup_hour_key'] as const).find((table) =>
    asked.every((name) => hourNames[table].some((own) => own === name)),
  ) ?? 'rollup_hour';

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
      const calls = await rows(range, { columns: ['account', 'created_at', 'quota', ...names] });
      await connection.execute(`INSERT INTO rollup_hour BY NAME ${hoursSql(calls.sql)}`, {
        ...calls.bindings,
        account,
        ...range,
      });
      const hours = `(FROM rollup_hour WHERE account = $account AND start_at >= $start AND start_at < $end)`;
      for (const table of ['rollup_hour_model', 'rollup_hour_key'] as const)
        await connection.execute(`INSERT INTO ${table} BY NAME ${sumsOfHoursSql(table, hours)}`, {
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

/** Rows with `hour_at` and these names, `kind`, `row_count`, `quota` and `size`, of all hours of the range, and maybe of others. */
export type HoursIn = (range: Range, by: readonly string[]) => Promise<Relation>;

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
      columns: ['account', 'created_at', 'quota', ...names],
    });
    await connection.execute(
      `CREATE OR REPLACE TEMP TABLE hours_of_calls AS ${hoursSql(`(FROM ${calls.sql} WHERE ${within('created_at', others)})`)}`,
      { ...calls.bindings, account, ...whole },
    );
  }
  return async (range, by) => {
    const columns = ['hour_at', ...new Set([...by, 'kind']), 'row_count', 'quota', 'size'];
    const days = daysIn(range);
    const parts: string[] = [];
    if (days.length > 0) {
      const table = await cells(tableFor(by), zone, days, ['account', 'zone', 'start_at', ...columns]);
      parts.push(
        `SELECT ${columns.join(', ')} FROM ${table} WHERE account = $account AND zone = '${zone}' AND ${within('start_at', days)}`,
      );
    }
    if (restOf(range, days).length > 0) parts.push(`SELECT ${columns.join(', ')} FROM hours_of_calls`);
    return { sql: `(${parts.join(' UNION ALL ')})`, bindings: days.length > 0 ? { account } : {} };
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
    const calls = await rows(range, { columns: ['account', 'created_at', 'quota', ...names] });
    const parts: string[] = [];
    for (const table of cellsBySpan.rollup_hours) {
      const cellsOf = await cells(table, zone, [range]);
      const columns = `start_at, hour_at, ${hourNames[table].join(', ')}, row_count, quota, size`;
      const stored = `SELECT ${columns} FROM ${cellsOf} WHERE account = $account AND zone = '${zone}' AND start_at >= $start AND start_at < $end`;
      const ofCalls = `SELECT ${columns} FROM (${sumsOfHoursSql(table, 'of_calls')})`;
      parts.push(`(${stored} EXCEPT ALL ${ofCalls})`, `(${ofCalls} EXCEPT ALL ${stored})`);
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
