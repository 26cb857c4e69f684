import type { Interval, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/** An unreadable row of an export. */
export type BadRow = {
  /** Its line in the export, counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly reason: string;
  /** Its time, if readable; otherwise it may belong to any second of the window. */
  readonly at?: UnixSeconds | undefined;
  /** Its amount as served, if readable. */
  readonly amount?: Money | undefined;
};

/** A row in quarantine: no later landing has covered its time. */
export type QuarantinedRow = Pick<BadRow, 'line' | 'text' | 'reason'> & {
  /** The window whose export contained it. */
  readonly window: Interval<UnixSeconds>;
  /** The time range that it may belong to. */
  readonly range: Interval<UnixSeconds>;
  readonly landedAt: UnixMillis;
};
