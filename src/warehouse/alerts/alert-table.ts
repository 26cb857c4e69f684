import type { LocalDate, UnixMillis } from '../../core/index.ts';
import type { OutboxEntry } from '../../storage/index.ts';

/** An alert that was raised. `period` is the start of the period, or the moment at which it was raised. */
export type StoredAlert = {
  readonly alert: string;
  readonly level: string;
  readonly period: string;
  readonly state: 'firing' | 'recovered' | 'ended';
  readonly raisedAt: UnixMillis;
  readonly recoveredAt?: UnixMillis | undefined;
};

/** What the last evaluation found; `status` is JSON of the module that evaluates. */
export type AlertStatus = {
  readonly account: string;
  readonly alert: string;
  readonly status: string;
  readonly evaluatedAt: UnixMillis;
  /** Since when its state has been unknown without a break. */
  readonly unknownSince?: UnixMillis | undefined;
};

export type AlertMute = {
  readonly account: string;
  readonly alert: string;
  /** Notifications are suppressed before this moment. */
  readonly until: UnixMillis;
  readonly mutedAt: UnixMillis;
  readonly by: string;
  readonly reason?: string | undefined;
};

/** A person who has seen an alert, and the alerts of its kind that fired then. */
export type AlertAcknowledgement = {
  readonly account: string;
  readonly alert: string;
  readonly at: UnixMillis;
  readonly by: string;
  readonly reason?: string | undefined;
};

/** Days that a person knows to be unusual, in the zone of what is judged; both ends are included, `2026-11-27`. */
export type ExpectedEntry = {
  readonly account: string;
  readonly first: LocalDate;
  readonly last: LocalDate;
  readonly reason: string;
  readonly by: string;
  readonly at: UnixMillis;
};

/** What a person did, as the audit records it, or what happened to an alert. */
export type AlertLogEntry = {
  readonly at: UnixMillis;
  readonly account: string;
  /** Empty for what no person did. */
  readonly by: string;
  readonly action: 'mute' | 'unmute' | 'acknowledge' | 'expect' | 'forget' | 'raised' | 'recovered' | 'ended';
  /** The name of the alert. */
  readonly subject: string;
  readonly detail: string;
};

export type AlertDecisionInput = {
  readonly records: readonly StoredAlert[];
  readonly mutes: readonly AlertMute[];
};

export type AlertWrites = {
  /** Raised or recovered alerts; each replaces the record with the same alert, level and period. */
  readonly records: readonly StoredAlert[];
  readonly mails: readonly OutboxEntry[];
};

/** Moments in milliseconds UTC. */
export type AlertTable = {
  /**
   * Calls `decide` with the records of these alerts and the mutes that apply, and writes what it returns in one
   * transaction. If another evaluation has changed them by then, nothing is written, and `decide` is called again.
   */
  readonly decide: (
    account: string,
    alerts: readonly string[],
    now: UnixMillis,
    decide: (input: AlertDecisionInput) => Promise<AlertWrites>,
  ) => Promise<void>;
  /** Replaces the statuses of these alerts, and removes those of `gone`. */
  readonly putStatus: (
    account: string,
    statuses: readonly Omit<AlertStatus, 'account'>[],
    gone: readonly string[],
  ) => Promise<void>;
  /** Of one account, or of all. */
  readonly statuses: (account?: string) => Promise<readonly AlertStatus[]>;
  /** Alerts that fire. */
  readonly firing: () => Promise<readonly (StoredAlert & { readonly account: string })[]>;
  /** All alerts of an account that are kept. */
  readonly records: (account: string) => Promise<readonly StoredAlert[]>;
  readonly mutes: (now: UnixMillis) => Promise<readonly AlertMute[]>;
  readonly mute: (mute: AlertMute) => Promise<void>;
  /** False if it is not muted. */
  readonly unmute: (account: string, alert: string, by: string, at: UnixMillis) => Promise<boolean>;
  readonly acknowledge: (acknowledgement: AlertAcknowledgement) => Promise<void>;
  /** Replaces the entry of the same days. */
  readonly expect: (entry: ExpectedEntry) => Promise<void>;
  /** False if the days are not expected. */
  readonly forget: (
    days: Pick<ExpectedEntry, 'account' | 'first' | 'last'>,
    by: string,
    at: UnixMillis,
  ) => Promise<boolean>;
  /** Of one account, or of all; the earliest days first. */
  readonly expected: (account?: string) => Promise<readonly ExpectedEntry[]>;
  /** Whether anything was done in this name. */
  readonly hasActed: (by: string) => Promise<boolean>;
  /** Records the end of a login until it would have expired. */
  readonly logOut: (by: string, at: UnixMillis, expiresAt: UnixMillis) => Promise<void>;
  readonly acknowledgements: () => Promise<readonly AlertAcknowledgement[]>;
  /** Removes alerts that recovered or ended before the moment; returns their number. */
  readonly trim: (before: UnixMillis) => Promise<number>;
  /** What happened to alerts and what people did about them, newest first. */
  readonly log: (limit: number) => Promise<readonly AlertLogEntry[]>;
};
