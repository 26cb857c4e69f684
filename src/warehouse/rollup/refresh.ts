import {
  createNamedGates,
  dateAt,
  errorFields,
  hasCode,
  interval,
  localDays,
  messageOf,
  unixSeconds,
  type Clock,
  type Interval,
  type LocalDay,
  type Log,
  type UnixSeconds,
} from '../../core/index.ts';
import { dimensions } from '../report-views/cube-columns.ts';
import {
  cellTables,
  text,
  wholeNumber,
  type AccountRows,
  type CellTable,
  type Sql,
} from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { classedCallsSql } from '../tokens/classes-sql.ts';
import { dimensionsOf, tokenSums } from './rollup-schema.ts';

/** The days of a zone that are about to be read. */
export type RefreshRequest = {
  readonly account: string;
  readonly zone: string;
  readonly range: Interval<UnixSeconds>;
};

/** Builds what is missing of the rollup. Cheap when nothing is. */
export type RefreshRollup = (request: RefreshRequest, signal?: AbortSignal) => Promise<void>;

/**
 * A text that differs after any change of the calls of an account; undefined while the rollup has marks of a change. What
 * was read between two equal texts is still valid.
 */
export type CallsVersion = (account: string) => Promise<string | undefined>;

export type RefreshDeps = {
  readonly rowStore: AccountStore;
  readonly clock: Clock;
  readonly log: Log;
};

/** The tables that the days of the rollup are in. */
const written = [...cellTables, 'rollup_day'] as const;

/** More days in one statement would cost memory. */
const mostDays = 31;

/** The days with calls of the models. */
const readDays = async (stored: Sql, account: string, models: readonly string[]) =>
  (
    await stored.rows(
      'SELECT DISTINCT zone, start_at FROM rollup_model WHERE account = $account AND model_name = ANY($models)',
      { account, models },
    )
  ).map((row) => ({ zone: text(row, 'zone'), start_at: wholeNumber(row, 'start_at') }));

/** Removes the days whose calls have changed, in all zones, with the marks. A mark that is committed later stays. */
const removeMarked = async ({ connection, stored }: AccountRows, account: string): Promise<void> => {
  const models = await connection.rows(
    'SELECT DISTINCT model_name FROM rollup_mark WHERE account = $account AND model_name IS NOT NULL',
    { account },
  );
  const ofModels = connection.table(
    { zone: 'VARCHAR', start_at: 'BIGINT' },
    models.length === 0
      ? []
      : await readDays(
          stored,
          account,
          models.map((row) => text(row, 'model_name')),
        ),
  );
  await connection.execute(
    `CREATE OR REPLACE TEMP TABLE rollup_changed AS
     SELECT DISTINCT day.zone, day.start_at FROM rollup_day AS day
     JOIN rollup_mark AS mark ON mark.account = day.account AND mark.start_at < day.end_at AND mark.end_at > day.start_at
     WHERE day.account = $account AND mark.model_name IS NULL
     UNION FROM ${ofModels.sql}`,
    { account, ...ofModels.bindings },
  );
  for (const table of written)
    await connection.execute(
      `DELETE FROM ${table} WHERE account = $account AND (zone, start_at) IN (SELECT (zone, start_at) FROM rollup_changed)`,
      { account },
    );
  await connection.execute('DELETE FROM rollup_mark WHERE account = $account', { account });
};

/** Days that follow each other in groups of at most a month. */
export const grouped = (days: readonly LocalDay[]): readonly (readonly LocalDay[])[] => {
  const groups: LocalDay[][] = [];
  for (const day of days) {
    const group = groups.at(-1);
    if (group !== undefined && group.at(-1)?.end === day.start && group.length < mostDays) group.push(day);
    else groups.push([day]);
  }
  return groups;
};

/** The first second of the day of a call. Numbers come from code; a day of 23 or 25 hours has its own case. */
export const dayStartSql = (days: readonly LocalDay[]): string =>
  `CASE ${days.map(({ start, end }) => `WHEN created_at < ${end} THEN ${start}`).join(' ')} END`;

const sumsOfTokens = tokenSums.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(', ');

/**
 * The cells of consecutive days by model and key, from their calls. Bindings: those of the calls, `$account`, `$zone`, `$start`,
 * `$end`.
 */
export const pairsSql = (days: readonly LocalDay[], calls: string): string => `
  SELECT account, $zone AS zone, CAST(${dayStartSql(days)} AS BIGINT) AS start_at, ${dimensions.join(', ')},
    count(*) AS row_count, min(created_at) AS first_at, max(created_at) AS last_at, sum(quota) AS quota, sum(abs(quota)) AS size,
    ${sumsOfTokens}
  FROM (${classedCallsSql(calls)}) WHERE account = $account AND created_at >= $start AND created_at < $end
  GROUP BY ALL`;

