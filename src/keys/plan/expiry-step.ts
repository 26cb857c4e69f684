import { durationText, toMillis, toSeconds, unixSeconds, type UnixMillis } from '../../core/index.ts';
import { clockText } from '../events/notices.ts';
import type { ExpiryNotice } from '../model/alert.ts';
import type { PlannedExpiry, SurveyedKey } from '../model/service-types.ts';
import { clockBegan, clockShows, mayEnd, unseenSince, type Judged } from './expiry-evidence.ts';
import { warningStage, type ExpiryClock } from './expiry-policy.ts';
import type { SkipReason } from './skipped-key.ts';
import { isExpired, unreadableFields } from './key-state.ts';

export type Step =
  | {
      readonly action: PlannedExpiry['action'];
      readonly clock: ExpiryClock;
      readonly passed: number;
    }
  | { readonly reason: SkipReason; readonly message: string; readonly at?: UnixMillis | undefined };

const stageNames = ['warn', 'expire', 'delete'] as const;
type Stage = (typeof stageNames)[number];

type Ends = Extract<ExpiryNotice, { kind: 'ends' }>;

/** Seconds from now at which an ending key expires: an expiry must be in the future when it is written. */
const expiresIn = 60;

/** `at least 30 days old`: so far the clock has come. */
export const clockPassed = (clock: ExpiryClock, millis: number): string => {
  const duration = durationText(millis);
  if (clock === 'age') return `at least ${duration} old`;
  if (clock === 'idle') return `not used for ${duration}`;
  return clock === 'expired' ? `expired at least ${duration} ago` : `used up, and not used for ${duration}`;
};

const tooSoonMessage = (clock: ExpiryClock, millis: number): string => {
  const duration = durationText(millis);
  if (clock === 'age') return `not ${duration} old yet`;
  if (clock === 'idle') return `not idle for ${duration} yet`;
  return clock === 'expired' ? `not expired for ${duration} yet` : `not used up and idle for ${duration} yet`;
};

const passedAt = (stage: Stage, clock: ExpiryClock, judged: Judged): UnixMillis | undefined => {
  const { surveyed, evidence, now } = judged;
  const { key } = surveyed;
  const past = evidence.past.get(key.id);
  if (stage === 'expire')
    return key.expiredTime !== 'never' && isExpired(key, now) ? toMillis(key.expiredTime) : undefined;
  const began = clockBegan(clock, judged);
  return past?.warned === undefined || (began !== undefined && past.warned < began) ? undefined : past.warned;
};

const describeSince: { readonly [Clock in ExpiryClock]: string } = {
  age: 'made',
  idle: 'not used since',
  expired: 'expired',
  exhausted: 'used up, and not used since',
};

const warningOf = (clock: ExpiryClock, judged: Judged): Ends => {
  const { job, stages, evenIfUsed } = judged.policy;
  const { warn = 0, expire, delete: end } = stages;
  const began = clockBegan(clock, judged);
  return {
    kind: 'ends',
    job,
    clock,
    began,
    isLonger: began !== undefined && began === unseenSince(judged),
    expires: expire === undefined ? undefined : expire - warn,
    deletes: end === undefined ? undefined : end - warn,
    evenIfUsed,
  };
};

/** The text for the owner. It differs by job and by start of the clock, because a text is sent only once. */
const describeWarning = ({ job, clock, began, isLonger, expires, deletes, evenIfUsed }: Ends): string => {
  const since =
    began === undefined
      ? ''
      : ` (${describeSince[clock]} ${new Date(began).toISOString().replace('.000Z', 'Z')}${isLonger ? ', or longer' : ''})`;
  const then = [
    ...(expires === undefined ? [] : [`it expires in ${durationText(expires)}`]),
    ...(deletes === undefined ? [] : [`it is deleted in ${durationText(deletes)}`]),
  ];
  const unless = evenIfUsed ? '' : ', unless it is used';
  return `${warningStage} by job ${job}${since}${then.length === 0 ? '' : `: ${then.join(', ')} at the earliest${unless}`}`;
};

