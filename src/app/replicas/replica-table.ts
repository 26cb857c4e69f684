import { unixMillis, type UnixMillis } from '../../core/index.ts';
import type { ConfigDigests } from '../../config/index.ts';
import {
  serverNow,
  text,
  wholeNumber,
  type LeaseState,
  type Sql,
  type StateEngine,
} from '../../storage/index.ts';

/** A process that serves, as it has stored itself. */
export type Replica = {
  readonly holder: string;
  readonly version: string;
  readonly state: LeaseState;
  readonly config: ConfigDigests;
  /** Milliseconds UTC of the server's clock. */
  readonly seenAt: UnixMillis;
};

/** Stores a replica for so many milliseconds, after which it counts as gone, and removes those that are gone. */
export const storeReplica = async (
  connection: Sql,
  { holder, version, state, config }: Omit<Replica, 'seenAt'>,
  lasts: number,
): Promise<void> => {
  await connection.execute(
    `INSERT INTO replica (holder, version, state, config, seen_at, until)
     VALUES ($holder, $version, $state, $config, ${serverNow}, ${serverNow} + $lasts)
     ON CONFLICT (holder) DO UPDATE SET state = $state, config = $config, seen_at = ${serverNow}, until = ${serverNow} + $lasts`,
    { holder, version, state, config: JSON.stringify(config), lasts },
  );
  await connection.execute(`DELETE FROM replica WHERE until <= ${serverNow}`);
};

export const removeReplica = async (connection: Sql, holder: string): Promise<void> => {
  await connection.execute('DELETE FROM replica WHERE holder = $holder', { holder });
};

/** The replicas that are not gone, by name. */
export const readReplicas = async (connection: Sql): Promise<readonly Replica[]> =>
  (
    await connection.rows(
      `SELECT holder, version, state, config, seen_at FROM replica WHERE until > ${serverNow} ORDER BY holder`,
    )
  ).map((row) => ({
    holder: text(row, 'holder'),
    version: text(row, 'version'),
    // Only this module writes them.
    state: text(row, 'state') as LeaseState,
    config: JSON.parse(text(row, 'config')) as ConfigDigests,
    seenAt: unixMillis(wholeNumber(row, 'seen_at')),
  }));

/** Whether the process that holds the leases serves commands; one that runs a command does not. */
export const isServed = async ({ bulk }: Pick<StateEngine, 'bulk'>): Promise<boolean> =>
  bulk(async (connection) => {
    const [row] = await connection.rows(
      `SELECT count(*) AS serving FROM replica JOIN account_lease ON account_lease.holder = replica.holder
       WHERE account = '' AND account_lease.until > ${serverNow} AND replica.until > ${serverNow} AND state <> 'standing by'`,
    );
    return wholeNumber(row, 'serving') > 0;
  });
