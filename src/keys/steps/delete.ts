import { isCompromised } from '../model/rotation.ts';
import { undeclaredPlaces } from '../cycle/known-places.ts';
import { deleteOld } from '../retirement/clear-key.ts';
import { mayEnd } from './retire.ts';
import { sinksOf, type OfOld, type Step } from './step.ts';

/** Deletes an old key, unless it ends by expiry. */
export const deleteKey: Step<OfOld> = {
  name: 'delete',
  rereadsSinks: true,
  due: ({ old }) => old.state === 'deleting' || old.state === 'retiring',
  run: async (work, { rotation, old }) => {
    // Days may have passed since the evidence for this step was recorded.
    if (old.state !== 'deleting' && !(await mayEnd(work, rotation, old))) return;
    const unread = isCompromised(rotation, old)
      ? undeclaredPlaces(work.cycle.deps, rotation.service, sinksOf(work, rotation))
      : [];
    await deleteOld(work.cycle, rotation, old, unread);
  },
};