/** The cells of a table, from those by model and key. */
export const sumsOfPairsSql = (table: CellTable, pairs: string): string => `
  SELECT account, zone, start_at, ${dimensionsOf(table).join(', ')},
    CAST(sum(row_count) AS BIGINT) AS row_count, min(first_at) AS first_at, max(last_at) AS last_at, sum(quota) AS quota,
    sum(size) AS size, ${sumsOfTokens}
  FROM ${pairs}
  GROUP BY ALL`;

const buildDays = async (
  rowStore: AccountStore,
  { account, zone }: RefreshRequest,
  days: readonly LocalDay[],
  signal: AbortSignal | undefined,
): Promise<void> => {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return;
  const range = interval(first.start, last.end);
  await rowStore.publish(
    { account, reads: ['token_convention'], writes: written },
    async ({ connection, rows }) => {
      const calls = await rows(range);
      await connection.execute(`INSERT INTO rollup_pair BY NAME ${pairsSql(days, calls.sql)}`, {
        ...calls.bindings,
        account,
        zone,
        ...range,
      });
      const pairs = `(FROM rollup_pair WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end)`;
      for (const table of ['rollup_model', 'rollup_key'] as const)
        await connection.execute(`INSERT INTO ${table} BY NAME ${sumsOfPairsSql(table, pairs)}`, {
          account,
          zone,
          ...range,
        });
      const built = connection.table(
        { start_at: 'BIGINT', end_at: 'BIGINT' },
        days.map(({ start, end }) => ({ start_at: start, end_at: end })),
      );
      await connection.execute(
        `INSERT INTO rollup_day SELECT $account, $zone, start_at, end_at FROM ${built.sql}`,
        { account, zone, ...built.bindings },
      );
    },
    { signal },
  );
};

/** The days of the range that have ended and have no cells. The current day is read from its calls. */
const missingDays = async (
  connection: Sql,
  { account, zone, range }: RefreshRequest,
  now: UnixSeconds,
): Promise<readonly LocalDay[]> => {
  const { start, end } = range;
  if (end <= start) return [];
  const rows = await connection.rows(
    `SELECT start_at FROM rollup_day WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end`,
    { account, zone, start, end },
  );
  const known = new Set(rows.map((row) => wholeNumber(row, 'start_at')));
  return localDays(dateAt(start, zone), dateAt(unixSeconds(end - 1), zone), zone).filter(
    (day) => day.start >= start && day.end <= end && day.end <= now && !known.has(day.start),
  );
};

const hasMarks = async (connection: Sql, account: string): Promise<boolean> =>
  (await connection.rows('SELECT 1 FROM rollup_mark WHERE account = $account LIMIT 1', { account })).length >
  0;

export const createRefresh = ({
  rowStore,
  clock,
  log,
}: RefreshDeps): { readonly refresh: RefreshRollup; readonly version: CallsVersion } => {
  const versions = new Map<string, number>();
  const oneAnAccount = createNamedGates();
  const tooLarge = new Set<string>();
  /** Days with sums that no cell can hold are read from their calls. */
  const build = async (
    request: RefreshRequest,
    days: readonly LocalDay[],
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    try {
      await buildDays(rowStore, request, days, signal);
    } catch (error) {
      if (!/out of range|overflow/i.test(messageOf(error))) throw error;
      if (days.length > 1) for (const day of days) await build(request, [day], signal);
      else for (const { date } of days) tooLarge.add(`${request.account} ${request.zone} ${date}`);
    }
  };
  const version: CallsVersion = async (account) =>
    rowStore.read({ account, reads: ['rollup_mark'] }, async (rows) =>
      (await hasMarks(rows.connection, account))
        ? undefined
        : `${await rows.version()} ${versions.get(account) ?? 0}`,
    );
  const refresh: RefreshRollup = async (request, signal) =>
    oneAnAccount(request.account, async () => {
      const { account, zone } = request;
      const now = unixSeconds(Math.floor(clock.now() / 1000));
      const missing = await rowStore.publish(
        { account, writes: ['rollup_mark', ...written] },
        async (change) => {
          const { connection } = change;
          const isMarked = await hasMarks(connection, account);
          if (isMarked) {
            // Before the marks are gone: a reader must not take the old number for the new calls.
            versions.set(account, (versions.get(account) ?? 0) + 1);
            await removeMarked(change, account);
          }
          return { isMarked, days: await missingDays(connection, request, now) };
        },
        { signal, isKept: ({ isMarked }) => isMarked },
      );
      const groups = grouped(missing.days.filter(({ date }) => !tooLarge.has(`${account} ${zone} ${date}`)));
      for (const [at, days] of groups.entries()) {
        signal?.throwIfAborted();
        if (groups.length > 1)
          log.info('building the rollup of the call log', {
            account,
            zone,
            from: days[0]?.date,
            part: `${at + 1} of ${groups.length}`,
          });
        await build(request, days, signal);
      }
    }).catch((error: unknown) => {
      // What has no cells is read from its calls.
      if (!hasCode(error, 'disk-full')) throw error;
      log.warn('cannot build the rollup of the call log', {
        account: request.account,
        ...errorFields(error),
      });
    });
  return { refresh, version };
};
