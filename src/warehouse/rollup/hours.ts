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
  type AccountRows,
  type Relation,
  type Sql,
} from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { grouped, type DayGroup } from './build-cells.ts';
import { validSpans } from './cells.ts';
import { isUnmarked, type DifferentDay } from './rollup-schema.ts';

type Range = Interval<UnixSeconds>;

/** Hours are those of UTC, so that no clock change makes one longer. */
const zone = 'UTC';

/** Whole UTC days whose hours are kept: enough for the weeks that an hour is compared with. */
const keptDays = 70;

export const ofHours = [...cellsBySpan.rollup_hours, 'rollup_hours'] as const;

const names = ['model_name', 'token_name', 'kind'] as const;

/** The calls of cells. Bindings: those of the calls, `$account`, `$start`, `$end`. */
const hoursSql = (calls: string): string => `
  SELECT account, '${zone}' AS zone, CAST(created_at // 86400 * 86400 AS BIGINT) AS start_at,
    CAST(created_at // 3600 * 3600 AS BIGINT) AS hour_at, ${names.join(', ')}, count(*) AS row_count,
    sum(quota) AS quota, sum(abs(quota)) AS size
  FROM ${calls} WHERE account = $account AND created_at >= $start AND created_at < $end
  GROUP BY ALL`;

const oldest = (now: UnixSeconds): UnixSeconds =>
  unixSeconds(Math.floor(now / daySeconds) * daySeconds - keptDays * daySeconds);

/** Removes the hours of days that are no longer kept; returns the number of days. */
export const removeOldHours = async (
  connection: Pick<Sql, 'execute'>,
  account: string,
  now: UnixSeconds,
): Promise<number> => {
  const bindings = { account, before: oldest(now) };
  await connection.execute(
    'DELETE FROM rollup_hour WHERE account = $account AND start_at < $before',
    bindings,
  );
  return connection.execute(
    'DELETE FROM rollup_hours WHERE account = $account AND start_at < $before',
    bindings,
  );
};

/** The whole UTC days of the range that have ended, are kept, and have no hours. */
export const missingHours = async (
  connection: Pick<Sql, 'rows'>,
  { account, range }: { readonly account: string; readonly range: Range },
  now: UnixSeconds,
): Promise<readonly LocalDay[]> => {
  const start = Math.max(range.start, oldest(now));
  const end = Math.min(range.end, now);
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

/** The hours of a range, as rows with `hour_at`: from their cells where these are valid, else from their calls. */
export const hoursIn = async (
  { connection, rows, cells }: AccountRows,
  account: string,
  range: Range,
): Promise<Relation> => {
  const days = mergeRanges(await validSpans(connection, 'rollup_hours', account, zone, range));
  const others = restOf(range, days);
  const columns = ['hour_at', ...names, 'row_count', 'quota', 'size'];
  const parts: string[] = [];
  const bindings: Record<string, Relation['bindings'][string]> = {};
  if (days.length > 0) {
    const table = await cells('rollup_hour', zone, days, ['account', 'zone', 'start_at', ...columns]);
    parts.push(
      `SELECT ${columns.join(', ')} FROM ${table} WHERE account = $account AND zone = '${zone}' AND ${within('start_at', days)}`,
    );
  }
  const [first] = others;
  if (first !== undefined) {
    const whole = interval(first.start, (others.at(-1) ?? first).end);
    const calls = await rows(whole, {
      within: others,
      columns: ['account', 'created_at', 'quota', ...names],
    });
    parts.push(
      `SELECT created_at // 3600 * 3600 AS hour_at, ${names.join(', ')}, 1 AS row_count, quota, abs(quota) AS size
       FROM ${calls.sql} WHERE account = $account AND ${within('created_at', others)}`,
    );
    Object.assign(bindings, calls.bindings);
  }
  return { sql: `(${parts.join(' UNION ALL ')})`, bindings };
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
    const table = await cells('rollup_hour', zone, [range]);
    const columns = `start_at, hour_at, ${names.join(', ')}, row_count, quota, size`;
    const stored = `SELECT ${columns} FROM ${table} WHERE account = $account AND zone = '${zone}' AND start_at >= $start AND start_at < $end`;
    const found = await connection.rows(
      `WITH of_calls AS MATERIALIZED (SELECT ${columns} FROM (${hoursSql(calls.sql)}))
       SELECT DISTINCT start_at FROM ((${stored} EXCEPT ALL FROM of_calls) UNION ALL (FROM of_calls EXCEPT ALL ${stored}))
       ORDER BY start_at`,
      { ...calls.bindings, account, ...range },
    );
    different.push(...found.map((row) => ({ zone, start: unixSeconds(wholeNumber(row, 'start_at')) })));
  }
  return different;
};
