import type { Interval, Money, UnixMillis } from '../core/index.ts';
import type { DeadKey, OutdatedService } from '../keys/index.ts';

export type ComparedView = {
  readonly source: string;
  readonly range: Interval<UnixMillis>;
  readonly gap: Money | 'unknown';
  readonly unit: string;
  readonly verdict: string;
  /** Unexplained or truncated: needs a person. */
  readonly bad: boolean;
  readonly text: string;
  readonly comparedAt: UnixMillis;
};

/** A gap between the log and a source that a pull found and nothing has closed. */
export type GapView = {
  readonly source: string;
  readonly range: Interval<UnixMillis>;
  readonly gap: Money | 'unknown';
  readonly unit: string;
  readonly verdict: string;
  readonly text: string;
  /** `passed`: later time agrees with the source again. */
  readonly state: 'open' | 'passed';
  readonly notedAt: UnixMillis;
};

/** The backups of all data. Times in milliseconds UTC. */
export type BackupView = {
  readonly taken: {
    readonly name: string;
    readonly target: string;
    readonly takenAt: UnixMillis;
    readonly bytes: number;
    readonly newBytes: number;
  };
  /** The newest one whose data was restored and found equal; missing before the first drill. */
  readonly restored?: { readonly name: string; readonly drilledAt: UnixMillis } | undefined;
};

export type AccountView = {
  readonly account: string;
  /** As configured, of the amounts that the account is charged. */
  readonly currency?: string;
  /** The part of the call log that pulls cover without a gap. */
  readonly log?: Interval<UnixMillis>;
  /** Jobs that pull data, with their watermark; `reached` is missing when a part was never pulled. */
  readonly sources: readonly {
    readonly job: string;
    readonly kind: string;
    readonly watermark?: UnixMillis | undefined;
  }[];
  readonly compared: readonly ComparedView[];
  /** Newest first. */
  readonly gaps: readonly GapView[];
  readonly moreGaps: number;
};

export type KeptReportView = {
  readonly job: string;
  readonly part?: string | undefined;
  readonly slot: UnixMillis;
  readonly zone: string;
  readonly subject: string;
  /** Label of the period in the report. */
  readonly period: string;
  readonly builtAt: UnixMillis;
  readonly verdict: { readonly text: string; readonly good: boolean };
  /** Its folder in the archive: `daily-spend/20261121T070000.000Z`. */
  readonly place: string;
};

export type KeptReportsView = {
  /** Newest slot first. */
  readonly newest: readonly KeptReportView[];
  readonly problem?: string | undefined;
};

/** An account whose gateway's clock deviates from this host's: the problem and the next step. */
export type ClockProblemView = { readonly account: string; readonly message: string };

export type DeadKeyView = DeadKey & { readonly account: string };

export type OutdatedServiceView = OutdatedService & { readonly account: string };

/** Why all work on keys is stopped, and the next step. */
export type KeyProblemView = { readonly code: string; readonly message: string; readonly advice: string };
