import { unixMillis, type UnixMillis } from '../../core/index.ts';
import {
  millis,
  optional,
  inTransaction,
  optionalText,
  type Sql,
  type StateEngine,
} from '../../storage/index.ts';
import {
  readAccountAt,
  readAccounts,
  readStatistics,
  writeAccount,
  writeStatistics,
} from './account-rows.ts';
import { landKeys } from './land-keys.ts';
import { readChanges, readInventory } from './read-keys.ts';
import { readQuotas } from './read-quotas.ts';
import type { LandedSnapshot, Snapshot, SnapshotTable } from './snapshot.ts';

const endOfTime = unixMillis(Number.MAX_SAFE_INTEGER);

/** The moment, or the next millisecond without a snapshot of the account. */
const freeMoment = async (connection: Sql, account: string, moment: UnixMillis): Promise<UnixMillis> => {
  const rows = await connection.rows(
    'SELECT taken_at FROM account_snapshot WHERE account = $account AND taken_at >= $moment ORDER BY taken_at',
    { account, moment },
  );
  const taken = new Set(rows.map((row) => optionalText(row, 'taken_at')));
  let free: number = moment;
  while (taken.has(String(free))) free += 1;
  return unixMillis(free);
};

const land = async (connection: Sql, snapshot: Snapshot): Promise<LandedSnapshot> => {
  const { account, keys } = snapshot;
  const takenAt = await freeMoment(connection, account, snapshot.takenAt);
  const counts = keys === undefined ? undefined : await landKeys(connection, account, takenAt, keys);
  await writeStatistics(connection, snapshot, takenAt);
  await writeAccount(connection, snapshot, takenAt);
  return { takenAt, keys: counts };
};

export const createSnapshotTable = (engine: StateEngine): SnapshotTable => ({
  // Over the connection that serializes small state: landing depends on existing rows, which must not change meanwhile.
  land: async (snapshot) =>
    engine.state(async (connection) => inTransaction(connection, async () => land(connection, snapshot))),
  watermark: async (account) =>
    engine.state(async (connection) => {
      const [row] = await connection.rows(
        'SELECT max(taken_at) AS taken_at FROM account_snapshot WHERE account = $account',
        { account },
      );
      return row === undefined ? undefined : optional(millis)(row, 'taken_at');
    }),
  latestAccount: async (account) =>
    engine.state(async (connection) => readAccountAt(connection, account, endOfTime)),
  accountAt: async (account, moment) =>
    engine.state(async (connection) => readAccountAt(connection, account, moment)),
  accountBetween: async (account, from, to) =>
    engine.bulk(async (connection) =>
      readAccounts(connection, 'taken_at >= $from AND taken_at < $to', { account, from, to }),
    ),
  statisticsBetween: async (account, from, to) =>
    engine.bulk(async (connection) => readStatistics(connection, account, from, to)),
  // Both statements must see the same state of the tables.
  inventoryAt: async (account, moment) =>
    engine.bulk(async (connection) =>
      inTransaction(connection, async () => readInventory(connection, account, moment)),
    ),
  quotaReadings: async (account, from, to) =>
    engine.bulk(async (connection) => readQuotas(connection, account, from, to)),
  changes: async (account, from, to) =>
    engine.bulk(async (connection) => readChanges(connection, account, from, to)),
});
