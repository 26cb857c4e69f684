import { errorFields, hasCode, isFault, messageOf, unixMillis, type Fault } from '../../core/index.ts';
import {
  candidateOf,
  isCompromised,
  isTimed,
  type Attempt,
  type OldKey,
  type Rotation,
} from '../model/rotation.ts';
import { clearKey, deleteOld } from '../retirement/clear-key.ts';
import { isStillUnused } from '../retirement/renew-evidence.ts';
import type { Action } from './action.ts';
import { decide } from './decide.ts';
import {
  checkStillKept,
  deliverTo,
  proveOrSupersede,
  readBack,
  verifyAttempt,
} from '../cycle/deliver-key.ts';
import type { Consumer } from '../cycle/engine-deps.ts';
import { failStep, notifyStuck } from './fail-step.ts';
import { expireNow, cutOver, setExpiry } from './cutover.ts';
import { checkOverlap, holdForPlaces } from '../retirement/hold-old.ts';
import { declaredSinks, undeclaredPlaces } from '../cycle/known-places.ts';
import { keyClock } from '../cycle/key-clock.ts';
import { judgeStep } from './judge-step.ts';
import { makeKey, noteLost } from './make-key.ts';
import { releaseSlot } from './release-slot.ts';
import { generationKey, note, type Cycle } from '../cycle/cycle.ts';
import { unusableSink } from '../plan/usable-sinks.ts';
import { cachesHold, verifyStillExists, verifySuccessorExists } from '../cycle/seek-key.ts';
import { settleQuota, shareQuota } from './settle-quota.ts';
import { observeSinks, outdatedNow, describeStop } from '../cycle/up-to-date.ts';
import { viewOf } from './view-of.ts';

export type Moved = {
  readonly rotation: Rotation;
  readonly moved: boolean;
  readonly message: string;
  readonly fault?: Fault | undefined;
};

/** Exceeds the steps of any rotation; stops an endless loop. */
const maxSteps = 400;

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
};

const neverCalled = (what: string): never => {
  throw new RangeError(`${what} is missing`);
};

const perform = async (
  cycle: Cycle,
  rotation: Rotation,
  action: Exclude<Action, { step: 'rest' }>,
  consumerOf: () => Consumer | undefined,
): Promise<void> => {
  const declared = (): Consumer => consumerOf() ?? neverCalled(`the job ${rotation.terms.job}`);
  const successor = (): Attempt =>
    rotation.attempts.find(({ state }) => state === 'current') ?? neverCalled('the successor');
  const { cutover = unixMillis(0) } = rotation;
  /** Whether the key may end now. A compromised key ends even if a consumer still uses it. */
  const mayEnd = async (old: OldKey): Promise<boolean> => {
    if (isCompromised(rotation, old)) return true;
    await checkStillKept(cycle, rotation, successor(), declaredSinks(cycle, rotation, consumerOf));
    return isTimed(rotation, old) || isStillUnused(cycle, rotation, old);
  };
  switch (action.step) {
    case 'note-lost':
      return noteLost(cycle, rotation, action.attempt);
    case 'look':
      return cycle.look();
    case 'clear':
      return clearKey(cycle, rotation, action.attempt, action.keyId);
    case 'seek':
      return verifySuccessorExists(cycle, rotation, action.attempt);
    case 'create': {
      const unusable = await unusableSink(declared().sinks, cycle.signal);
      if (unusable !== undefined) throw unusable;
      await observeSinks(cycle, rotation, declared().sinks);
      return makeKey(cycle, rotation);
    }
    case 'verify':
      try {
        return await verifyAttempt(cycle, rotation, action.attempt, declared());
      } catch (error) {
        const { madeAt = 0 } = action.attempt;
        const isBad = isFault(error) && error.code === 'key-verify-refused';
        if (isBad && cycle.deps.clock.now() - madeAt >= cachesHold)
          await clearKey(cycle, rotation, action.attempt, action.attempt.keyId ?? 0);
        throw error;
      }
    case 'deliver': {
      const sink = declared().sinks.find(({ place }) => place === action.place);
      return deliverTo(cycle, rotation, action.attempt, sink ?? neverCalled(action.place));
    }
    case 'read-back':
      return readBack(cycle, rotation, action.attempt, declared().sinks);
    case 'prove':
      return proveOrSupersede(cycle, rotation, action.attempt, declared().sinks);
    case 'cut-over':
      return cutOver(cycle, rotation, action.attempt);
    case 'reload':
      await declared().reload?.(rotation.service, cycle.signal);
      return note(cycle, rotation, { what: 'reloaded', ...generationKey({ keyId: 0, ...action.attempt }) });
    case 'share-quota':
      return shareQuota(cycle, rotation, action.attempt, action.old);
    case 'set-expiry':
      // A gateway whose clock is ahead would end the key early.
      return setExpiry(
        cycle,
        rotation,
        action.old,
        unixMillis(action.at + Math.max(0, (await keyClock(cycle)).offset)),
      );
    case 'hold':
      return holdForPlaces(cycle, rotation, action.old, action.places);
    case 'end-hold':
      return note(cycle, rotation, { what: 'hold-ended', ...generationKey(action.old) });
    case 'check-overlap':
      return checkOverlap(
        cycle,
        rotation,
        action.attempt,
        action.old,
        declaredSinks(cycle, rotation, consumerOf),
      );
    case 'judge':
      return judgeStep(cycle, rotation, successor(), action.old, cutover);
    case 'note-gone':
      return verifyStillExists(cycle, rotation, action.old);
    case 'retire':
      if (await mayEnd(action.old))
        await note(cycle, rotation, { what: 'retiring', ...generationKey(action.old) });
      return;
    case 'settle-quota':
      return settleQuota(cycle, rotation, action.attempt, action.old);
    case 'delete':
      // Days may have passed since the evidence for this step was recorded.
      if (action.old.state !== 'deleting' && !(await mayEnd(action.old))) return;
      return deleteOld(
        cycle,
        rotation,
        action.old,
        isCompromised(rotation, action.old)
          ? undeclaredPlaces(cycle.deps, rotation.service, declaredSinks(cycle, rotation, consumerOf))
          : [],
      );
    case 'expire':
      if (await mayEnd(action.old)) await expireNow(cycle, rotation, action.old);
      return;
    case 'finish':
      return note(cycle, rotation, { what: 'done' });
    default:
      return neverCalled('the step');
  }
};

