import {
  interval,
  toMillis,
  toSeconds,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { quietEvidence } from '../events/notices.ts';
import type { ClockProblem, HoldFacts } from '../model/event-fields.ts';
import { maxLag } from '../model/lag.ts';
import type { LogCompleteness } from '../model/ports.ts';
import type { RetireTerms } from '../model/terms.ts';
import { clockSkew } from '../plan/clock-skew.ts';
import { sumOfUses, type NamedUse } from './named-uses.ts';

/** All facts that decide the retirement of an old key. Times in milliseconds UTC on the gateway's clock, which stamps calls. */
export type RetireFacts = {
  readonly now: UnixMillis;
  /** IANA time zone of times in messages. */
  readonly zone: string;
  readonly cutover: UnixMillis;
  readonly retire: RetireTerms;
  /** Every name that the old key had since the cutover, the name in the journal first. */
  readonly oldNames: readonly string[];
  readonly newName: string;
  /** A wrong clock, which prevents any proof. */
  readonly clockProblem?: ClockProblem;
  readonly newIsDead?: 'disabled' | 'expired' | 'exhausted' | undefined;
  readonly complete: LogCompleteness;
  /**
   * Calls by the old key under each of its names, from the start of the idle time up to now; since the cutover while the idle time does not fit after
   * it.
   */
  readonly oldUses?: readonly NamedUse[] | undefined;
  /** Calls by the successor that are not our own, up to the end of the complete log. */
  readonly newUses?: readonly NamedUse[] | undefined;
  /** Other keys that had a name of either key since the cutover. */
  readonly nameCollisions: readonly number[];
  /** A name that both keys had since the cutover, one after the other. */
  readonly sharedName?: string | undefined;
};

export type RetireVerdict =
  | { readonly verdict: 'go'; readonly range: Interval<UnixMillis>; readonly evidence: string }
  /** The old key has not been idle for long enough. */
  | { readonly verdict: 'wait' }
  | { readonly verdict: 'hold'; readonly why: HoldFacts; readonly escalate: boolean };

/** The end of the complete part of the log. */
export const knownEnd = (complete: LogCompleteness, now: UnixMillis): UnixSeconds | undefined =>
  complete.complete ? toSeconds(now) : complete.through;

/** The idle time that decides about the old key; undefined while it does not lie after the cutover. */
export const idleRange = (
  cutover: UnixMillis,
  quiet: number,
  end: UnixSeconds | undefined,
): Interval<UnixSeconds> | undefined => {
  if (end === undefined) return undefined;
  const start = end - Math.ceil(quiet / 1000);
  // A second that began before the cutover may contain earlier calls.
  return start >= Math.ceil(cutover / 1000) ? interval(unixSeconds(start), end) : undefined;
};

/**
 * The time from which calls by the successor are those of its consumer: a clock that runs ahead stamps our own verification before the cutover up to
 * this much later.
 */
export const resumedFrom = (cutover: UnixMillis, quiet: number): UnixSeconds =>
  unixSeconds(Math.ceil((cutover + Math.min(clockSkew, quiet / 2)) / 1000));

/** The names that were called, if others than its own were. */
export const namesCalled = (name: string, uses: readonly NamedUse[]): readonly string[] => {
  const called = uses.flatMap((one) => (one.use.calls > 0 ? [one.name] : []));
  return called.every((one) => one === name) ? [] : called;
};

/**
 * Judges whether the old key may end. It may when the log is complete through the idle time and shows calls by the new key and none by the old one
 * under any of its names, and no other key had one of their names, because log rows carry names. Past `max_overlap` an idle key ends even if the new
 * one is idle too; everything else escalates to the operators. Pure.
 */
export const judgeRetirement = (facts: RetireFacts): RetireVerdict => {
  const { now, zone, cutover, retire, complete, newName, oldUses, newUses, sharedName } = facts;
  const [oldName = '', ...otherNames] = facts.oldNames;
  const oldUse = oldUses && sumOfUses(oldUses);
  const newUse = newUses && sumOfUses(newUses);
  const isPast = retire.maxOverlap !== undefined && now >= cutover + retire.maxOverlap;
  const end = knownEnd(complete, now);
  const range = idleRange(cutover, retire.quiet, end);
  const hold = (why: HoldFacts): RetireVerdict => ({ verdict: 'hold', why, escalate: isPast });
  if (facts.newIsDead !== undefined)
    return hold({ reason: 'successor-dead', successor: newName, state: facts.newIsDead });
  if (facts.nameCollisions.length > 0)
    return hold({ reason: 'name-shared', successor: newName, ids: facts.nameCollisions });
  if (sharedName !== undefined)
    return hold({ reason: 'name-shared', successor: newName, ids: [], shared: sharedName });
  if (facts.clockProblem !== undefined)
    // Does not escalate: the clock is at fault, not the key, and the hold ends with the skew.
    return {
      verdict: 'hold',
      why: { reason: 'clock-skew', problem: facts.clockProblem },
      escalate: false,
    };
  const lag = end === undefined ? Number.POSITIVE_INFINITY : now - toMillis(end);
  const isUsed = oldUse !== undefined && oldUse.calls > 0;
  // A very recent call is more informative than an incomplete log.
  const isUsedNow = isUsed && (oldUse.lastCall ?? 0) * 1000 >= now - retire.quiet;
  if (lag > maxLag(retire.quiet) && !isUsedNow)
    return hold({
      reason: 'log-incomplete',
      why: complete.complete ? '' : complete.why,
      lag: maxLag(retire.quiet),
    });
  if (isUsed) return hold({ reason: 'used', use: oldUse, names: namesCalled(oldName, oldUses ?? []) });
  if (range === undefined || oldUse === undefined || newUse === undefined || end === undefined)
    return { verdict: 'wait' };
  if (newUse.calls === 0 && !isPast) return hold({ reason: 'successor-unused', successor: newName });
  const both = interval(toMillis(range.start), toMillis(range.end));
  return {
    verdict: 'go',
    range: both,
    evidence: quietEvidence({ oldName, otherNames, newName, calls: newUse.calls, range }, zone),
  };
};
