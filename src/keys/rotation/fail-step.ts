import { weekMillis, errorFields, isFault, messageOf } from '../../core/index.ts';
import type { Rotation } from '../model/rotation.ts';
import type { Rest } from '../steps/step.ts';
import { oldKeyState } from '../retirement/old-key-messages.ts';
import { note, notifyOf, type Cycle } from '../cycle/cycle.ts';

/** Records and notifies a failed step; pauses the rotation after the last attempt. */
export const failStep = async (
  cycle: Cycle,
  rotation: Rotation,
  step: string,
  error: unknown,
): Promise<void> => {
  const { log } = cycle.deps;
  const message = messageOf(error);
  const code = isFault(error) ? error.code : 'error';
  const tries = rotation.tries + 1;
  // A paused rotation only cleared an orphan, and is paused already.
  const isLast = tries >= rotation.terms.tries && rotation.waiting === undefined;
  log.warn('a rotation step failed', {
    rotation: rotation.id,
    service: rotation.service,
    step,
    tries,
    ...errorFields(error),
  });
  await note(
    cycle,
    rotation,
    { what: 'failed', step, code, message, tries },
    ...(isLast
      ? [{ what: 'waiting' as const, step, message: `${step} failed ${tries} times: ${message}` }]
      : []),
  );
  const { id } = rotation;
  await notifyOf(cycle, rotation, {
    kind: isLast ? 'waiting' : 'failed',
    about: {
      event: 'step-failed',
      step,
      why: message,
      tries: isLast ? tries : undefined,
      old: rotation.cutover === undefined ? oldKeyState(cycle, rotation) : undefined,
    },
    fault: isFault(error) ? { code: error.code, advice: error.advice } : undefined,
    key: isLast
      ? `${id}/waiting/${step}/${rotation.beganAt}/${rotation.attempts.length}`
      : `${id}/failed/${step}/${code}`,
  });
};

/** Notifies operators of a rotation that only a person can advance and in which no step fails; repeated each week. */
export const notifyStuck = async (
  cycle: Cycle,
  rotation: Rotation,
  { about, key: name, since, atOnce }: NonNullable<Rest['pending']>,
): Promise<void> => {
  const weeks = Math.max(0, Math.floor((cycle.deps.clock.now() - since) / weekMillis));
  if (weeks === 0 && !atOnce) return;
  const key = weeks === 0 ? `${rotation.id}/${name}` : `${rotation.id}/${name}/${weeks}`;
  await notifyOf(cycle, rotation, { kind: 'waiting', about, key });
};
