import { once } from 'node:events';
import {
  errorFields,
  fault,
  hasCode,
  type Clock,
  type Fault,
  type Limit,
  type Log,
  type UnixMillis,
} from '../../core/index.ts';
import { optionalText, wholeNumber, type StateEngine } from '../sql.ts';
import { extendLeases, sessionOf, type Fence } from './fence.ts';
import { serverNow } from './server-now.ts';

export type LeaseState = 'working' | 'standing by' | 'in doubt';

/** The right of one replica to work for accounts. It ends by itself when the replica does not extend it. */
export type Leases = AsyncDisposable & {
  /** The name of this replica. */
  readonly holder: string;
  /** Takes the lease on the account if needed, and returns its token, unique per holder. @throws fault lease-lost */
  readonly tokenOf: (account: string) => Promise<number>;
  /**
   * Takes the leases on the accounts, and extends them until disposal. With `waits`, retries until this signal is aborted.
   * @throws fault lease-lost if another replica holds them and `waits` is not set
   */
  readonly hold: (accounts: readonly string[], waits: AbortSignal | undefined) => Promise<void>;
  /**
   * Extends the leases before an effect outside the database. The signal is aborted when they may have ended, so that the
   * effect ends before another replica takes over. @throws fault lease-lost
   */
  readonly confirm: () => Promise<AbortSignal>;
  /** `in doubt` before the database has answered, and while it is not certain that leases are extended in time. */
  readonly state: () => LeaseState;
  /** When the leases were extended last; undefined before they were. Milliseconds UTC by the local clock. */
  readonly extendedAt: () => UnixMillis | undefined;
  /** Resolves when leases that were held are lost. */
  readonly lost: Promise<Fault>;
};

export type LeasesOptions = {
  /** An engine without a fence, whose work has a time limit of a third of a lease. */
  readonly database: StateEngine;
  readonly fence: Fence;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether a watched connection is silent. While it is, the periodic extension of the leases pauses. */
  readonly isInDoubt?: () => boolean;
};

/**
 * Ends the transactions of a replica whose lease has ended. If that replica was suspended within a transaction, the transaction still
 * holds locks. While it copies rows, no time limit of the server ends it.
 */
const endFormerSql = `
  SELECT count(pg_terminate_backend(activity.pid)) AS ended
  FROM account_lease AS lease JOIN pg_stat_activity AS activity ON activity.application_name = ${sessionOf('lease.holder')}
  WHERE lease.account = ANY($accounts) AND lease.holder <> $holder AND lease.until <= ${serverNow}`;

/** For leases that no other replica is known to have taken: the server or the network may be at fault. */
const notExtended = (message: string): Fault =>
  fault('lease-lost', message, {
    advice:
      'check that PostgreSQL runs, answers fast and is reachable, then restart this replica; another one takes over only if it can reach PostgreSQL',
  });

/**
 * Takes the lease if it is free or expired, and extends it if this replica holds it. A takeover waits until the former
 * holder has ended a transaction of `send`, which holds a shared lock on the row of the lease.
 */
const takeSql = `
  WITH former AS MATERIALIZED (
    SELECT 1 FROM account_lease WHERE account = $account AND holder <> $holder AND until <= ${serverNow} FOR UPDATE
  )
  INSERT INTO account_lease AS lease (account, holder, token, until)
  SELECT $account, $holder, 1, ${serverNow} + $lasts FROM (SELECT count(*) FROM former) AS waited
  ON CONFLICT (account) DO UPDATE SET holder = $holder, until = ${serverNow} + $lasts,
    token = CASE WHEN lease.holder = $holder THEN lease.token ELSE lease.token + 1 END
  WHERE lease.holder = $holder OR lease.until <= ${serverNow}
  RETURNING token`;

