import { generationKey, note } from '../cycle/cycle.ts';
import { isGone } from '../cycle/seek-key.ts';
import type { OfOld, Step } from './step.ts';

/** An old key that was deleted externally needs no retirement. */
export const noteGone: Step<OfOld> = {
  name: 'note-gone',
  due: ({ old, view }) => old.state !== 'deleting' && !view.isListed(old.keyId),
  run: async ({ cycle }, { rotation, old }) => {
    if (await isGone(cycle, old.keyId))
      await note(cycle, rotation, { what: 'vanished', ...generationKey(old) });
  },
};
