import { formatMoment, interval, toMillis, toSeconds, unixSeconds } from '../../base/index.ts';
import type { Interval, UnixMillis, UnixSeconds } from '../../base/index.ts';
import type { KeyUse } from '../key-event.ts';
import type { LogCompleteness } from '../ports.ts';
import type { HoldReason } from '../rotation.ts';
import type { RetireTerms } from '../terms.ts';

/** All that the retirement of an old key is judged by. Moments in milliseconds UTC. */
export type RetireFacts = {
  readonly now: UnixMillis;
  readonly handover: UnixMillis;
  readonly retire: RetireTerms;
  readonly oldName: string;
  readonly newName: string;
  /** Up to where the log holds every call since the hand-over; nothing where it does not reach it. */
  readonly complete: LogCompleteness;
  /** Calls by the old key in the quiet time that ends where the log does; missing when it cannot be told. */
  readonly oldUse?: KeyUse;
  /** Calls by the successor from the hand-over to there. */
  readonly newUse?: KeyUse;
  /** Other keys that bore either name since the hand-over. */
  readonly namesakes: readonly number[];
};

export type RetireVerdict =
  | { readonly verdict: 'go'; readonly span: Interval<UnixMillis>; readonly evidence: string }
  | { readonly verdict: 'wait'; readonly words: string }
  | {
      readonly verdict: 'hold';
      readonly reason: HoldReason;
      readonly words: string;
      readonly escalate: boolean;
      readonly use?: KeyUse;
    };

const hour = 3600;

const shown = (moment: UnixSeconds): string => formatMoment(moment, 'UTC');

/** How old the end of what is known may be: within it the key may have been used without our knowing yet. */
const mostLag = (quiet: number): number => Math.max(2 * hour, Math.floor(quiet / 12_000));

/** Where the log ends that is known to be whole. */
export const knownEnd = (complete: LogCompleteness, now: UnixMillis): UnixSeconds | undefined =>
  complete.complete ? toSeconds(now) : complete.through;

/** The quiet time that the old key is judged by; nothing while it does not lie after the hand-over. */
export const quietSpan = (
  handover: UnixMillis,
  quiet: number,
  end: UnixSeconds | undefined,
): Interval<UnixSeconds> | undefined => {
  if (end === undefined) return undefined;
  const start = end - Math.ceil(quiet / 1000);
  // A second that began before the hand-over may hold calls of before it.
  return start >= Math.ceil(handover / 1000) ? interval(unixSeconds(start), end) : undefined;
};

const calls = ({ calls: number }: KeyUse): string => `${number} ${number === 1 ? 'call' : 'calls'}`;

/** The most used: enough to find who calls. */
const modelsTold = 5;

const usedWords = (name: string, use: KeyUse): string => {
  const last = use.lastCall === undefined ? '' : `, the last at ${shown(use.lastCall)}`;
  const models = use.models.slice(0, modelsTold).map(({ model, calls: number }) => `${model} (${number})`);
  const more = use.models.length - models.length;
  const told = [...models, ...(more > 0 ? [`${more} more models`] : [])].join(', ');
  return `${name} is still used: ${calls(use)}${last}${told === '' ? '' : `, of ${told}`}`;
};

/**
 * Whether the old key may go. It goes when the log, complete through the quiet time, shows calls by the new key and none
 * by the old, and no other key bore either name: log rows carry names. Past `max_overlap` one that is idle goes though the
 * new one is idle too, and everything else is brought before the operators. Pure.
 */
export const judgeRetirement = (facts: RetireFacts): RetireVerdict => {
  const { now, handover, retire, complete, oldUse, newUse } = facts;
  const isPast = retire.maxOverlap !== undefined && now >= handover + retire.maxOverlap;
  const end = knownEnd(complete, now);
  const span = quietSpan(handover, retire.quiet, end);
  const hold = (reason: HoldReason, words: string, use?: KeyUse): RetireVerdict => ({
    verdict: 'hold',
    reason,
    words,
    escalate: isPast,
    ...(use === undefined ? {} : { use }),
  });
  if (facts.namesakes.length > 0)
    return hold(
      'name-shared',
      `other keys bore the name of ${facts.oldName} or ${facts.newName} since the hand-over (ids ${facts.namesakes.join(', ')}): whose calls the log shows cannot be told`,
    );
  const lag = end === undefined ? Number.POSITIVE_INFINITY : toSeconds(now) - end;
  const why = complete.complete ? '' : complete.why;
  if (lag > mostLag(retire.quiet))
    return hold('log-incomplete', `the call log does not reach far enough: ${why}`);
  if (oldUse !== undefined && oldUse.calls > 0) return hold('used', usedWords(facts.oldName, oldUse), oldUse);
  if (span === undefined || oldUse === undefined || newUse === undefined || end === undefined)
    return { verdict: 'wait', words: `${facts.oldName} must be quiet for longer` };
  if (newUse.calls === 0 && !isPast)
    return hold(
      'successor-unused',
      `${facts.newName} has made no call since the hand-over: whether anybody took it up is not known`,
    );
  const both = interval(toMillis(span.start), toMillis(span.end));
  const taken =
    newUse.calls > 0
      ? `${calls(newUse)} by ${facts.newName} since the hand-over`
      : `no call by ${facts.newName} either, and max_overlap has passed`;
  return {
    verdict: 'go',
    span: both,
    evidence: `no call by ${facts.oldName} from ${shown(span.start)} to ${shown(span.end)} in a log that is complete to there; ${taken}`,
  };
};
