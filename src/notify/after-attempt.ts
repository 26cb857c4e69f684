import { dayMillis, minuteMillis, hourMillis, hasCode, unixMillis, type UnixMillis } from '../core/index.ts';
import type { OutboxRow } from '../storage/index.ts';
import type { RouteOutcome } from './route.ts';

/** Milliseconds; the retry period of RFC 5321 4.5.4.1, so that a mail server may be down for days. */
export const giveUpAfter = 5 * dayMillis;

/** Milliseconds before the first and second retry after an unknown outcome; there is no third, since each may send a duplicate. */
const afterDoubt: readonly number[] = [5 * minuteMillis, 30 * minuteMillis];

/** Up to a quarter more or less, so that rows deferred together are not retried together. `random`: 0 to 1. */
const jittered = (wait: number, random: () => number): number => Math.round(wait * (0.75 + random() / 2));

/** About a minute after the first attempt, doubling to about an hour. */
export const backoffAfter = (attempts: number, random: () => number): number =>
  jittered(Math.min(hourMillis, minuteMillis * 2 ** Math.min(Math.max(attempts, 1) - 1, 10)), random);

export type Verdict = {
  readonly state: 'sent' | 'deferred' | 'failed' | 'unknown';
  /** Missing when there is no further attempt. */
  readonly nextAttempt?: UnixMillis | undefined;
  readonly error?: string | undefined;
  readonly doubt: boolean;
};

export type Moment = { readonly at: UnixMillis; readonly random: () => number };

const mayHaveArrived = 'an earlier attempt may have arrived';

/** The state of a row after an attempt. A message that may have arrived is never marked failed. */
export const afterAttempt = (
  row: Pick<OutboxRow, 'attempts' | 'doubts' | 'triedFrom'>,
  outcome: RouteOutcome,
  { at, random }: Moment,
): Verdict => {
  if (outcome.state === 'sent') return { state: 'sent', doubt: false };
  const { fault } = outcome;
  if (outcome.state === 'unknown') {
    const wait = afterDoubt[row.doubts];
    return wait === undefined
      ? {
          state: 'unknown',
          error: `${fault.message} (outcome of ${row.doubts + 1} attempts; it is not sent again)`,
          doubt: true,
        }
      : {
          state: 'unknown',
          nextAttempt: unixMillis(at + jittered(wait, random)),
          error: fault.message,
          doubt: true,
        };
  }
  // A server that refuses this machine says nothing about the mail, and accepts it once its name or address is set right.
  const mayWait = fault.code === 'mail-session-refused';
  const isOver = outcome.state === 'failed' || (!mayWait && at - row.triedFrom >= giveUpAfter);
  if (isOver) {
    const message =
      outcome.state === 'failed' ? fault.message : `abandoned after 5 days; last attempt: ${fault.message}`;
    return row.doubts === 0
      ? { state: 'failed', error: message, doubt: false }
      : { state: 'unknown', error: `${message}; ${mayHaveArrived}`, doubt: false };
  }
  // An attempt that Tollkeeper stopped says nothing about the server.
  const isOurs: boolean = hasCode(fault, 'aborted');
  const left = row.triedFrom + giveUpAfter - at;
  const asked = Math.min(fault.retryAfter ?? 0, left);
  const wait = isOurs ? 0 : Math.max(backoffAfter(row.attempts, random), asked);
  return { state: 'deferred', nextAttempt: unixMillis(at + wait), error: fault.message, doubt: false };
};
