import { countText, durationText, toMillis, type UnixMillis } from '../../core/index.ts';
import type { SurveyedKey } from '../model/service-types.ts';
import { maxLag } from '../model/lag.ts';
import {
  rangeAsked,
  timesAsked,
  type ExpiryClock,
  type ExpiryEvidence,
  type ExpiryPolicy,
} from './expiry-policy.ts';
import type { SkipReason } from './skipped-key.ts';
import { creationTime, isExhausted, isExpired } from './key-state.ts';
import { ageOf } from './select.ts';

/** Whether a statement holds; if that is unknown, the reason. */
export type Proof =
  | { readonly so: true }
  | { readonly so: false; readonly reason?: SkipReason; readonly message?: string; readonly at?: UnixMillis };

const yes: Proof = { so: true };
const no: Proof = { so: false };
const unknown = (reason: SkipReason, message: string, at?: UnixMillis): Proof => ({
  so: false,
  reason,
  message,
  ...(at === undefined ? {} : { at }),
});

export type Judged = {
  readonly surveyed: SurveyedKey;
  readonly policy: ExpiryPolicy;
  readonly evidence: ExpiryEvidence;
  readonly now: UnixMillis;
};

/** The end of the complete log for the queried time; undefined if it is incomplete or ends too early. */
const provenEnd = (millis: number, { evidence, policy, now }: Judged): UnixMillis | undefined => {
  const completeness = evidence.log.get(millis);
  if (completeness === undefined) return undefined;
  if (completeness.complete) return now;
  if (completeness.through === undefined) return undefined;
  const end = toMillis(completeness.through);
  return now - end <= maxLag(policy.quiet) ? end : undefined;
};

/** Whether the log contains every call of the last `millis` milliseconds, except for its allowed lag. */
const logHolds = (millis: number, judged: Judged): Proof => {
  if (provenEnd(millis, judged) !== undefined) return yes;
  const completeness = judged.evidence.log.get(millis);
  return unknown(
    'log-incomplete',
    completeness === undefined || completeness.complete
      ? 'the call log was not queried'
      : `the call log is incomplete for the last ${durationText(millis)}: ${completeness.why}`,
  );
};

const lastCallOf = ({ surveyed, evidence }: Judged): UnixMillis | undefined => {
  const last = evidence.use.get(surveyed.key.id)?.lastCall;
  return last === undefined ? undefined : toMillis(last);
};

const lookedFrom = ({ policy, now }: Judged): UnixMillis | undefined => {
  const longest = timesAsked(policy).at(-1);
  return longest === undefined ? undefined : toMillis(rangeAsked(longest, now, policy.quiet).start);
};

/** Whether no call was made for `millis` milliseconds; a key cannot be idle for longer than it has existed. */
const idleFor = (millis: number, judged: Judged): Proof => {
  const { surveyed, now } = judged;
  const last = lastCallOf(judged);
  if (last !== undefined && now - last < millis) return no;
  const age = ageOf(surveyed, now);
  if (age !== undefined && age < millis) return no;
  return logHolds(millis, judged);
};

export const clockShows = (clock: ExpiryClock, millis: number, judged: Judged): Proof => {
  const { surveyed, now } = judged;
  const { key } = surveyed;
  if (clock === 'idle') return idleFor(millis, judged);
  if (clock === 'exhausted') return isExhausted(key) ? idleFor(millis, judged) : no;
  if (clock === 'expired')
    return key.expiredTime !== 'never' && isExpired(key, now) && now - toMillis(key.expiredTime) >= millis
      ? yes
      : no;
  const age = ageOf(surveyed, now);
  if (age === undefined) return unknown('age-unknown', 'the gateway does not report its creation time');
  return age >= millis ? yes : no;
};

/** For an older key without a known call, the start of the search: use before it is unknown. */
export const unseenSince = (judged: Judged): UnixMillis | undefined => {
  if (lastCallOf(judged) !== undefined) return undefined;
  const looked = lookedFrom(judged);
  const created = creationTime(judged.surveyed.key);
  return looked === undefined || (created !== undefined && toMillis(created) >= looked) ? undefined : looked;
};

/** The start of the clock: steps on the key before it do not count. */
export const clockBegan = (clock: ExpiryClock, judged: Judged): UnixMillis | undefined => {
  const { key } = judged.surveyed;
  const createdSeconds = creationTime(key);
  const created = createdSeconds === undefined ? undefined : toMillis(createdSeconds);
  if (clock === 'age') return created;
  if (clock === 'expired') return key.expiredTime === 'never' ? undefined : toMillis(key.expiredTime);
  return lastCallOf(judged) ?? unseenSince(judged) ?? created;
};

const rangeAgo = (judged: Judged): string => `the last ${durationText(judged.policy.quiet)}`;

/** Whether the key alone had its names throughout the idle time, so that calls under them are its own. */
const aloneUnderName = (judged: Judged, nameCollisions: number): Proof => {
  const { surveyed, evidence } = judged;
  const { id, name } = surveyed.key;
  if (nameCollisions > 1)
    return unknown(
      'name-not-unique',
      `${countText(nameCollisions, 'key')} have this name, so the log cannot show which one is used`,
    );
  if (evidence.namesThen === undefined)
    return unknown(
      'inventory-incomplete',
      `no inventory covers ${rangeAgo(judged)}; a snapshot job records it`,
    );
  const then = evidence.namesThen.get(id);
  if (then === undefined)
    return unknown('inventory-incomplete', `it did not exist throughout ${rangeAgo(judged)}`);
  if (then !== name)
    return unknown(
      'name-not-unique',
      `it was named ${then} within ${rangeAgo(judged)}; wait until that time has passed`,
    );
  // Calls under every name that the key had count as its own.
  for (const [borne, ids] of evidence.idsNamed) {
    if (borne !== name && !ids.includes(id)) continue;
    const others = ids.filter((other) => other !== id);
    if (others.length === 0) continue;
    const otherIds = `(ids ${others.join(', ')})`;
    return unknown(
      'name-not-unique',
      borne === name
        ? `other keys had this name within ${rangeAgo(judged)} ${otherIds}`
        : `it was named ${borne} within ${rangeAgo(judged)}, as were other keys ${otherIds}`,
    );
  }
  return yes;
};

export const mayEnd = (judged: Judged, nameCollisions: number): Proof => {
  const { policy, evidence, surveyed, now } = judged;
  if (policy.evenIfUsed) return yes;
  const alone = aloneUnderName(judged, nameCollisions);
  if (!alone.so) return alone;
  const last = lastCallOf(judged);
  // Calls after the end of the complete log count too, and the whole idle time must lie before that end.
  const end = provenEnd(policy.quiet, judged) ?? now;
  if (last !== undefined && end - last < policy.quiet) {
    const models = evidence.use.get(surveyed.key.id)?.models ?? [];
    const of =
      models.length === 0
        ? ''
        : ` (${models
            .slice(0, 3)
            .map(({ model }) => model)
            .join(', ')})`;
    return unknown(
      'used',
      `it is in use: last call ${durationText(Math.max(0, now - last))} ago${of}; \`even_if_used: true\` ends it anyway`,
      last,
    );
  }
  return logHolds(policy.quiet, judged);
};
