import type { Interval, LocaleTag, LogFields, Progress, UnixMillis, UnixSeconds } from '../core/index.ts';
import type {
  KnownPoint,
  LearnedPoint,
  LedgerAttempt,
  LedgerRun,
  OutboxRow,
  OutboxState,
  PastPoint,
} from '../warehouse/index.ts';
import type { KeyCommands } from './keys-port.ts';
import type {
  AccountView,
  KeptReportsView,
  ClockProblemView,
  KeyProblemView,
  OpenRotationView,
  OutdatedServiceView,
} from './status-data.ts';

/** Everything here crosses the control socket as JSON. All times in milliseconds UTC. */

/** A run as people are shown it. */
export type RunView = Omit<
  LedgerRun,
  'account' | 'version' | 'attempts' | 'claimedAt' | 'startedAt' | 'endedAt'
> & {
  /** Zone of the job, to show times in. */
  readonly zone: string;
  readonly attempts: readonly AttemptView[];
  /** What an open run waits for, in words. */
  readonly waiting?: string;
};

export type AttemptView = Omit<LedgerAttempt, 'job' | 'slot'>;

export type JobView = {
  readonly job: string;
  readonly kind: string;
  readonly zone: string;
  readonly schedule?: string;
  readonly suspend: boolean;
  /** Its next slot; missing without a schedule or while suspended. */
  readonly next?: UnixMillis;
  /** Its last run that had an attempt, or was missed or skipped. */
  readonly last?: RunView;
  /** The run that ended last without success since the last good one and is not retried, and what to do about it. */
  readonly failure?: { readonly run: RunView; readonly advice: string };
  /** End of its last good run. */
  readonly lastGood?: UnixMillis;
  /** Since when it has not ended well, where operators are told of it. */
  readonly outageSince?: UnixMillis;
};

export type ConfigFaultView = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly advice?: string;
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
  readonly next?: UnixMillis;
};

/** Of these states, or of all; the newest so many. */
export type OutboxQuery = { readonly states?: readonly OutboxState[]; readonly limit: number };

/** What became of an order on one row. */
export type OutboxAnswer = {
  readonly id: string;
  readonly done: boolean;
  /** Times in it are UTC. */
  readonly said: string;
  /** Of times in text. */
  readonly zone: string;
};

export type NextSlot = { readonly job: string; readonly slot: UnixMillis; readonly zone: string };

/** Moments are given as a person writes them and read in the zone of the job: 2026-11-21T08:00, 2026-11-21, or with Z or an offset. */
export type RunRequest = { readonly job: string; readonly slot?: string };
export type BackfillRequest = { readonly job: string; readonly from: string; readonly to: string };

/** A report that is built and not sent. */
export type ReportRequest = {
  readonly report: string;
  /** `last-month`, or `FROM..TO`; what the report itself says when left out. */
  readonly period?: string;
  readonly comparison?: 'previous' | 'same-days-last-month' | 'same-days-last-year' | 'none';
  readonly account?: string;
  /** The one team that it is about. */
  readonly team?: string;
  readonly zone?: string;
  readonly locale?: LocaleTag;
  /** Its data as files beside it. */
  readonly attach?: readonly ('csv' | 'xlsx' | 'parquet')[];
};
export type BuiltReport = {
  readonly subject: string;
  readonly files: readonly ({ readonly name: string } & (
    | { readonly text: string }
    | { readonly base64: string }
  ))[];
  /** What makes its figures wrong or misleading, and what to write instead. */
  readonly warnings: readonly { readonly message: string; readonly advice: string }[];
};

/** All accounts, or one; with `probeKeys` a throw-away key is made at each gateway. */
export type DoctorRequest = { readonly account?: string; readonly probeKeys?: boolean };

/** One real thing that was tried. */
export type DoctorCheck = {
  /** `scope logs:read of main`. */
  readonly about: string;
  /** `skipped`: it could not be tried, or there is nothing to try. */
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly said: string;
  /** What to do, of a thing that failed or that will fail once a job applies its plans. */
  readonly advice?: string;
  readonly code?: string;
};

/** What was learned of an account's gateway. */
export type LearnedView = {
  readonly account: string;
  readonly points: readonly (LearnedPoint & Partial<Pick<KnownPoint, 'learnedAt' | 'confirmedAt'>>)[];
  /** What was taken of points before. */
  readonly past: readonly PastPoint[];
  readonly goneColumns: readonly { readonly name: string; readonly goneAt: UnixMillis }[];
  /** What the YAML says of the gateway, which goes before what the data show. */
  readonly overrides: readonly { readonly setting: string; readonly value: string }[];
};

