import {
  formatMoment,
  interval,
  toMillis,
  toSeconds,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { HoldFacts } from '../model/alert.ts';
import type { KeyUse } from '../model/event-fields.ts';
import { maxLag } from '../model/lag.ts';
import type { LogCompleteness } from '../model/ports.ts';
import type { RetireTerms } from '../model/terms.ts';
import { clockSkew, lengthText } from '../plan/clock-skew.ts';
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
  /** Why a wrong clock prevents any proof, as a sentence. */
  readonly clockProblem?: string;
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
  | { readonly verdict: 'wait'; readonly message: string }
  | ({
      readonly verdict: 'hold';
      readonly message: string;
      readonly escalate: boolean;
      readonly use?: KeyUse;
    } & HoldFacts);

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

const calls = ({ calls: number }: KeyUse): string => `${number} ${number === 1 ? 'call' : 'calls'}`;

/** The most used models suffice to find the caller. */
const modelsNamed = 5;

/** The names that were called, if others than its own were. */
export const namesCalled = (name: string, uses: readonly NamedUse[]): readonly string[] => {
  const called = uses.flatMap((one) => (one.use.calls > 0 ? [one.name] : []));
  return called.every((one) => one === name) ? [] : called;
};

const describeCalled = (called: readonly string[]): string =>
  called.length === 0 ? '' : ` under its ${called.length === 1 ? 'name' : 'names'} ${called.join(' and ')}`;

export const describeUsed = (name: string, uses: readonly NamedUse[], use: KeyUse, zone: string): string => {
  const last = use.lastCall === undefined ? '' : `, the last at ${formatMoment(use.lastCall, zone)}`;
  const models = use.models.slice(0, modelsNamed).map(({ model, calls: number }) => `${model} (${number})`);
  const more = use.models.length - models.length;
  const listed = [...models, ...(more > 0 ? [`${more} more models`] : [])].join(', ');
  return `${name} is still in use${describeCalled(namesCalled(name, uses))}: ${calls(use)}${last}${listed === '' ? '' : `, of ${listed}`}`;
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
  const hold = (facts: HoldFacts, message: string): RetireVerdict => ({
    verdict: 'hold',
    message,
    escalate: isPast,
    ...facts,
  });
  if (facts.newIsDead !== undefined)
    return hold(
      { reason: 'successor-dead', successor: newName, state: facts.newIsDead },
      `${newName}, which every sink holds, is ${facts.newIsDead}: fix it at the gateway, or deliver another key with \`tollkeeper keys give-up\` and \`tollkeeper keys rotate\`; until then only ${oldName} works`,
    );
  if (facts.nameCollisions.length > 0)
    return hold(
      { reason: 'name-shared', successor: newName, ids: facts.nameCollisions },
      `other keys have had a name of ${oldName} or ${newName} since the cutover (ids ${facts.nameCollisions.join(', ')}): calls in the log cannot be attributed`,
    );
  if (sharedName !== undefined)
    return hold(
      { reason: 'name-shared', successor: newName, ids: [], shared: sharedName },
      `${oldName} and ${newName} have both had the name ${sharedName} since the cutover: calls in the log cannot be attributed`,
    );
  if (facts.clockProblem !== undefined)
    // Does not escalate: the clock is at fault, not the key, and the hold ends with the skew.
    return { verdict: 'hold', reason: 'clock-skew', message: facts.clockProblem, escalate: false };
  const lag = end === undefined ? Number.POSITIVE_INFINITY : now - toMillis(end);
  const why = complete.complete ? '' : complete.why;
  const isUsed = oldUse !== undefined && oldUse.calls > 0;
  // A very recent call is more informative than an incomplete log.
  const isUsedNow = isUsed && (oldUse.lastCall ?? 0) * 1000 >= now - retire.quiet;
  if (lag > maxLag(retire.quiet) && !isUsedNow)
    return hold(
      { reason: 'log-incomplete', why, lag: maxLag(retire.quiet) },
      `the call log is incomplete: ${why}. It must reach up to ${lengthText(maxLag(retire.quiet))} before now for this \`quiet\`: schedule \`pull-logs\` every ${lengthText(maxLag(retire.quiet) / 2)} or more often`,
    );
  if (isUsed)
    return hold(
      { reason: 'used', use: oldUse, names: namesCalled(oldName, oldUses ?? []) },
      describeUsed(oldName, oldUses ?? [], oldUse, zone),
    );
  if (range === undefined || oldUse === undefined || newUse === undefined || end === undefined)
    return { verdict: 'wait', message: `${oldName} has not been idle for long enough` };
  if (newUse.calls === 0 && !isPast)
    return hold(
      { reason: 'successor-unused', successor: newName },
      `${newName} has made no call since the cutover: it is unknown whether a consumer uses it`,
    );
  const both = interval(toMillis(range.start), toMillis(range.end));
  const taken =
    newUse.calls > 0
      ? `${calls(newUse)} by ${newName} since the cutover`
      : `no call by ${newName} either, and max_overlap has passed`;
  const also = otherNames.length === 0 ? '' : ` (also ${otherNames.join(', ')})`;
  return {
    verdict: 'go',
    range: both,
    evidence: `no call by ${oldName}${also} from ${formatMoment(range.start, zone)} to ${formatMoment(range.end, zone)} in a log that is complete for this time; ${taken}`,
  };
};
