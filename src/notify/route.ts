import type { Fault } from '../core/index.ts';
import type { OutboxRow } from '../storage/index.ts';
import type { SendOutcome } from './channels/smtp/transport.ts';

/** Rows of mail servers name their route so; other routes must be called otherwise. */
export const mailRouteName = 'mail';

/**
 * How an attempt over a route ended. `closed` is said with `deferred`: the other side takes nothing from anybody now (it
 * cannot be reached, the login is refused), so that the other rows of the route are put off without being tried.
 */
export type RouteOutcome =
  | SendOutcome
  | { readonly state: 'deferred'; readonly fault: Fault; readonly closed: true };

/** One pass over a route; attempts are made one after the other. */
export type OutboxLine = {
  /**
   * Transmits exactly these bytes, once: it never tries again by itself. Never rejects: how it ended is a value. `sent`
   * only when the other side has confirmed it; `deferred` only when it surely does not have it (the wait that a fault's
   * `retryAfter` asks for is kept); `unknown` when it may have it. Aborting has no effect once all is transmitted: the
   * worker then waits a while by itself.
   */
  readonly send: (row: OutboxRow, bytes: Buffer, signal?: AbortSignal) => Promise<RouteOutcome>;
  /** The pass is over, or an answer is no longer waited for: what is open is closed. */
  readonly close?: () => void;
};

/** At most `count` attempts in any span of `per` milliseconds. */
export type Rate = { readonly count: number; readonly per: number };

/** A route of the outbox: a mail server, a webhook. */
export type OutboxRoute = {
  /** As rows name it. */
  readonly name: string;
  readonly rate?: Rate | undefined;
  /** Opens nothing yet; several passes may be under way at once. */
  readonly begin: () => OutboxLine;
};
