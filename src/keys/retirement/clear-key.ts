import { hasCode } from '../../core/index.ts';
import type { Attempt, OldKey, Rotation } from '../model/rotation.ts';
import { generationKey, generationKeyOf, note, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { orphanVerdict } from './orphan-facts.ts';
import { retainOrphan } from './retain-orphan.ts';
import { isGone, notifyStaying } from '../cycle/seek-key.ts';

/** Requests the deletion and returns the error, if any. Only a list proves that the key is gone, so a lost answer does no harm. */
export const requestDeletion = async (cycle: Cycle, keyId: number): Promise<unknown> => {
  try {
    await cycle.deps.gateway.remove(keyId, cycle.signal);
    cycle.answered.add(keyId);
    return undefined;
  } catch (error) {
    cycle.signal.throwIfAborted();
    if (hasCode(error, 'gateway-rate-limited')) throw error;
    // Each gateway refuses the deletion of an unknown key in its own way.
    if (hasCode(error, 'gateway-refused') || hasCode(error, 'gateway-not-found')) cycle.answered.add(keyId);
    return error;
  }
};

/**
 * Whether a key whose deletion is recorded is gone. A list without the key may be late, for example right after its creation; it is proof only after
 * an answer to the request.
 */
export const isDeleted = async (cycle: Cycle, keyId: number): Promise<boolean> =>
  !cycle.keys().has(keyId) && (cycle.answered.has(keyId) || (await isGone(cycle, keyId)));

export const deleteAndVerify = async (
  cycle: Cycle,
  keyId: number,
): Promise<{ readonly deleted: boolean; readonly refusal: unknown }> => {
  const refusal = await requestDeletion(cycle, keyId);
  await cycle.look();
  return { deleted: await isDeleted(cycle, keyId), refusal };
};

/** Deletes an orphan once its disuse is proven, else retains it. @throws the gateway's refusal when the key stays */
export const clearKey = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  keyId: number,
): Promise<void> => {
  const key = generationKeyOf(attempt, keyId);
  const verdict = await orphanVerdict(cycle, attempt.name, keyId);
  if (verdict.verdict === 'retain') {
    await retainOrphan(cycle, rotation, key, verdict, attempt.askedAt);
    cycle.deps.plaintexts.delete(plaintextOf(rotation, attempt));
    return;
  }
  if (attempt.state !== 'clearing') await note(cycle, rotation, { what: 'deleting', ...key, why: 'orphan' });
  cycle.deps.plaintexts.delete(plaintextOf(rotation, attempt));
  const { deleted, refusal } = await deleteAndVerify(cycle, keyId);
  if (deleted) {
    await note(cycle, rotation, { what: 'deleted', ...key });
    return;
  }
  await notifyStaying(cycle, rotation, key, attempt.clearingAt);
  if (refusal !== undefined) throw refusal;
  cycle.resting.set(keyId, `${attempt.name} was deleted but is still listed`);
};

/** Deletes an old key: requests it at most once between two lists, and records it as deleted once a list no longer shows the key. */
export const deleteOld = async (
  cycle: Cycle,
  rotation: Rotation,
  old: OldKey,
  unread: readonly string[],
): Promise<void> => {
  const why = rotation.terms.retire.when === 'now' ? 'leaked' : 'retired';
  if (old.state === 'deleting' && (await isDeleted(cycle, old.keyId))) {
    await note(cycle, rotation, { what: 'deleted', ...generationKey(old) });
    return;
  }
  if (old.state !== 'deleting')
    await note(cycle, rotation, {
      what: 'deleting',
      ...generationKey(old),
      why,
      ...(unread.length === 0 ? {} : { unread: [...unread] }),
    });
  const refusal = await requestDeletion(cycle, old.keyId);
  cycle.removed.add(old.keyId);
  cycle.resting.set(old.keyId, `${old.name} was deleted but is still listed`);
  if (refusal !== undefined) {
    await cycle.look();
    if (!(await isDeleted(cycle, old.keyId))) throw refusal;
    cycle.resting.delete(old.keyId);
  }
};
