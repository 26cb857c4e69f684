import type { Interval, UnixMillis } from '../../core/index.ts';

/**
 * queued: claimed, not begun. running. ok. failed, interrupted: how the last attempt ended; another one is to come while
 * `nextAttempt` is set. missed: its time went by. skipped: its policy passed it over.
 */
export type RunState = 'queued' | 'running' | 'ok' | 'failed' | 'interrupted' | 'missed' | 'skipped';

/** Why a run is there. schedule: its slot came. catchup: its slot came while nobody was awake. needed: another run needs its data. */
export type RunTrigger = 'schedule' | 'catchup' | 'hand' | 'backfill' | 'needed';

/** The key of a run. Slot in milliseconds UTC. */
export type RunKey = { readonly job: string; readonly slot: UnixMillis };

/** One row a (job, slot). All times in milliseconds UTC. */
export type LedgerRun = RunKey & {
  readonly account: string;
  readonly trigger: RunTrigger;
  /** Which version of the job's schedule the slot is of. */
  readonly version: number;
  readonly state: RunState;
  /** The data that the run is about, fixed when the slot is claimed. */
  readonly interval: Interval<UnixMillis>;
  /** The last slot of a row that stands for a whole span of missed slots, too many for a row each. */
  readonly through?: UnixMillis | undefined;
  /** How many attempts have begun. */
  readonly attempts: number;
  /** Earliest moment of the next attempt; missing while it runs and when there is none to come. */
  readonly nextAttempt?: UnixMillis | undefined;
  readonly claimedAt: UnixMillis;
  /** Start of the last attempt. */
  readonly startedAt?: UnixMillis;
  /** End of the last attempt, or the moment it was decided that there is to be none. */
  readonly endedAt?: UnixMillis;
  /** Of the catalogue, for failed attempts. */
  readonly code?: string | undefined;
  /** Why it is in its state, in redacted words: the error, or why it was missed or skipped. */
  readonly reason?: string;
  /** What a good run did, in one line. */
  readonly summary?: string;
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
  /** From 1; a schedule that is edited begins a new one. */
  readonly version: number;
  /** Expression, zone and day rule of this version, as JSON: with it slots that came before an edit can still be told. */
  readonly schedule: string;
  /** Every slot up to and at this moment has its row. */
  readonly claimedThrough: UnixMillis;
};

/** What one pass of the loop writes for one job: rows and cursor go together or not at all. */
export type Claim = {
  /** Left out for runs that no schedule asked for: the cursor, if there is one, stays where it is. */
  readonly cursor?: JobCursor;
  readonly runs: readonly LedgerRun[];
  /**
   * Only with a cursor. The clock was set back to this moment: rows of this job that never ran (missed, skipped, queued without an attempt) and
   * whose slot lies after it are taken out before `runs` are put in, since their time is yet to come.
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
};

/** A run that is closed without an attempt of its own: missed, skipped, or given up between two attempts. */
export type RunClosing = RunKey & {
  readonly state: 'missed' | 'skipped' | 'failed' | 'interrupted';
  readonly at: UnixMillis;
  readonly code?: string | undefined;
  readonly reason: string;
};

/** An outage of a job: opened by its first failed, late or missed run, closed by the next good one. */
export type JobOutage = {
  readonly job: string;
  /** The slot that opened it. */
  readonly slot: UnixMillis;
  readonly openedAt: UnixMillis;
};

/** The ledger of runs. Every method is one transaction. */
export type RunLedger = {
  readonly cursors: () => Promise<readonly JobCursor[]>;
  /**
   * Writes many claims in one transaction and gives the rows that were new. A row whose key is there already stays as it
   * is, and is not given back: a slot is claimed once. All that is reopened goes before all rows. A row with `through` gives
   * up its first slot to a run of just this slot that was asked for (hand, backfill, needed), and begins a millisecond later.
   */
  readonly claim: (claims: readonly Claim[]) => Promise<readonly LedgerRun[]>;
  /** Forgets the cursors of jobs that are no longer declared; a job that comes back begins again. */
  readonly forget: (jobs: readonly string[]) => Promise<void>;
  /** Runs that are not over: queued, running, or with another attempt to come; by slot, then job. */
  readonly open: () => Promise<readonly LedgerRun[]>;
  readonly find: (key: RunKey) => Promise<LedgerRun | undefined>;
  /**
   * Opens a run that is over for one more attempt (state queued, next attempt at `at`), whatever it ended as; `trigger` and
   * interval stay. Nothing for a run that is not there or not over, and for a row with `through`: claim its slot instead.
   */
  readonly reopen: (key: RunKey, at: UnixMillis) => Promise<LedgerRun | undefined>;
  /**
   * Marks runs as running, counts the attempt and writes its row. Journal before effect: called before the run begins.
   * @throws fault warehouse-failed when one of them does not wait for an attempt; then none has begun.
   */
  readonly begin: (keys: readonly RunKey[], at: UnixMillis) => Promise<void>;
  /** Ends the attempts under way; of runs that have none nothing changes. */
  readonly end: (ends: readonly AttemptEnd[]) => Promise<void>;
  /** Closes runs that wait; the others stay as they are. */
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
  /** Of each job whose newest end is no success: the run that ended last without one and is not retried; by job. */
  readonly failures: () => Promise<readonly LedgerRun[]>;
  /** When the last good run of each job ended, by job. */
  readonly goodEnds: () => Promise<ReadonlyMap<string, UnixMillis>>;
  /** End of the data interval of the latest good run of a job; nothing when it never ended well. */
  readonly goodThrough: (job: string) => Promise<UnixMillis | undefined>;
  readonly outages: () => Promise<readonly JobOutage[]>;
  /** Closes outages, then opens others; one that is open stays as it was opened. */
  readonly noteOutages: (change: {
    readonly opened: readonly JobOutage[];
    readonly closed: readonly string[];
  }) => Promise<void>;
  /** Removes runs that are over, and their attempts, whose slot (or last slot) lies before the moment. Gives how many. */
  readonly trim: (before: UnixMillis) => Promise<number>;
};
