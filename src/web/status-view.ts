import type { RotationView } from '../keys/index.ts';
import type { ProgressStep, UnixMillis } from '../core/index.ts';
import type { UnknownAlert } from '../monitoring/index.ts';
import type { LedgerProblem } from '../scheduler/index.ts';
import type { LedgerAttempt, LedgerRun, OutboxRow } from '../storage/index.ts';
import type {
  AccountView,
  BackupView,
  DeadKeyView,
  KeptReportsView,
  ClockProblemView,
  KeyProblemView,
  OutdatedServiceView,
} from './status-data.ts';

/** The result of `status`, which the page shows. Times in milliseconds UTC. */

export type RunView = Omit<
  LedgerRun,
  'account' | 'version' | 'attempts' | 'claimedAt' | 'startedAt' | 'endedAt'
> & {
  /** Time zone of the job, in which its times are shown. */
  readonly zone: string;
  readonly attempts: readonly AttemptView[];
  /** What an open run waits for, as text. */
  readonly waiting?: string | undefined;
  /** The current step of a run in progress. */
  readonly progress?: ProgressStep | undefined;
};

export type AttemptView = Omit<LedgerAttempt, 'job' | 'slot'>;

export type JobView = {
  readonly job: string;
  readonly kind: string;
  readonly zone: string;
  readonly schedule?: string | undefined;
  readonly suspend: boolean;
  /** Missing without a schedule or while suspended. */
  readonly next?: UnixMillis | undefined;
  /** The last run that had an attempt, or was missed or skipped. */
  readonly last?: RunView | undefined;
  /** The latest unsuccessful run since the last success that has no retry, and the next step. */
  readonly failure?: { readonly run: RunView; readonly advice: string };
  /** The first slot that passed without a run; missing once a run had an attempt. */
  readonly missedFirst?: UnixMillis;
  /** End of the last successful run. */
  readonly lastGood?: UnixMillis | undefined;
  /** Start of the current outage, if operators are notified of it. */
  readonly outageSince?: UnixMillis | undefined;
};

export type ConfigFaultView = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly advice?: string | undefined;
};

/** A process that serves on a database that several share. */
export type ReplicaView = {
  readonly name: string;
  readonly version: string;
  readonly state: 'working' | 'standing by' | 'in doubt';
  /** When it was heard of last, by the clock of the database. */
  readonly seenAt: UnixMillis;
  /** In what it differs from the replica that works: `version`, `timezone`, `job daily-spend`. */
  readonly differs: readonly string[];
};

export type StatusView = {
  readonly version: string;
  readonly now: UnixMillis;
  /** Missing when no daemon runs. */
  readonly daemon?: {
    readonly pid: number;
    readonly startedAt: UnixMillis;
    readonly stopping: boolean;
    /** Its name, where replicas share PostgreSQL: it holds the leases on all accounts. */
    readonly replica?: string;
  };
  readonly config: {
    readonly loadedAt: UnixMillis;
    /** Faults of a newer config that was not applied. */
    readonly faults: readonly ConfigFaultView[];
    /** Changed settings that take effect at the next start. */
    readonly atNextStart: readonly string[];
  };
  /** Missing with a database file. */
  readonly replicas?: readonly ReplicaView[];
  /** Why nothing can be stored, such as a full disk; missing when the last change was. */
  readonly storeProblem?: LedgerProblem;
  readonly jobs: readonly JobView[];
  readonly open: readonly RunView[];
  /** Numbers of unsent mails, by state. */
  readonly mail: {
    readonly waiting: number;
    readonly failed: number;
    readonly unknown: number;
    /** Unsent mails of a restored backup. */
    readonly held: number;
    /** The newest failed, unknown and held ones; missing when there are none. */
    readonly stuck?: readonly OutboxView[];
  };
  readonly data?: {
    /** Time zone of times that belong to no job. */
    readonly zone: string;
    readonly accounts: readonly AccountView[];
    /** Newest first. */
    readonly reports: KeptReportsView;
    /** Open rotations; missing when no keys are rotated. */
    readonly rotations?: readonly RotationView[];
    /** Services whose keys are not written because their journal is out of date. */
    readonly outdated?: readonly OutdatedServiceView[];
    /** Sinks that held a key which no longer works when last read. */
    readonly deadKeys?: readonly DeadKeyView[];
    /** Missing when the journal of keys is valid. */
    readonly keyProblem?: KeyProblemView;
    /** Accounts whose clock deviation stops the deletion of keys. */
    readonly clockProblems?: readonly ClockProblemView[];
    /** Alerts of unknown state that are not muted. */
    readonly unknownAlerts?: readonly UnknownAlert[];
    /** Missing before the first backup. */
    readonly backup?: BackupView;
  };
};

export type OutboxView = Omit<OutboxRow, 'sender' | 'triedFrom' | 'file' | 'nextAttempt' | 'topics'> & {
  /** Time zone of times in text. */
  readonly zone: string;
  /** Time of the next attempt; missing when there is none. */
  readonly next?: UnixMillis | undefined;
};
