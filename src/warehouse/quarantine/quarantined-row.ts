import type { Interval, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/** A row of an export that was put aside, since it can't be read. */
export type BadRow = {
  /** Its line in the export, counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly reason: string;
  /** Its time, where that can be read; else it may be of any second of the window. */
  readonly at?: UnixSeconds | undefined;
  /** Its amount as served, where that can be read. */
  readonly amount?: Money | undefined;
};

/** A row in quarantine: no later landing has covered its time. */
export type QuarantinedRow = Pick<BadRow, 'line' | 'text' | 'reason'> & {
  /** The window whose export it came in. */
  readonly window: Interval<UnixSeconds>;
  /** The time it may be of. */
  readonly range: Interval<UnixSeconds>;
  readonly landedAt: UnixMillis;
};
