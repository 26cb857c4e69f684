import type { Attempt, Rotation } from '../rotation.ts';
import { lineKeyOf, note, plaintextOf } from './pass.ts';
import type { Pass } from './pass.ts';
import { tellStaying } from './seek-key.ts';

/** Asks for the key to be deleted; whether it is gone only a list tells, so that an answer that was lost is no trouble. */
export const removeKey = async (pass: Pass, keyId: number): Promise<unknown> => {
  try {
    await pass.means.gateway.remove(keyId, pass.signal);
    return undefined;
  } catch (error) {
    pass.signal.throwIfAborted();
    return error;
  }
};

/** Takes away a key that no sink can hold. Says whether it is gone. @throws what the gateway refused with, when it stays */
export const clearKey = async (
  pass: Pass,
  rotation: Rotation,
  attempt: Attempt,
  keyId: number,
): Promise<boolean> => {
  const key = lineKeyOf(attempt, keyId);
  if (attempt.state !== 'clearing') await note(pass, rotation, { what: 'deleting', ...key, why: 'orphan' });
  pass.means.plaintexts.delete(plaintextOf(rotation, attempt));
  const refusal =
    pass.keys().has(keyId) || attempt.state !== 'clearing' ? await removeKey(pass, keyId) : undefined;
  await pass.look();
  if (pass.keys().has(keyId)) {
    await tellStaying(pass, rotation, key, attempt.clearingAt);
    if (refusal !== undefined) throw refusal;
    pass.resting.set(keyId, `${attempt.name} was deleted and is still listed`);
    return false;
  }
  await note(pass, rotation, { what: 'deleted', ...key });
  return true;
};
