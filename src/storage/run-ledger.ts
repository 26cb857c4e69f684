import type { Interval, UnixMillis } from '../core/index.ts';
import type { OutboxEntry } from './outbox.ts';

/**
 * queued: claimed, not started. running. ok. failed, interrupted: how the last attempt ended; another one follows while
 * `nextAttempt` is set. missed: its time passed. skipped: by the policy of the job.
 */
export type RunState = 'queued' | 'running' | 'ok' | 'failed' | 'interrupted' | 'missed' | 'skipped';

/**
 * Why a run exists. schedule: its slot was due. catchup: its slot was due while no daemon ran. needed: another run
 * needs its data.
 */
export type RunTrigger = 'schedule' | 'catchup' | 'hand' | 'backfill' | 'needed';

/** The key of a run. Slot in milliseconds UTC. */
export type RunKey = { readonly job: string; readonly slot: UnixMillis };

/** What happened to a run and can cause a notification to operators. `good`: it succeeded on complete data. */
export type RunEvent = 'failed' | 'late' | 'missed' | 'suspended' | 'good';

/** One row a (job, slot). All times in milliseconds UTC. */
export type LedgerRun = RunKey & {
  readonly account: string;
  readonly trigger: RunTrigger;
  /** The version of the job's schedule that the slot belongs to. */
  readonly version: number;
  readonly state: RunState;
  /** The data interval of the run, fixed when the slot is claimed. */
  readonly interval: Interval<UnixMillis>;
  /** The last slot of a row that covers a range of missed slots, too many for one row each. */
  readonly through?: UnixMillis | undefined;
  /** The number of started attempts. */
  readonly attempts: number;
  /** Earliest start of the next attempt; omitted while the run is running and when no attempt follows. */
  readonly nextAttempt?: UnixMillis | undefined;
  readonly claimedAt: UnixMillis;
  /** Start of the last attempt. */
  readonly startedAt?: UnixMillis;
  /** End of the last attempt, or the moment when the run was closed without another one. */
  readonly endedAt?: UnixMillis;
  /** Of the catalogue, for failed attempts. */
  readonly code?: string | undefined;
  /** The reason for its state, redacted: the error, or why it was missed or skipped. */
  readonly reason?: string;
  /** One line about what a successful run did. */
  readonly summary?: string;
  /** Set until `noteOutages` has noted it. */
  readonly event?: RunEvent | undefined;
};

export type LedgerAttempt = RunKey & {
  /** From 1. */
  readonly attempt: number;
  readonly startedAt: UnixMillis;
  readonly endedAt?: UnixMillis;
  readonly state: 'running' | 'ok' | 'failed' | 'interrupted';
  readonly code?: string | undefined;
  readonly reason?: string;
};

/** Up to where the slots of a job are claimed. */
export type JobCursor = {
  readonly job: string;
  /** From 1; editing a schedule begins a new one. */
  readonly version: number;
  /** Expression, zone and day rule of this version, as JSON, from which slots before an edit can still be computed. */
  readonly schedule: string;
  /** Every slot up to and at this moment has its row. */
  readonly claimedThrough: UnixMillis;
};

/** What one cycle of the loop writes for one job: rows and cursor are stored together or not at all. */
export type Claim = {
  /** Omitted for runs without a schedule: the cursor, if there is one, stays unchanged. */
  readonly cursor?: JobCursor;
  readonly runs: readonly LedgerRun[];
  /**
   * Only with a cursor. The clock was set back to this moment: rows of this job that never ran (missed, skipped, queued
   * without an attempt) with a later slot are removed before `runs` are stored, since they become due again.
   */
  readonly reopenedAfter?: UnixMillis;
};

/** How an attempt ended. With `nextAttempt` the run stays open. */
export type AttemptEnd = RunKey & {
  readonly state: 'ok' | 'failed' | 'interrupted';
  readonly at: UnixMillis;
  readonly code?: string | undefined;
  readonly reason?: string;
  readonly summary?: string;
  readonly nextAttempt?: UnixMillis | undefined;
  readonly event?: RunEvent | undefined;
};

/** A run that closes without another attempt: missed, skipped, or given up between two attempts. */
export type RunClosing = RunKey & {
  readonly state: 'missed' | 'skipped' | 'failed' | 'interrupted';
  readonly at: UnixMillis;
  readonly code?: string | undefined;
  readonly reason: string;
  readonly event?: RunEvent | undefined;
};

/** A run to begin. `late` describes the data that is late, if it runs without it: an event. */
export type RunBegin = RunKey & { readonly late?: string | undefined };

/** An outage of a job: opened by its first failed, late or missed run, closed by the next successful one. */
export type JobOutage = {
  readonly job: string;
  /** The slot that opened it. */
  readonly slot: UnixMillis;
  readonly openedAt: UnixMillis;
};

/**
 * Why an attempt ended whose process could not record it. run-stopped: by an ordered stop. lease-lost: the process lost the
 * leases or the database.
 */
