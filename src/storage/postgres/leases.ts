import { fault } from '../../core/index.ts';
import { wholeNumber, type StateEngine } from '../sql.ts';

/** Of PostgreSQL's clock, milliseconds UTC: the clocks of replicas may differ by minutes. */
export const serverNow = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';

/** The right of one replica to work for an account. */
export type Leases = {
  /**
   * Takes or extends the lease on the account. Returns its token, which another holder never has.
   * @throws fault lease-lost while another replica holds it
   */
  readonly take: (account: string) => Promise<number>;
  /** Ends the leases of this replica, so that others need not wait. */
  readonly release: () => Promise<void>;
};

export type LeasesOptions = {
  readonly database: StateEngine;
  /** The name of this replica, different from that of each other one, also of an earlier process. */
  readonly holder: string;
  /** How long a lease lasts without being extended, ms. */
  readonly lasts: number;
};

/** One statement takes, extends and decides. The number of changes of the account stays. */
const takeSql = `
  INSERT INTO account_lease AS lease (account, holder, token, until, version)
  VALUES ($account, $holder, 1, ${serverNow} + $lasts, 0)
  ON CONFLICT (account) DO UPDATE SET holder = $holder, until = ${serverNow} + $lasts,
    token = CASE WHEN lease.holder = $holder THEN lease.token ELSE lease.token + 1 END
  WHERE lease.holder = $holder OR lease.until <= ${serverNow}
  RETURNING token`;

export const createLeases = ({ database, holder, lasts }: LeasesOptions): Leases => ({
  take: (account) =>
    database.bulk(async (connection) => {
      const [row] = await connection.rows(takeSql, { account, holder, lasts });
      if (row !== undefined) return wholeNumber(row, 'token');
      throw fault('lease-lost', `another replica works for the account ${account}`);
    }),
  release: () =>
    database.bulk(async (connection) => {
      await connection.execute(`UPDATE account_lease SET until = ${serverNow} WHERE holder = $holder`, {
        holder,
      });
    }),
});
