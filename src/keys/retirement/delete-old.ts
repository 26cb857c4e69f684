import type { OldKey, Rotation } from '../rotation.ts';
import { isDeleted, requestDeletion } from './clear-key.ts';
import { generationKey, note } from '../rotation/cycle.ts';
import type { Cycle } from '../rotation/cycle.ts';

/** The step of deletion: asked for at most once between two lists, and true once a list no longer shows the key. */
export const deleteOld = async (cycle: Cycle, rotation: Rotation, old: OldKey): Promise<void> => {
  const why = rotation.terms.retire.when === 'now' ? 'leaked' : 'retired';
  if (old.state === 'deleting' && (await isDeleted(cycle, old.keyId))) {
    await note(cycle, rotation, { what: 'deleted', ...generationKey(old) });
    return;
  }
  if (old.state !== 'deleting') await note(cycle, rotation, { what: 'deleting', ...generationKey(old), why });
  const refusal = await requestDeletion(cycle, old.keyId);
  cycle.removed.add(old.keyId);
  cycle.resting.set(old.keyId, `${old.name} was deleted but is still listed`);
  if (refusal !== undefined) {
    await cycle.look();
    if (!(await isDeleted(cycle, old.keyId))) throw refusal;
    cycle.resting.delete(old.keyId);
  }
};
