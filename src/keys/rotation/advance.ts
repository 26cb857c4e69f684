import { errorFields, hasCode, isFault, messageOf, type Fault } from '../../core/index.ts';
import type { Cycle } from '../cycle/cycle.ts';
import { describeStop, outdatedNow } from '../cycle/up-to-date.ts';
import { candidateOf, type Rotation } from '../model/rotation.ts';
import { clearKey } from '../retirement/clear-key.ts';
import { isUndelivered } from '../steps/clear.ts';
import type { DueStep } from '../steps/step.ts';
import { decide } from './decide.ts';
import { failStep, notifyStuck } from './fail-step.ts';
import { releaseSlot } from './release-slot.ts';
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

/** Deletes the undelivered key of a paused rotation, because the rotations of other services must not wait for a person. */
const clearLeft = async (cycle: Cycle, id: string): Promise<void> => {
  const rotation = cycle.deps.journal.state(cycle.deps.account).rotations.get(id);
  const attempt = rotation?.waiting === undefined ? undefined : candidateOf(rotation);
  if (rotation === undefined || attempt?.keyId === undefined || !isUndelivered(attempt)) return;
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
    let step: DueStep | undefined;
    try {
      const { service, terms } = rotation;
      const consumerOf = once(() => cycle.deps.consumerOf(terms.job, service));
      const next = decide(rotation, viewOf(cycle, rotation, consumerOf));
      if ('rest' in next) {
        const stop = await outdatedNow(cycle, service, terms.job);
        if (stop !== undefined) return { rotation, moved, message: describeStop(stop) };
        const isUrgent = next.blocked === true && terms.retire.when === 'now';
        if (isUrgent && (await hasReleasedSlot(cycle, rotation))) continue;
        if (next.blocked === true) cycle.blocked.add(id);
        if (next.pending !== undefined) await notifyStuck(cycle, rotation, next.pending);
        return { rotation, moved, message: next.rest };
      }
      step = next;
      const outdated = await outdatedNow(cycle, service, terms.job, step.rereadsSinks);
      if (outdated !== undefined && step.evenIfOutdated !== true)
        return { rotation, moved, message: describeStop(outdated) };
      cycle.onStep(rotation, step.name);
      await step.run({ cycle, consumerOf });
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
        step?.writesSink !== true
      )
        throw error;
      const now = journal.state(cycle.deps.account).rotations.get(id) ?? rotation;
      await failStep(cycle, now, step?.name ?? 'decide', error);
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
