import type { ClientBase } from 'pg';
import { fault } from '../../core/index.ts';
import { inTransaction, wholeNumber, type Sql } from '../sql.ts';
import { serverNow } from './server-now.ts';
import { begin, serializable, type PostgresConnection } from './connection.ts';

/** The leases of this replica. While it has none, such as before it begins to work, nothing is checked. */
export type Fence = {
  readonly holder: string;
  /** How long a lease lasts without being extended, ms. */
  readonly lasts: number;
  leases: number;
};

/**
 * Extends all leases of this replica and returns their number. A lease that has expired is extended too, unless another replica has taken it.
 */
export const extendLeases = (connection: Sql, { holder, lasts }: Fence): Promise<number> =>
  connection.execute(`UPDATE account_lease SET until = ${serverNow} + $lasts WHERE holder = $holder`, {
    holder,
    lasts,
  });

/** SQL for the `application_name` of the transactions of a holder, by which another replica finds them. */
export const sessionOf = (holder: string): string => `'tollkeeper ' || md5(${holder})`;

/** Milliseconds after which the server ends an idle transaction: a suspended process must not block other replicas with its locks. */
const idleInTransaction = 5000;

/**
 * A connection whose transactions check first that this replica still holds its leases. A process that resumes after another replica
 * has taken over therefore writes nothing. @throws fault lease-lost
 */
export const fenced = (
  connection: PostgresConnection,
  client: ClientBase,
  fence: Fence,
): PostgresConnection => {
  const holder = client.escapeLiteral(fence.holder);
  const beginning = `set_config('idle_in_transaction_session_timeout', '${idleInTransaction}', true) AS idle,
      set_config('application_name', ${sessionOf(holder)}, true) AS session,
      (SELECT count(*) FROM account_lease WHERE holder = ${holder} AND until > ${serverNow}) AS leases`;
  /** Begins a transaction and returns whether this replica still holds all its leases. */
  const beginHeld = async (): Promise<boolean> =>
    wholeNumber(await connection.begin(serializable, beginning), 'leases') >= fence.leases;
  const beginFenced = async (): Promise<void> => {
    if (await beginHeld()) return;
    await connection.execute('ROLLBACK');
    if ((await extendLeases(connection, fence)) >= fence.leases) {
      if (await beginHeld()) return;
      await connection.execute('ROLLBACK');
    }
    throw fault('lease-lost', 'another replica has taken over; nothing of this step was stored');
  };
  /** Whether to run a statement in its own transaction, so that the transaction checks the leases first. */
  const isAlone = (sql: string): boolean =>
    fence.leases > 0 && /^\s*(?:INSERT|UPDATE|DELETE)\b/.test(sql) && client.getTransactionStatus() === 'I';
  const self: PostgresConnection = {
    ...connection,
    execute: async (sql, bindings) => {
      if (isAlone(sql)) return inTransaction(self, () => connection.execute(sql, bindings));
      if (sql !== begin || fence.leases === 0) return connection.execute(sql, bindings);
      await beginFenced();
      return 0;
    },
    rows: (sql, bindings) =>
      isAlone(sql)
        ? inTransaction(self, () => connection.rows(sql, bindings))
        : connection.rows(sql, bindings),
  };
  return self;
};