/** Deletes the undelivered key of a paused rotation, because the rotations of other services must not wait for a person. */
const clearLeft = async (cycle: Cycle, id: string): Promise<void> => {
  const rotation = cycle.deps.journal.state(cycle.deps.account).rotations.get(id);
  const attempt = rotation?.waiting === undefined ? undefined : candidateOf(rotation);
  if (rotation === undefined || attempt?.keyId === undefined) return;
  if (attempt.state !== 'made' && attempt.state !== 'verified') return;
  try {
    await clearKey(cycle, rotation, attempt, attempt.keyId);
  } catch (error) {
    cycle.signal.throwIfAborted();
    cycle.deps.log.warn('an unusable key could not be deleted; the next cycle retries', {
      service: rotation.service,
      ...errorFields(error),
    });
  }
};

/** A failure to clear another service's key does not count as a failed attempt of this rotation. */
const hasReleasedSlot = async (cycle: Cycle, rotation: Rotation): Promise<boolean> => {
  try {
    return await releaseSlot(cycle, rotation);
  } catch (error) {
    cycle.signal.throwIfAborted();
    if (hasCode(error, 'gateway-rate-limited') || !isFault(error)) throw error;
    cycle.deps.log.warn(
      'the undelivered key of another service blocks the replacement of a compromised key',
      {
        service: rotation.service,
        ...errorFields(error),
      },
    );
    return false;
  }
};

/** Steps before which the sinks are read again, because another program may have written there since the cycle began. */
const checkedAgain: ReadonlySet<Action['step']> = new Set([
  'deliver',
  'set-expiry',
  'retire',
  'delete',
  'expire',
]);

/** Runs every step of a rotation that is due. A failed step ends the loop and is recorded and notified. */
export const advanceRotation = async (cycle: Cycle, id: string): Promise<Moved | undefined> => {
  const { journal } = cycle.deps;
  let moved = false;
  let last = journal.state(cycle.deps.account).rotations.get(id);
  if (last === undefined) return undefined;
  for (let steps = 0; steps < maxSteps; steps += 1) {
    cycle.signal.throwIfAborted();
    const rotation = journal.state(cycle.deps.account).rotations.get(id);
    if (rotation === undefined)
      return { rotation: { ...last, over: 'done' }, moved, message: 'the rotation is complete' };
    last = rotation;
    let action: Action | undefined;
    try {
      const consumerOf = once(() => cycle.deps.consumerOf(rotation.terms.job, rotation.service));
      action = decide(rotation, viewOf(cycle, rotation, consumerOf));
      if (action.step === 'rest') {
        const stop = await outdatedNow(cycle, rotation.service, rotation.terms.job);
        if (stop !== undefined) return { rotation, moved, message: describeStop(stop) };
        const isUrgent = action.blocked === true && rotation.terms.retire.when === 'now';
        if (isUrgent && (await hasReleasedSlot(cycle, rotation))) continue;
        if (action.blocked === true) cycle.blocked.add(id);
        if (action.pending !== undefined) await notifyStuck(cycle, rotation, action.pending, action.message);
        return { rotation, moved, message: action.message };
      }
      const { service, terms } = rotation;
      const outdated = await outdatedNow(cycle, service, terms.job, checkedAgain.has(action.step));
      // A key that would expire by itself is retained even while the content of its sink is unknown.
      if (outdated !== undefined && action.step !== 'check-overlap')
        return { rotation, moved, message: describeStop(outdated) };
      if (action.step === 'create') {
        if (cycle.made.has(id)) return { rotation, moved, message: 'the next cycle creates another key' };
        cycle.made.add(id);
      }
      cycle.onStep(rotation, action.step);
      await perform(cycle, rotation, action, consumerOf);
      // Reading state does not count as progress.
      moved ||= journal.state(cycle.deps.account).rotations.get(id) !== rotation;
    } catch (error) {
      cycle.signal.throwIfAborted();
      // Further requests would prolong the throttling: the account pauses for this cycle, and no attempt is counted.
      if (hasCode(error, 'gateway-rate-limited')) throw error;
      // A step that the journal could not record did not happen, so it must not be reported as a failed step.
      if (
        isFault(error) &&
        (error.code === 'disk-full' || error.code === 'path-unwritable') &&
        action?.step !== 'deliver'
      )
        throw error;
      const now = journal.state(cycle.deps.account).rotations.get(id) ?? rotation;
      await failStep(cycle, now, action?.step ?? 'decide', error);
      await clearLeft(cycle, id);
      return {
        rotation: journal.state(cycle.deps.account).rotations.get(id) ?? now,
        moved,
        message: messageOf(error),
        ...(isFault(error) ? { fault: error } : {}),
      };
    }
  }
  return { rotation: last, moved, message: 'the rotation continues in the next cycle' };
};
