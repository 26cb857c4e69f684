import type { Fault } from '../core/index.ts';
import type { OutboxRow } from '../storage/index.ts';
import type { SendOutcome } from './channels/smtp/transport.ts';

/** Reserved: rows of mail servers have this route name. */
export const mailRouteName = 'mail';

/**
 * The outcome of an attempt. `closed` accompanies `deferred`: the other side accepts nothing now (it is unreachable, or refuses
 * the login), so the other rows of the route are deferred without an attempt.
 */
export type RouteOutcome =
  | SendOutcome
  | { readonly state: 'deferred'; readonly fault: Fault; readonly closed: true };

/** One pass over a route; attempts are sequential. */
export type OutboxLine = {
  /**
   * Transmits exactly these bytes, once, without a retry. Never rejects: the outcome is a value. `sent` only when the other side
   * confirms it; `deferred` only when it certainly does not have it (a fault's `retryAfter` is respected); `unknown` when it
   * may have it. An abort has no effect once everything is transmitted: the worker then waits for a limited time.
   */
  readonly send: (row: OutboxRow, bytes: Buffer, signal?: AbortSignal) => Promise<RouteOutcome>;
  /** Closes connections at the end of a pass, or when the wait for an answer ends. */
  readonly close?: () => void;
};

/** At most `count` attempts in any span of `per` milliseconds. */
export type Rate = { readonly count: number; readonly per: number };

export type OutboxRoute = {
  readonly name: string;
  readonly rate?: Rate | undefined;
  /** Opens no connection; several passes may run concurrently. */
  readonly begin: () => OutboxLine;
};
