import {
  createNamedGates,
  dateAt,
  errorFields,
  groupBy,
  hasCode,
  localDays,
  messageOf,
  unixSeconds,
  type Clock,
  type Interval,
  type LocalDay,
  type Log,
  type UnixSeconds,
} from '../../core/index.ts';
import { text, wholeNumber, type AccountRows, type RollupSpan, type Sql } from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import { buildDays, buildMonth, grouped, groupOf, ofDays, ofMonths, type DayGroup } from './build-cells.ts';
import { buildHours, missingHours, ofHours, removeOldHours } from './hours.ts';

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
  await connection.execute(
    `CREATE OR REPLACE TEMP TABLE rollup_changed_hours AS
     SELECT DISTINCT day.zone, day.start_at FROM rollup_hours AS day
     JOIN rollup_mark AS mark ON mark.account = day.account AND mark.start_at < day.end_at AND mark.end_at > day.start_at
     WHERE day.account = $account AND mark.model_name IS NULL`,
    { account },
  );
  await connection.execute(
    `CREATE OR REPLACE TEMP TABLE rollup_changed_month AS
     SELECT month.zone, month.start_at FROM rollup_month AS month
     WHERE account = $account AND EXISTS (
       FROM rollup_changed AS day WHERE day.zone = month.zone AND day.start_at >= month.start_at AND day.start_at < month.end_at)`,
    { account },
  );
  for (const [tables, changed] of [
    [ofDays, 'rollup_changed'],
    [ofMonths, 'rollup_changed_month'],
    [ofHours, 'rollup_changed_hours'],
  ] as const)
    for (const table of tables)
      await connection.execute(
        `DELETE FROM ${table} WHERE account = $account AND (zone, start_at) IN (SELECT (zone, start_at) FROM ${changed})`,
        { account },
      );
  await connection.execute('DELETE FROM rollup_mark WHERE account = $account', { account });
};

/** The local days of the range. */
const daysIn = ({ range: { start, end }, zone }: RefreshRequest): readonly LocalDay[] =>
  end <= start
    ? []
    : localDays(dateAt(start, zone), dateAt(unixSeconds(end - 1), zone), zone).filter(
        (day) => day.start >= start && day.end <= end,
      );

/** The starts of the days or months of the range that have cells. */
const readStarts = async (
  connection: Sql,
  table: RollupSpan,
  { account, zone, range: { start, end } }: RefreshRequest,
): Promise<ReadonlySet<number>> => {
  const rows = await connection.rows(
    `SELECT start_at FROM ${table} WHERE account = $account AND zone = $zone AND start_at >= $start AND start_at < $end`,
    { account, zone, start, end },
  );
  return new Set(rows.map((row) => wholeNumber(row, 'start_at')));
};

/** The whole months among days that follow each other. */
const monthsOf = (days: readonly LocalDay[], zone: string): readonly DayGroup[] =>
  [...groupBy(days, ({ date }) => date.slice(0, 7)).values()]
    .filter(([first]) => first.date.endsWith('-01'))
    .map(groupOf)
    .filter(({ range }) => dateAt(range.end, zone).endsWith('-01'));

/** The days and whole months of the range that have ended and have no cells. The current day is read from its calls. */
const readMissing = async (connection: Sql, request: RefreshRequest, now: UnixSeconds) => {
  const ended = daysIn(request).filter(({ end }) => end <= now);
  if (ended.length === 0) return { days: [], months: [] };
  const months = monthsOf(ended, request.zone);
  const days = await readStarts(connection, 'rollup_day', request);
  const built =
    months.length === 0 ? new Set<number>() : await readStarts(connection, 'rollup_month', request);
  return {
    days: ended.filter(({ start }) => !days.has(start)),
    months: months.filter(({ range }) => !built.has(range.start)),
  };
};

const hasMarks = async (connection: Sql, account: string): Promise<boolean> =>
  (await connection.rows('SELECT 1 FROM rollup_mark WHERE account = $account LIMIT 1', { account })).length >
  0;

