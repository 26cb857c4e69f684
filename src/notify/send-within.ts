import { fault, messageOf, type Clock } from '../core/index.ts';
import type { OutboxRow } from '../storage/index.ts';
import type { OutboxLine, RouteOutcome } from './route.ts';

export type StopDeps = {
  readonly clock: Clock;
  /** Milliseconds to wait for the answer to a transmitted message once the pass is stopped. */
  readonly grace: number;
};

const stopped = (row: OutboxRow): RouteOutcome => ({
  state: 'unknown',
  fault: fault(
    'mail-outcome-unknown',
    `stopped before the receiver confirmed the message transmitted for ${row.recipient}`,
  ),
});

const broken = (row: OutboxRow, error: unknown): RouteOutcome => ({
  state: 'unknown',
  fault: fault('mail-outcome-unknown', `the route ${row.route} failed: ${messageOf(error)}`, {
    cause: error,
  }),
});

/** The outcome of the attempt, or `unknown` when the grace period after a stop has passed. */
export const sendWithin = async (
  line: OutboxLine,
  row: OutboxRow,
  bytes: Buffer,
  { clock, grace }: StopDeps,
  signal: AbortSignal | undefined,
): Promise<RouteOutcome> => {
  const sending = line.send(row, bytes, signal).catch((error: unknown) => broken(row, error));
  if (signal === undefined) return sending;
  const ended = new AbortController();
  const tooLong = new Promise<RouteOutcome>((resolve) => {
    const onAbort = (): void => {
      const limit = clock.limit(grace);
      const giveUp = (): void => resolve(stopped(row));
      limit.signal.addEventListener('abort', giveUp, { once: true });
      ended.signal.addEventListener('abort', () => limit[Symbol.dispose](), { once: true });
      if (limit.signal.aborted) giveUp();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: ended.signal });
  });
  try {
    return await Promise.race([sending, tooLong]);
  } finally {
    ended.abort();
  }
};