export type DoctorView = {
  readonly version: string;
  /** Of times in text. */
  readonly zone: string;
  readonly now: UnixMillis;
  readonly checks: readonly DoctorCheck[];
  readonly learned: readonly LearnedView[];
};

/** The span is of moments as a person writes them, read in the zone of the config; `to` no longer belongs to it. */
export type ReconcileRequest = { readonly from: string; readonly to: string; readonly account?: string };

/** The call log held against another source. Spans in seconds UTC, amounts as exact decimal text. */
export type ComparisonView = {
  readonly source: string;
  /** A model or a key; missing for the total of the source. */
  readonly entry?: string;
  readonly range: Interval<UnixSeconds>;
  readonly ours: string;
  readonly theirs: string;
  /** Theirs less ours. */
  readonly gap: string;
  readonly unit: string;
  readonly verdict: string;
  readonly text: string;
  readonly comparedAt: UnixMillis;
};

export type ReconcileView = {
  readonly account: string;
  readonly zone: string;
  readonly asked: Interval<UnixSeconds>;
  /** What of it the log holds, which was compared. */
  readonly held: Interval<UnixSeconds>;
  readonly comparisons: readonly ComparisonView[];
  readonly notCompared: readonly { readonly source: string; readonly reason: string }[];
  readonly conclusion: string;
  /** Something was compared, and nothing is unexplained or truncated. */
  readonly good: boolean;
};

/** How the mails of a run stand. */
export type MailOutcome = {
  readonly sent: number;
  readonly deferred: number;
  readonly failed: number;
  readonly unknown: number;
  readonly queued: number;
  /** What went wrong first, and what to do. */
  readonly problem?: string;
};

export type RunResult = {
  readonly run: RunView;
  /** Whether it had ended well before, so that nothing was done now. */
  readonly already: boolean;
  readonly figures: LogFields;
  readonly mail: MailOutcome;
  /** What to do about a run that failed. */
  readonly advice?: string;
};

/** What can be ordered of the program, from the daemon through its socket or of this process itself. All reject with a Fault. */
export type Commands = {
  readonly keys: KeyCommands;
  readonly status: () => Promise<StatusView>;
  readonly runs: (query: { readonly job?: string; readonly limit: number }) => Promise<readonly RunView[]>;
  readonly next: (query: { readonly job?: string; readonly count: number }) => Promise<readonly NextSlot[]>;
  /** What a run would do, a line each; for a backfill, the slots. Nothing is written. */
  readonly plan: (request: RunRequest | BackfillRequest) => Promise<readonly string[]>;
  /** Builds a report and sends nothing. */
  readonly report: (request: ReportRequest, progress: Progress, signal: AbortSignal) => Promise<BuiltReport>;
  /** Tries each real thing: disk, gateways, mail server; sends nothing and writes nothing there. */
  readonly doctor: (request: DoctorRequest, progress: Progress, signal: AbortSignal) => Promise<DoctorView>;
  /** Compares the call log with every other source over a span, and keeps what comes of it. */
  readonly reconcile: (
    request: ReconcileRequest,
    progress: Progress,
    signal: AbortSignal,
  ) => Promise<ReconcileView>;
  /** Newest first. */
  readonly outbox: (query: OutboxQuery) => Promise<readonly OutboxView[]>;
  /** Sends rows (again), the same bytes with the same Message-ID, and says of each how that went. */
  readonly resend: (
    request: { readonly ids: readonly string[] },
    signal: AbortSignal,
  ) => Promise<readonly OutboxAnswer[]>;
  /** Rows that are never to be sent. */
  readonly drop: (request: { readonly ids: readonly string[] }) => Promise<readonly OutboxAnswer[]>;
  /** Runs one slot, or now; resolves when it has ended, well or not. */
  readonly run: (request: RunRequest, progress: Progress, signal: AbortSignal) => Promise<RunResult>;
  /** Runs every slot of the span, one after the other; `onRun` sees each as it ends. */
  readonly backfill: (
    request: BackfillRequest,
    progress: Progress,
    onRun: (result: RunResult, done: number, total: number) => void,
    signal: AbortSignal,
  ) => Promise<{
    readonly slots: number;
    readonly ok: number;
    readonly already: number;
    readonly failed: number;
  }>;
};
