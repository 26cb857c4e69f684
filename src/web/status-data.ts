import type { Interval, Money, UnixMillis } from '../core/index.ts';

/** The newest comparison of the call log with one source. */
export type ComparedView = {
  readonly source: string;
  readonly range: Interval<UnixMillis>;
  readonly gap: Money;
  readonly unit: string;
  readonly verdict: string;
  /** Unexplained or truncated: a person has to look. */
  readonly bad: boolean;
  readonly text: string;
  readonly comparedAt: UnixMillis;
};

/** A gap between the log and a source that a pull found and that is not healed. */
export type GapView = {
  readonly source: string;
  readonly range: Interval<UnixMillis>;
  readonly gap: Money;
  readonly unit: string;
  readonly verdict: string;
  readonly text: string;
  /** `passed`: later time agrees with the source again. */
  readonly state: 'open' | 'passed';
  readonly notedAt: UnixMillis;
};

/** What is there of an account. */
export type AccountView = {
  readonly account: string;
  /** The call log that pulls have covered without a gap. */
  readonly log?: Interval<UnixMillis>;
  /** Jobs that bring data, and how far; `reached` is missing where not all of it was ever pulled. */
  readonly sources: readonly {
    readonly job: string;
    readonly kind: string;
    readonly watermark?: UnixMillis | undefined;
  }[];
  readonly compared: readonly ComparedView[];
  /** The newest first. */
  readonly gaps: readonly GapView[];
  /** Gaps beyond those. */
  readonly moreGaps: number;
};

/** A report in the archive. */
export type KeptReportView = {
  readonly job: string;
  readonly part?: string | undefined;
  readonly slot: UnixMillis;
  readonly zone: string;
  readonly subject: string;
  /** The period in the words of the report. */
  readonly period: string;
  readonly builtAt: UnixMillis;
  /** How its sums compare with the gateway's own. */
  readonly verdict: { readonly text: string; readonly good: boolean };
  /** Its folder in the archive: `daily-spend/20261121T070000.000Z`. */
  readonly place: string;
};

export type KeptReportsView = {
  /** The newest slots first. */
  readonly newest: readonly KeptReportView[];
  /** Why not all can be told of. */
  readonly problem?: string | undefined;
};

/** A rotation of a key that is not over. */
export type OpenRotationView = {
  readonly account: string;
  readonly service: string;
  readonly stage: string;
  readonly since: UnixMillis;
  /** One sentence: what it waits for, or what is wrong and what to do. */
  readonly message: string;
  readonly old?: { readonly keyId: number; readonly name: string } | undefined;
  readonly candidate?: { readonly keyId: number; readonly name: string };
  /** Failed tries of the step it stands before. */
  readonly tries: number;
  /** Of so many in a row, before it waits for a person. */
  readonly triesAllowed?: number;
  /** When a step that failed is tried again at the earliest; missing where none failed, and where a person is waited for. */
  readonly nextTry?: UnixMillis;
  /** Its old key should be gone by now and is still used, or may be: only a person can end that. */
  readonly escalated?: boolean;
  /** Its old key stays because a place may hold it: only a person can end that. */
  readonly isHeldByPlace?: boolean;
};

/** An account whose gateway has another time than this host: what is wrong and what to do. */
export type ClockProblemView = { readonly account: string; readonly message: string };

/** A sink that was read to hold a key which the gateway no longer accepts. */
export type DeadKeyView = {
  readonly account: string;
  readonly service: string;
  readonly place: string;
  readonly name: string;
  readonly state: 'deleted' | 'expired' | 'disabled';
  /** When the sink was read. */
  readonly since: UnixMillis;
};

/** A service whose journal is older than the gateway or its sinks: no key of it is written. */
export type OutdatedServiceView = {
  readonly account: string;
  readonly service: string;
  readonly since: UnixMillis;
  /** What the journal does not know of, in sentences. */
  readonly differences: readonly string[];
};

/** Why nothing is done to keys, and what to do. */
export type KeyProblemView = { readonly code: string; readonly message: string; readonly advice: string };
