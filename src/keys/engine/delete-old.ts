import type { OldKey, Rotation } from '../rotation.ts';
import { isTaken, removeKey } from './clear-key.ts';
import { generationKey, note } from './pass.ts';
import type { Pass } from './pass.ts';

/** The step of deletion: asked for at most once between two lists, and true once a list no longer shows the key. */
export const deleteOld = async (pass: Pass, rotation: Rotation, old: OldKey): Promise<void> => {
  const why = rotation.terms.retire.when === 'now' ? 'leaked' : 'retired';
  if (old.state === 'deleting' && (await isTaken(pass, old.keyId))) {
    await note(pass, rotation, { what: 'deleted', ...generationKey(old) });
    return;
  }
  if (old.state !== 'deleting') await note(pass, rotation, { what: 'deleting', ...generationKey(old), why });
  const refusal = await removeKey(pass, old.keyId);
  pass.removed.add(old.keyId);
  pass.resting.set(old.keyId, `${old.name} was deleted and is still listed`);
  if (refusal !== undefined) {
    await pass.look();
    if (!(await isTaken(pass, old.keyId))) throw refusal;
    pass.resting.delete(old.keyId);
  }
};
