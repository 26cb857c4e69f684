import { errorFields, type Deps, type Log } from '../../core/index.ts';
import { differingParts, digestsOf, type Config } from '../../config/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import type { ReplicaView } from '../../web/index.ts';
import { version } from '../../version.ts';
import { readReplicas, removeReplica, storeReplica, type Replica } from './replica-table.ts';

/** Leases after which a replica that is not heard of counts as gone. */
const leasesUntilGone = 3;

/** Replicas are compared with the one that works; while none does, with this process. */
const replicaViews = (replicas: readonly Replica[], own: () => Pick<Replica, 'config' | 'version'>) => {
  const standard = replicas.find(({ state }) => state === 'working') ?? own();
  return replicas.map(({ holder, version: of, state, config, seenAt }): ReplicaView => ({
    name: holder,
    version: of,
    state,
    seenAt,
    differs: [...(standard.version === of ? [] : ['version']), ...differingParts(standard.config, config)],
  }));
};

export const readReplicaViews = async (
  { reader }: Pick<SharedDatabase, 'reader'>,
  config: Config,
): Promise<readonly ReplicaView[]> =>
  replicaViews(await reader.bulk(readReplicas), () => ({ config: digestsOf(config), version }));

export type Announcing = AsyncDisposable & {
  /** The replicas as last read; they are read three times in a lease. */
  readonly replicas: () => readonly ReplicaView[];
};

/** Limits the length of the log entry. */
const mostLogged = 10;

/**
 * Stores this replica in the database until disposed, and reads the others. A difference between their configurations or versions
 * is logged when it begins and when it ends.
 */
export const announceReplica = (
  { engine, leases }: SharedDatabase,
  { clock }: Pick<Deps, 'clock'>,
  config: () => Config,
  log: Log,
): Announcing => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let views: readonly ReplicaView[] = [];
  let logged = '[]';

  const logDifferences = (): void => {
    const found = views.filter(({ differs }) => differs.length > 0);
    const now = JSON.stringify(found.map(({ name, differs }) => [name, differs]));
    if (now === logged) return;
    logged = now;
    if (found.length === 0) log.info('all replicas have the same configuration and version');
    for (const { name, differs } of found)
      log.warn('a replica differs from the one that works', {
        replica: name,
        differs: differs.slice(0, mostLogged).join(', '),
        ...(differs.length > mostLogged ? { more: differs.length - mostLogged } : {}),
        advice:
          'give all replicas the same configuration and version; after a takeover the one that works counts',
      });
  };

  let digested: { readonly of: Config; readonly digests: ReturnType<typeof digestsOf> } | undefined;
  const announce = async (lease: number): Promise<void> => {
    const now = config();
    digested = digested?.of === now ? digested : { of: now, digests: digestsOf(now) };
    const own = { holder: leases.holder, version, state: leases.state(), config: digested.digests };
    const replicas = await engine.bulk(async (connection) => {
      await storeReplica(connection, own, leasesUntilGone * lease);
      return readReplicas(connection);
    }, signal);
    views = replicaViews(replicas, () => own);
    logDifferences();
  };

  const announceAlways = async (): Promise<void> => {
    let failure = '';
    while (!signal.aborted) {
      const { lease } = config().settings.scheduler;
      try {
        await announce(lease);
        failure = '';
      } catch (error) {
        if (signal.aborted) return;
        const fields = errorFields(error);
        if (fields['error'] !== failure) log.warn('cannot store the state of this replica', fields);
        failure = String(fields['error']);
      }
      await clock.wait(lease / 3, signal).catch(() => undefined);
    }
  };
  const announcing = announceAlways();

  return {
    replicas: () => views,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await announcing;
      // If the row cannot be removed, the replica counts as gone after three lease durations.
      await engine.bulk((connection) => removeReplica(connection, leases.holder)).catch(() => undefined);
    },
  };
};