export type UnrecordedEnd = RunKey & {
  readonly attempt: number;
  readonly code: 'run-stopped' | 'lease-lost';
};

export type OrderedStops = RunKey & { readonly stops: number };

/** `span` is the position of the span in the request. */
export type RunOutcomes = {
  readonly job: string;
  readonly span: number;
  readonly state: RunState;
  readonly runs: number;
};

export type OutageChange = {
  readonly opened: readonly JobOutage[];
  readonly closed: readonly string[];
  /** Runs whose events the change is about. */
  readonly noted: readonly RunKey[];
  readonly mails: readonly OutboxEntry[];
};

/** The ledger of runs. Every method is one transaction. */
export type RunLedger = {
  readonly cursors: () => Promise<readonly JobCursor[]>;
  /**
   * Writes many claims in one transaction and returns the new rows. An existing row stays unchanged and is not
   * returned: a slot is claimed once. All reopening precedes all rows. A row with `through` gives up its first slot to
   * a run requested for exactly this slot (hand, backfill, needed), and begins a millisecond later.
   */
  readonly claim: (claims: readonly Claim[]) => Promise<readonly LedgerRun[]>;
  /** Removes the cursors of jobs that are no longer declared; a job that returns starts again. */
  readonly forget: (jobs: readonly string[]) => Promise<void>;
  /** Runs that are not over: queued, running, or with another attempt due; by slot, then job. */
  readonly open: () => Promise<readonly LedgerRun[]>;
  readonly find: (key: RunKey) => Promise<LedgerRun | undefined>;
  /**
   * Reopens a run that is over for one more attempt (state queued, next attempt at `at`), whatever its outcome;
   * `trigger` and interval stay. Undefined for a run that does not exist or is not over, and for a row with `through`:
   * claim its slot instead.
   */
  readonly reopen: (key: RunKey, at: UnixMillis) => Promise<LedgerRun | undefined>;
  /**
   * Marks runs as running, counts the attempt and writes its row. Journal before effect: call it before the run begins.
   * @throws fault warehouse-failed when one of them does not wait for an attempt; then none begins.
   */
  readonly begin: (runs: readonly RunBegin[], at: UnixMillis) => Promise<void>;
  /** Notes why attempts ended that are recorded as running still, or as ended for an unknown reason. */
  readonly noteEnds: (ends: readonly UnrecordedEnd[]) => Promise<void>;
  /** Ends the running attempts; runs without one stay unchanged. */
  readonly end: (ends: readonly AttemptEnd[]) => Promise<void>;
  /** Closes waiting runs; others stay unchanged. */
  readonly close: (closings: readonly RunClosing[]) => Promise<void>;
  /** Newest slot first. */
  readonly list: (query: {
    readonly job?: string | undefined;
    readonly states?: readonly RunState[] | undefined;
    readonly limit: number;
  }) => Promise<readonly LedgerRun[]>;
  /** Every attempt of the runs given, in order. */
  readonly attempts: (keys: readonly RunKey[]) => Promise<readonly LedgerAttempt[]>;
  /** The last run of each job that had an attempt, by job. */
  readonly latest: () => Promise<readonly LedgerRun[]>;
  /** For each job whose latest end is no success: its last run that ended unsuccessfully and is not retried; by job. */
  readonly failures: () => Promise<readonly LedgerRun[]>;
  /** How many attempts of each job ended with the process since its last successful one; jobs without any are omitted. */
  readonly processEnds: () => Promise<ReadonlyMap<string, number>>;
  /** Runs of which attempts ended by an ordered stop of the process, and how many; by slot, then job. */
  readonly orderedStops: () => Promise<readonly OrderedStops[]>;
  /** When the last successful run of each job ended, by job. */
  readonly goodEnds: () => Promise<ReadonlyMap<string, UnixMillis>>;
  /** End of the data interval of a job's latest successful run; undefined when none succeeded. */
  readonly goodThrough: (job: string) => Promise<UnixMillis | undefined>;
  /**
   * For each job of which no run ever had an attempt: its first slot that was missed, or is still queued although its
   * attempt was due before the moment. Jobs without one are omitted.
   */
  readonly neverRan: (dueBefore: UnixMillis) => Promise<ReadonlyMap<string, UnixMillis>>;
  /** Numbers of runs by job, span and state, of the slots in each span; a row with `through` counts in each that it covers. */
  readonly outcomes: (spans: readonly Interval<UnixMillis>[]) => Promise<readonly RunOutcomes[]>;
  /** By job. */
  readonly outages: () => Promise<readonly JobOutage[]>;
  /** Runs with an event, in the order of their events. */
  readonly events: () => Promise<readonly LedgerRun[]>;
  /** Closes outages, then opens others; an open one stays as it was opened. Removes events, and queues the mails. */
  readonly noteOutages: (change: OutageChange) => Promise<void>;
  /**
   * Removes runs that are over, with their attempts, whose slot (or last slot) is before the moment. Returns their
   * number.
   */
  readonly trim: (before: UnixMillis) => Promise<number>;
};
