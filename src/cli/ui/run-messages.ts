import { runTones, type RunView } from '../../app/index.ts';
import { localMoment } from './moment.ts';
import type { Cell } from './table.ts';
import { describeDuration, describeUntil } from './messages.ts';

export const stateCell = (state: RunView['state']): Cell => ({ text: state, style: runTones[state] });

/** The reason of the state: `gateway-unreachable: 127.0.0.1 …`, or the summary of a successful run. */
export const describeReason = ({
  code,
  reason,
  summary,
}: {
  readonly code?: string | undefined;
  readonly reason?: string;
  readonly summary?: string;
}): string => {
  if (reason !== undefined) return code === undefined ? reason : `${code}: ${reason}`;
  return code ?? summary ?? '';
};

/** Duration of the attempt, up to now if it runs; empty without an attempt. */
export const describeElapsed = (
  attempt: { readonly startedAt: number; readonly endedAt?: number; readonly state: string } | undefined,
  now: number,
): string => {
  if (attempt === undefined) return '';
  if (attempt.endedAt !== undefined) return describeDuration(attempt.endedAt - attempt.startedAt);
  return attempt.state === 'running' ? `${describeDuration(now - attempt.startedAt)} so far` : '';
};

/** `2026-11-21 08:40 (in 4 min)`. */
const describeAhead = (moment: RunView['slot'], zone: string, now: number): string =>
  `${localMoment(moment, zone)} (${describeUntil(moment, now)})`;

/** What a queued run waits for; undefined when it runs or has ended. */
export const describeWait = (run: RunView, now: number): string | undefined => {
  if (run.nextAttempt !== undefined && run.nextAttempt > now) {
    const what = run.attempts.length === 0 ? 'begins' : 'next attempt';
    return `${what} ${describeAhead(run.nextAttempt, run.zone, now)}`;
  }
  if (run.waiting !== undefined) return `waiting for ${run.waiting}`;
  return run.nextAttempt === undefined ? undefined : 'about to start';
};