const actionOf = (stage: Stage, clock: ExpiryClock, judged: Judged): PlannedExpiry['action'] => {
  if (stage === 'warn') {
    const notice = warningOf(clock, judged);
    return { kind: 'warn', stage: describeWarning(notice), notice };
  }
  return stage === 'expire'
    ? { kind: 'expire', at: unixSeconds(toSeconds(judged.now) + expiresIn) }
    : { kind: 'delete' };
};

const expiresSoon = ({ key: { expiredTime } }: SurveyedKey, now: UnixMillis): boolean =>
  expiredTime !== 'never' && expiredTime - toSeconds(now) <= expiresIn;

/** The next stage on one clock; the interval between two stages holds even if the first was late. */
const stepBy = (clock: ExpiryClock, judged: Judged): Step => {
  const { policy, now, surveyed, evidence } = judged;
  const stages = stageNames.flatMap((stage) => {
    const at = policy.stages[stage];
    return at === undefined ? [] : [{ stage, at }];
  });
  const before: { readonly at: number; readonly passed: UnixMillis }[] = [];
  for (const { stage, at } of stages) {
    const passed = stage === 'delete' ? undefined : passedAt(stage, clock, judged);
    if (passed !== undefined) {
      before.push({ at, passed });
      continue;
    }
    const shown = clockShows(clock, at, judged);
    if (!shown.so)
      return {
        reason: shown.reason ?? 'not-due',
        message: shown.message ?? tooSoonMessage(clock, at),
      };
    const waits = Math.max(0, ...before.map((past) => past.passed + at - past.at - now));
    if (waits > 0) return { reason: 'not-due', message: `${stage} is due in ${durationText(waits)}` };
    if (stage === 'expire' && expiresSoon(surveyed, now))
      return { reason: 'not-due', message: 'it expires within a minute' };
    const set = evidence.past.get(surveyed.key.id)?.expirySet;
    const began = clockBegan(clock, judged);
    if (stage === 'expire' && set !== undefined && (began === undefined || set >= began))
      return {
        reason: 'revived',
        message: `it was set to expire ${durationText(now - set)} ago, and its expiry was extended since; exclude it from \`keys\`, or delete it manually`,
      };
    return { action: actionOf(stage, clock, judged), clock, passed: at };
  }
  return { reason: 'not-due', message: 'no further action is due' };
};

const rank = (step: Step): number => {
  if (!('action' in step)) return step.reason === 'not-due' ? 0 : 1;
  return { warn: 2, expire: 3, delete: 4 }[step.action.kind];
};

/** The step for a key now; the clock that is furthest ahead decides. */
export const judgeExpiry = (judged: Judged, nameCollisions: number): Step => {
  const { surveyed, policy } = judged;
  if (surveyed.rotation !== undefined)
    return { reason: 'in-rotation', message: `a rotation of ${surveyed.service} is open` };
  const unreadable = unreadableFields(surveyed.key);
  if (unreadable !== undefined)
    return { reason: 'unreadable', message: `${unreadable}; correct it at the gateway` };
  const [step = { reason: 'not-due' as const, message: 'no clock is configured' }] = policy.by
    .map((clock) => stepBy(clock, judged))
    .sort((left, right) => rank(right) - rank(left));
  if (!('action' in step)) return step;
  const keptBy = policy.evenIfCurrent ? undefined : judged.evidence.keptBySinks.get(surveyed.key.id);
  if (keptBy !== undefined)
    return {
      reason: 'current',
      message: `${keptBy}; \`even_if_current: true\` ends it anyway`,
    };
  if (step.action.kind === 'warn') return step;
  if (policy.suspended !== undefined)
    return { reason: 'clock-skew', message: clockText(policy.suspended, policy.zone) };
  const proof = mayEnd(judged, nameCollisions);
  if (proof.so) return step;
  const { reason = 'used', message = 'it may be in use', at } = proof;
  return { reason, message, at };
};
