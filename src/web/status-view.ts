import type { UnixMillis } from '../core/index.ts';
import type { LedgerAttempt, LedgerRun, OutboxRow } from '../storage/index.ts';
import type {
  AccountView,
  DeadKeyView,
  KeptReportsView,
  ClockProblemView,
  KeyProblemView,
  OpenRotationView,
  OutdatedServiceView,
} from './status-data.ts';

/** What `status` answers, and the page shows. Times in milliseconds UTC. */

/** A run as people are shown it. */
export type RunView = Omit<
  LedgerRun,
  'account' | 'version' | 'attempts' | 'claimedAt' | 'startedAt' | 'endedAt'
> & {
  /** Zone of the job, to show times in. */
  readonly zone: string;
  readonly attempts: readonly AttemptView[];
  /** What an open run waits for, in words. */
  readonly waiting?: string | undefined;
};

export type AttemptView = Omit<LedgerAttempt, 'job' | 'slot'>;

export type JobView = {
  readonly job: string;
  readonly kind: string;
  readonly zone: string;
  readonly schedule?: string | undefined;
  readonly suspend: boolean;
  /** Its next slot; missing without a schedule or while suspended. */
  readonly next?: UnixMillis | undefined;
  /** Its last run that had an attempt, or was missed or skipped. */
  readonly last?: RunView | undefined;
  /** The run that ended last without success since the last good one and is not retried, and what to do about it. */
  readonly failure?: { readonly run: RunView; readonly advice: string };
  /** End of its last good run. */
  readonly lastGood?: UnixMillis | undefined;
  /** Since when it has not ended well, where operators are told of it. */
  readonly outageSince?: UnixMillis | undefined;
};

export type ConfigFaultView = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly advice?: string | undefined;
};

export type StatusView = {
  readonly version: string;
  readonly now: UnixMillis;
  /** Missing where no daemon runs. */
  readonly daemon?: { readonly pid: number; readonly startedAt: UnixMillis; readonly stopping: boolean };
  readonly config: {
    readonly loadedAt: UnixMillis;
    /** Faults of a newer config that was not taken up. */
    readonly faults: readonly ConfigFaultView[];
    /** Settings that were changed and take effect at the next start. */
    readonly atNextStart: readonly string[];
  };
  readonly jobs: readonly JobView[];
  /** Runs that are under way or waiting. */
  readonly open: readonly RunView[];
  /** Mails that are not through, by state. */
  readonly mail: {
    readonly waiting: number;
    readonly failed: number;
    readonly unknown: number;
    /** The newest of the failed and unknown ones; missing where there are none. */
    readonly stuck?: readonly OutboxView[];
  };
  /** What is kept, and how far it reaches. */
  readonly data?: {
    /** Of times that belong to no job. */
    readonly zone: string;
    readonly accounts: readonly AccountView[];
    /** Those built last. */
    readonly reports: KeptReportsView;
    /** Rotations of keys that are not over; missing where no keys are rotated. */
    readonly rotations?: readonly OpenRotationView[];
    /** Services whose keys are not written, since their journal is out of date. */
    readonly outdated?: readonly OutdatedServiceView[];
    /** Sinks that hold a key which no longer works, as they were last read. */
    readonly deadKeys?: readonly DeadKeyView[];
    /** The journal of keys does not hold; missing where it does. */
    readonly keyProblem?: KeyProblemView;
    /** Accounts whose clocks are too wrong for any key to be deleted. */
    readonly clockProblems?: readonly ClockProblemView[];
  };
};

/** A row of the outbox as people are shown it. */
export type OutboxView = Omit<OutboxRow, 'sender' | 'triedFrom' | 'file' | 'nextAttempt'> & {
  /** Of times in text. */
  readonly zone: string;
  /** When it is tried next; missing when it is not. */
  readonly next?: UnixMillis | undefined;
};
