import {
  millis,
  readAs,
  rowReader,
  secondsOf,
  secondsRange,
  inTransaction,
  type Sql,
  type StateEngine,
} from '../../storage/index.ts';
import type { AccountStore } from '../schema.ts';
import type { ComparisonTable, LandingMoment } from './comparison.ts';
import {
  readComparisons,
  readDisputed,
  readNewest,
  readSearches,
  readUnits,
  writeComparisons,
  writeSearch,
  writeUnit,
} from './comparison-rows.ts';
import { readGaps, writeGaps } from './gap-rows.ts';
import { readChecks, readLagging, writeCheck, writeLagging } from './lag-rows.ts';
import { readEntries, readTotals } from './log-totals.ts';

const landing = rowReader({ window: secondsRange, landedAt: millis });

const readLandings = async (
  connection: Sql,
  ...[account, range, since]: Parameters<ComparisonTable['landings']>
): Promise<readonly LandingMoment[]> =>
  readAs(
    connection,
    landing,
    `SELECT start_at, end_at, landed_at FROM log_window
     WHERE account = $account AND start_at < $end AND end_at > $start AND landed_at >= $since
     ORDER BY landed_at, start_at, end_at`,
    { account, start: range.start, end: range.end, since: since ?? 0 },
  );

const readUsageLandings = async (
  connection: Sql,
  ...[account, { dimension, granularity }, range]: Parameters<ComparisonTable['usageLandings']>
): Promise<readonly LandingMoment[]> =>
  readAs(
    connection,
    landing,
    `SELECT ${secondsOf('start_at')} AS start_at, ${secondsOf('end_at')} AS end_at, landed_at FROM usage_window
     WHERE account = $account AND dimension = $dimension AND metric = 'spend' AND granularity = $granularity
       AND start_at < $end * 1000 AND end_at > $start * 1000
     ORDER BY landed_at, start_at, end_at`,
    { account, dimension, granularity, start: range.start, end: range.end },
  );

export const createComparisonTable = (engine: StateEngine, rowStore: AccountStore): ComparisonTable => ({
  put: async (account, comparisons) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => writeComparisons(connection, account, comparisons)),
    ),
  list: async (account, query = {}) =>
    engine.bulk(async (connection) => readComparisons(connection, account, query)),
  newest: async (account) => engine.bulk(async (connection) => readNewest(connection, account)),
  disputed: async (account) => engine.bulk(async (connection) => readDisputed(connection, account)),
  searches: async (account) => engine.state(async (connection) => readSearches(connection, account)),
  noteSearch: async (account, search) =>
    engine.state(async (connection) => writeSearch(connection, account, search)),
  checks: async (account) => engine.state(async (connection) => readChecks(connection, account)),
  noteCheck: async (account, check) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => writeCheck(connection, account, check)),
    ),
  lagging: async (account) => engine.state(async (connection) => readLagging(connection, account)),
  noteLagging: async (account, range, windows) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => writeLagging(connection, account, range, windows)),
    ),
  gaps: async (account) => engine.state(async (connection) => readGaps(connection, account)),
  noteGaps: async (account, gaps) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => writeGaps(connection, account, gaps)),
    ),
  learn: async (account, unit) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => writeUnit(connection, account, unit)),
    ),
  units: async (account) => engine.state(async (connection) => readUnits(connection, account)),
  totals: async (account, range) =>
    rowStore.read({ account, reads: ['log_amounts'] }, async ({ connection, rows }) =>
      readTotals(connection, account, range, rows),
    ),
  entries: async (account, by, buckets) =>
    rowStore.read({ account, reads: ['log_amounts'] }, async ({ connection, rows }) =>
      readEntries(connection, account, by, buckets, rows),
    ),
  landings: async (...asked) => engine.bulk(async (connection) => readLandings(connection, ...asked)),
  usageLandings: async (...asked) =>
    engine.bulk(async (connection) => readUsageLandings(connection, ...asked)),
});