export const createLeases = ({
  database,
  fence,
  clock,
  log,
  isInDoubt: isSilent = () => false,
}: LeasesOptions): Leases => {
  const { holder, lasts } = fence;
  const tokens = new Map<string, number>();
  const stopping = new AbortController();
  const losing = new AbortController();
  const lost = once(losing.signal, 'abort').then(() => losing.signal.reason as Fault);
  let extending: Promise<void> | undefined;
  /** The state found by the last attempt to take or extend the leases. */
  let reached: LeaseState = 'in doubt';
  /** Aborted when the leases may have ended, to stop effects outside the database. The next extension replaces it. */
  let effects = new AbortController();
  let limit: Limit | undefined;
  const after = (millis: number, then: () => void): void => {
    limit?.[Symbol.dispose]();
    limit = clock.limit(Math.max(0, millis));
    limit.signal.addEventListener('abort', then);
  };
  const lose = (reason: Fault): Fault => {
    reached = 'in doubt';
    limit?.[Symbol.dispose]();
    effects.abort(reason);
    losing.abort(reason);
    return reason;
  };
  let extendedAt: UnixMillis | undefined;
  const held = (since: UnixMillis): void => {
    extendedAt = since;
    if (effects.signal.aborted) effects = new AbortController();
    after(since + lasts - clock.now(), () => {
      const late = notExtended('the leases could not be extended in time');
      effects.abort(late);
      // Another replica may have taken over. If none has, an extension within this time keeps the leases.
      after(lasts, () => lose(late));
    });
  };

  const endFormer = (accounts: readonly string[]): Promise<unknown> =>
    database.bulk((connection) => connection.rows(endFormerSql, { accounts, holder }));

  const take = async (account: string): Promise<number> => {
    const token = await database.bulk(async (connection) => {
      const [row] = await connection.rows(takeSql, { account, holder, lasts });
      if (row !== undefined) return wholeNumber(row, 'token');
      const [other] = await connection.rows('SELECT holder FROM account_lease WHERE account = $account', {
        account,
      });
      const by = optionalText(other, 'holder') ?? 'another replica';
      throw fault(
        'lease-lost',
        account === '' ? `${by} works on this database` : `${by} works for the account ${account}`,
      );
    });
    tokens.set(account, token);
    return token;
  };

  const release = async (): Promise<void> => {
    tokens.clear();
    await database.bulk(async (connection) => {
      await connection.execute(`UPDATE account_lease SET until = 0 WHERE holder = $holder`, { holder });
    });
  };

  /** Extends the leases and returns whether this replica still holds all of them. */
  const extend = async (): Promise<boolean> => {
    const asked = clock.now();
    const extended = await database
      .bulk((connection) => extendLeases(connection, fence))
      .catch((error: unknown) => {
        reached = 'in doubt';
        throw error;
      });
    if (extended < tokens.size) return false;
    reached = 'working';
    held(asked);
    return true;
  };

  const keep = async (): Promise<void> => {
    losing.signal.throwIfAborted();
    if (!(await extend())) throw lose(fault('lease-lost', 'another replica has taken over'));
  };

  const extendAlways = async (): Promise<void> => {
    const signal = AbortSignal.any([stopping.signal, losing.signal]);
    for (let pause = lasts / 3; !signal.aborted;)
      try {
        await clock.wait(pause, signal);
        if (isSilent()) log.warn('the leases are not extended: a connection to the database is silent');
        else await keep();
        pause = lasts / 3;
      } catch (error) {
        if (!signal.aborted) log.warn('cannot extend the leases on the accounts', errorFields(error));
        // Retries sooner: this attempt may have reached its time limit, and a new connection may answer.
        pause = lasts / 12;
      }
  };

  return {
    holder,
    lost,
    extendedAt: () => extendedAt,
    state: () => (reached === 'working' && isSilent() ? 'in doubt' : reached),
    confirm: async () => {
      await keep();
      effects.signal.throwIfAborted();
      return effects.signal;
    },
    tokenOf: async (account) => {
      const known = tokens.get(account);
      if (known !== undefined) return known;
      await endFormer([account]);
      return take(account);
    },
    hold: async (accounts, waits) => {
      // All replicas take the leases in the same order, so the replica that gets the first lease gets the others too.
      const wanted = [...new Set(['', ...accounts])].sort();
      for (let isLogged = false; ; isLogged = true)
        try {
          await endFormer(wanted);
          for (const account of wanted) await take(account);
          if (await extend()) break;
          throw notExtended('a lease expired while the leases on other accounts were taken');
        } catch (error) {
          if (hasCode(error, 'lease-lost')) reached = 'standing by';
          if (waits === undefined) throw error;
          if (hasCode(error, 'lease-lost')) {
            if (!isLogged) log.info('standing by: another replica works', { reason: error.message });
            await release();
          } else if (hasCode(error, 'database-unreachable')) {
            reached = 'in doubt';
            log.warn('standing by: cannot reach the database', errorFields(error));
          } else throw error;
          await clock.wait(lasts / 5, waits);
        }
      fence.leases = tokens.size;
      extending ??= extendAlways();
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await extending;
      limit?.[Symbol.dispose]();
      fence.leases = 0;
      // A lease that is not released ends by itself.
      if (tokens.size > 0)
        await release().catch((error: unknown) =>
          log.warn('cannot release the leases; they stay until they expire', errorFields(error)),
        );
    },
  };
};
