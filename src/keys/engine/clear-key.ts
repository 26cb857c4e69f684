import { hasCode } from '../../base/index.ts';
import type { Attempt, Rotation } from '../rotation.ts';
import { generationKeyOf, note, plaintextOf } from './pass.ts';
import type { Pass } from './pass.ts';
import { orphanVerdict } from './orphan-facts.ts';
import { retainOrphan } from './retain-orphan.ts';
import { isGone, notifyStaying } from './seek-key.ts';

/** Asks for the key to be deleted; whether it is gone only a list tells, so that an answer that was lost is no trouble. */
export const removeKey = async (pass: Pass, keyId: number): Promise<unknown> => {
  try {
    await pass.deps.gateway.remove(keyId, pass.signal);
    pass.answered.add(keyId);
    return undefined;
  } catch (error) {
    pass.signal.throwIfAborted();
    if (hasCode(error, 'gateway-rate-limited')) throw error;
    // A key that is not there cannot be deleted, and gateways say so in words of their own.
    if (hasCode(error, 'gateway-refused') || hasCode(error, 'gateway-not-found')) pass.answered.add(keyId);
    return error;
  }
};

/**
 * Whether a key whose deletion was written down is gone. A list that does not show it may be late, as when it was made
 * just now: that is enough only after an answer to the request.
 */
export const isTaken = async (pass: Pass, keyId: number): Promise<boolean> =>
  !pass.keys().has(keyId) && (pass.answered.has(keyId) || (await isGone(pass, keyId)));

/** Asks for the key to be deleted, and looks whether it is gone. */
export const takeAway = async (
  pass: Pass,
  keyId: number,
): Promise<{ readonly taken: boolean; readonly refusal: unknown }> => {
  const refusal = await removeKey(pass, keyId);
  await pass.look();
  return { taken: await isTaken(pass, keyId), refusal };
};

/** Deletes an orphan once nobody can use it, else retains it. @throws what the gateway refused with, when it stays */
export const clearKey = async (
  pass: Pass,
  rotation: Rotation,
  attempt: Attempt,
  keyId: number,
): Promise<void> => {
  const key = generationKeyOf(attempt, keyId);
  const verdict = await orphanVerdict(pass, attempt.name, keyId);
  if (verdict.verdict === 'retain') {
    await retainOrphan(pass, rotation, key, verdict, attempt.askedAt);
    pass.deps.plaintexts.delete(plaintextOf(rotation, attempt));
    return;
  }
  if (attempt.state !== 'clearing') await note(pass, rotation, { what: 'deleting', ...key, why: 'orphan' });
  pass.deps.plaintexts.delete(plaintextOf(rotation, attempt));
  const { taken, refusal } = await takeAway(pass, keyId);
  if (taken) {
    await note(pass, rotation, { what: 'deleted', ...key });
    return;
  }
  await notifyStaying(pass, rotation, key, attempt.clearingAt);
  if (refusal !== undefined) throw refusal;
  pass.resting.set(keyId, `${attempt.name} was deleted and is still listed`);
};
