import { weekMillis, errorFields, isFault, messageOf } from '../../core/index.ts';
import type { Rotation } from '../model/rotation.ts';
import type { Rest } from '../steps/step.ts';
import { describeOldKey } from '../retirement/old-key-messages.ts';
import { note, notifyOf, type Cycle } from '../cycle/cycle.ts';

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}`;

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
  const { service, id } = rotation;
  const standing =
    rotation.cutover === undefined
      ? sentence(describeOldKey(cycle, rotation))
      : 'Every sink holds the new key, and the old key is not deleted until this step succeeds';
  await notifyOf(cycle, rotation, {
    kind: isLast ? 'waiting' : 'failed',
    title: isLast
      ? `the rotation of ${service} is paused: action required`
      : `a step of the rotation of ${service} failed`,
    message: isLast
      ? `${step} failed ${tries} times: ${message}. ${standing}.`
      : `${step}: ${message}. ${standing}; the step is retried.`,
    faultAdvice: isFault(error) ? error.advice : undefined,
    key: isLast
      ? `${id}/waiting/${step}/${rotation.beganAt}/${rotation.attempts.length}`
      : `${id}/failed/${step}/${code}`,
  });
};

/** Notifies operators of a rotation that only a person can advance and in which no step fails; repeated each week. */
export const notifyStuck = async (
  cycle: Cycle,
  rotation: Rotation,
  { title, key: about, since, atOnce, message }: NonNullable<Rest['pending']>,
  resting: string,
): Promise<void> => {
  const weeks = Math.max(0, Math.floor((cycle.deps.clock.now() - since) / weekMillis));
  if (weeks === 0 && !atOnce) return;
  const key = weeks === 0 ? `${rotation.id}/${about}` : `${rotation.id}/${about}/${weeks}`;
  await notifyOf(cycle, rotation, { kind: 'waiting', title, message: message ?? resting, key });
};
