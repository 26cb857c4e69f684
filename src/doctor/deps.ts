import type { JobAccount } from '../jobs/index.ts';
import type { Sink } from '../keys/index.ts';

/** Gives the Date header of whatever answers. @throws NetworkTrouble, the signal's reason */
export type Ping = (signal: AbortSignal) => Promise<string | undefined>;

/** The accounts that are checked. */
export type DoctorAccounts = {
  /** @throws Fault `wrong-use` when there is no such account */
  readonly get: (name: string) => JobAccount;
  /** Asks at the address of the account's gateway, without a key, what time it is there. */
  readonly pingOf: (name: string) => Ping;
};

/** The database, and the folders that are written to. */
export type DoctorPaths = {
  /** The database file, or `:memory:`. */
  readonly path: string;
  readonly spoolDirectory: string;
  readonly tempDirectory: string;
  readonly outboxDirectory: string;
  readonly archiveDirectory: string;
};

/** A place that a job delivers keys of a service to; nothing of it where the names do not fit it. */
export type DeclaredSink = {
  readonly job: string;
  readonly service: string;
  /** Whether the job delivers keys; one in mode `plan` writes nothing. */
  readonly applies: boolean;
  readonly sink: () => Sink;
  /** What is wrong where the sink holds a key that no longer works, as a sentence. */
  readonly deadKey?: (sink: Sink) => Promise<string | undefined>;
};
