import type { JobAccount } from '../jobs/index.ts';
import type { Sink } from '../keys/index.ts';

/** Returns the Date header of the answer. @throws NetworkProblem, the signal's reason */
export type Ping = (signal: AbortSignal) => Promise<string | undefined>;

export type DoctorAccounts = {
  /** @throws Fault `wrong-use` when the account does not exist */
  readonly get: (name: string) => JobAccount;
  /** Reads the time at the address of the account's gateway, without a key. */
  readonly pingOf: (name: string) => Ping;
};

export type DoctorPaths = {
  /** The database file, or `:memory:`. */
  readonly path: string;
  readonly spoolDirectory: string;
  readonly tempDirectory: string;
  readonly outboxDirectory: string;
  readonly reportsDirectory: string;
  readonly archiveDirectory: string;
};

/** A place to which a job delivers keys of a service. `sink` throws when the place cannot use the names of the service. */
export type DeclaredSink = {
  readonly job: string;
  readonly service: string;
  /** Whether the job delivers keys; a job in mode `plan` writes nothing. */
  readonly applies: boolean;
  readonly sink: () => Sink;
  /** The problem as a sentence if the sink holds a key that no longer works. */
  readonly deadKey?: (sink: Sink) => Promise<string | undefined>;
};
