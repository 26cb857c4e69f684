import { generationKeyOf, note, notifyOf, plaintextOf } from '../cycle/cycle.ts';
import { isGone } from '../cycle/seek-key.ts';
import type { Attempt } from '../model/rotation.ts';
import type { OfAttempt, Step, View } from './step.ts';

/** Whether a list that should show the key does not. The list may be late while a sink holds the key, so nothing is deleted for this reason alone. */
export const isMissing = ({ keyId, askedAt, madeAt = askedAt }: Attempt, view: View): boolean =>
  keyId !== undefined && !view.isListed(keyId) && view.listedAt > madeAt + view.settle;

/** A successor that was deleted externally is replaced, and no old key is retired before its replacement is in every sink. */
export const seek: Step<Pick<OfAttempt, 'rotation' | 'attempt' | 'view'>> = {
  name: 'seek',
  due: ({ attempt, view }) => isMissing(attempt, view),
  run: async ({ cycle }, { rotation, attempt }) => {
    const key = generationKeyOf(attempt);
    if (!(await isGone(cycle, key.keyId))) return;
    await note(cycle, rotation, { what: 'vanished', ...key });
    cycle.deps.plaintexts.delete(plaintextOf(rotation, attempt));
    await notifyOf(cycle, rotation, {
      kind: 'escalated',
      about: { event: 'taken-away', name: key.name },
      key: `${rotation.id}/${key.keyId}/taken-away`,
    });
  },
};