/** Builds the missing hours of whole UTC days of the range. Cheap when nothing is missing. */
export type RefreshHours = (
  request: Pick<RefreshRequest, 'account' | 'range'>,
  signal?: AbortSignal,
) => Promise<void>;

export const createRefresh = ({
  rowStore,
  clock,
  log,
}: RefreshDeps): {
  readonly refresh: RefreshRollup;
  readonly refreshHours: RefreshHours;
  readonly version: CallsVersion;
} => {
  const versions = new Map<string, number>();
  const oneAnAccount = createNamedGates();
  const tooLarge = new Set<string>();
  /** Whether all was built. False where a sum is larger than a cell can hold: then its calls, or its days, are read. */
  const fits = async (building: Promise<void>): Promise<boolean> =>
    building.then(
      () => true,
      (error: unknown) => {
        if (!/out of range|overflow/i.test(messageOf(error))) throw error;
        return false;
      },
    );
  const build = async (
    request: RefreshRequest,
    group: DayGroup,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    if (await fits(buildDays(rowStore, request, group, signal))) return;
    const { days } = group;
    if (days.length > 1) for (const day of days) await build(request, groupOf([day]), signal);
    else for (const { date } of days) tooLarge.add(`${request.account} ${request.zone} ${date}`);
  };
  const unmark = async (change: AccountRows, account: string): Promise<boolean> => {
    if (!(await hasMarks(change.connection, account))) return false;
    // Before the marks are gone: a reader must not take the old number for the new calls.
    versions.set(account, (versions.get(account) ?? 0) + 1);
    await removeMarked(change, account);
    return true;
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
        { account, writes: ['rollup_mark', ...ofDays, ...ofMonths, ...ofHours] },
        async (change) => {
          const { connection } = change;
          const isMarked = await unmark(change, account);
          return { isMarked, ...(await readMissing(connection, request, now)) };
        },
        { signal, isKept: ({ isMarked }) => isMarked },
      );
      const isSmall = ({ date }: LocalDay): boolean => !tooLarge.has(`${account} ${zone} ${date}`);
      const groups = grouped(missing.days.filter(isSmall));
      for (const [at, group] of groups.entries()) {
        signal?.throwIfAborted();
        if (groups.length > 1)
          log.info('building the rollup of the call log', {
            account,
            zone,
            from: dateAt(group.range.start, zone),
            part: `${at + 1} of ${groups.length}`,
          });
        await build(request, group, signal);
      }
      for (const month of missing.months) {
        const name = `${account} ${zone} ${dateAt(month.range.start, zone).slice(0, 7)}`;
        if (tooLarge.has(name) || !month.days.every(isSmall)) continue;
        signal?.throwIfAborted();
        if (!(await fits(buildMonth(rowStore, request, month, signal)))) tooLarge.add(name);
      }
    }).catch((error: unknown) => {
      // What has no cells is read from its calls.
      if (!hasCode(error, 'disk-full')) throw error;
      log.warn('cannot build the rollup of the call log', {
        account: request.account,
        ...errorFields(error),
      });
    });
  const refreshHours: RefreshHours = async ({ account, range }, signal) =>
    oneAnAccount(account, async () => {
      const now = unixSeconds(Math.floor(clock.now() / 1000));
      const missing = await rowStore.publish(
        { account, writes: ['rollup_mark', ...ofDays, ...ofMonths, ...ofHours] },
        async (change) => {
          const isMarked = await unmark(change, account);
          const removed = await removeOldHours(change.connection, account, now);
          return {
            isKept: isMarked || removed > 0,
            days: await missingHours(change.connection, { account, range }, now),
          };
        },
        { signal, isKept: ({ isKept }) => isKept },
      );
      for (const group of grouped(missing.days)) {
        signal?.throwIfAborted();
        await buildHours(rowStore, account, group, signal);
      }
    }).catch((error: unknown) => {
      if (!hasCode(error, 'disk-full')) throw error;
      log.warn('cannot build the hours of the rollup', { account, ...errorFields(error) });
    });
  return { refresh, refreshHours, version };
};
