import type { Clock, Log, UnixMillis } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { Readers } from '../../metrics/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import type { ReplicaView, StatusView } from '../../web/index.ts';
import { announceReplica, readReplicaViews, type Announcing } from './announce.ts';
import { keepReadings } from './keep-readings.ts';

/** This process among the replicas that share its database. With a database file it is alone. */
export type Replicas = {
  /** Its name in the status of the process. */
  readonly own: Pick<NonNullable<StatusView['daemon']>, 'replica'>;
  /** All replicas with what differs in their configuration, for the status. */
  readonly ofStatus: (config: Config) => Promise<Pick<StatusView, 'replicas'>>;
  /** How many of the replicas differ from the one that works. */
  readonly different: (replicas: readonly ReplicaView[]) => number | undefined;
  /** Whether its leases may have ended: nothing is begun then. */
  readonly isInDoubt: () => boolean;
  /** When its leases were extended last, milliseconds of the local clock. */
  readonly extendedAt: () => UnixMillis | undefined;
  /** Resolves with the reason when another replica has taken over. */
  readonly lost: Promise<unknown>;
  /** Stores this replica for the others until disposed. */
  readonly announce: (config: () => Config, log: Log) => Announcing;
  /** Answers what other processes ask through the database, by `answer`, until disposed. */
  readonly answer: (answer: (database: SharedDatabase) => AsyncDisposable) => AsyncDisposable;
  /** Readings of metrics that no scrape waits for, where the database may be distant. */
  readonly keepReadings: (readers: Readers) => Readers;
  /** Ends all work on the database at once. */
  readonly abandon: SharedDatabase['engine']['abandon'];
};

const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };

/** With a database file. */
const alone: Replicas = {
  own: {},
  ofStatus: async () => ({}),
  different: () => undefined,
  isInDoubt: () => false,
  extendedAt: () => undefined,
  lost: new Promise(() => undefined),
  announce: () => ({ ...nothing, replicas: () => [] }),
  answer: () => nothing,
  keepReadings: (readers) => readers,
  abandon: () => undefined,
};

export const replicasOf = (database: SharedDatabase | undefined, clock: Clock): Replicas => {
  if (database === undefined) return alone;
  const { leases, engine } = database;
  return {
    own: { replica: leases.holder },
    ofStatus: async (config) => ({ replicas: await readReplicaViews(database, config) }),
    different: (replicas) => replicas.filter(({ differs }) => differs.length > 0).length,
    isInDoubt: () => leases.state() === 'in doubt',
    extendedAt: leases.extendedAt,
    lost: leases.lost,
    announce: (config, log) => announceReplica(database, { clock }, config, log),
    answer: (answer) => answer(database),
    keepReadings: (readers) => keepReadings(readers, clock),
    abandon: engine.abandon,
  };
};
