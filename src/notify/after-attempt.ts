import { minuteMillis, hourMillis, hasCode, unixMillis, type UnixMillis } from '../core/index.ts';
import type { OutboxRow } from '../storage/index.ts';
import type { RouteOutcome } from './route.ts';

/** As long as RFC 5321 4.5.4.1 has senders try: mail servers that are down for days lose nothing. */
export const giveUpAfter = 5 * 24 * hourMillis;

/** Milliseconds before the first and the second time that a mail of unknown outcome is sent again; there is no third. */
const afterDoubt: readonly number[] = [5 * minuteMillis, 30 * minuteMillis];

/** A quarter more or less, so that what was put off together does not come back together. `random`: 0 to 1. */
const jittered = (wait: number, random: () => number): number => Math.round(wait * (0.75 + random() / 2));

/** About a minute after the first attempt, doubling to about an hour. */
export const backoffAfter = (attempts: number, random: () => number): number =>
  jittered(Math.min(hourMillis, minuteMillis * 2 ** Math.min(Math.max(attempts, 1) - 1, 10)), random);

export type Verdict = {
  readonly state: 'sent' | 'deferred' | 'failed' | 'unknown';
  /** When it is tried again; missing when it is not. */
  readonly nextAttempt?: UnixMillis | undefined;
  readonly error?: string | undefined;
  /** Whether this very attempt may or may not have arrived. */
  readonly doubt: boolean;
};

export type Moment = { readonly at: UnixMillis; readonly random: () => number };

const mayHaveArrived = 'an earlier attempt may have arrived';

/** What becomes of a row after an attempt that ended so. What may have arrived is never said to have failed. */
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
  const isOver = outcome.state === 'failed' || at - row.triedFrom >= giveUpAfter;
  if (isOver) {
    const message =
      outcome.state === 'failed' ? fault.message : `abandoned after 5 days; last attempt: ${fault.message}`;
    return row.doubts === 0
      ? { state: 'failed', error: message, doubt: false }
      : { state: 'unknown', error: `${message}; ${mayHaveArrived}`, doubt: false };
  }
  // An attempt that we stopped ourselves says nothing of the server.
  const isOurs: boolean = hasCode(fault, 'aborted');
  const left = row.triedFrom + giveUpAfter - at;
  const asked = Math.min(fault.retryAfter ?? 0, left);
  const wait = isOurs ? 0 : Math.max(backoffAfter(row.attempts, random), asked);
  return { state: 'deferred', nextAttempt: unixMillis(at + wait), error: fault.message, doubt: false };
};
