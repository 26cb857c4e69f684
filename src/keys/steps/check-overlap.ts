import { generationKey, note } from '../cycle/cycle.ts';
import { isTimed } from '../model/rotation.ts';
import { holdKey } from './hold.ts';
import { instead } from './read-back.ts';
import { sinksOf, type OfOld, type Step } from './step.ts';

/**
 * Reads the sinks during the overlap of a key that ends without evidence. A sink that holds another key than the successor may hold the old one,
 * which is then retained. A sink that cannot be read now is read again in the next cycle.
 */
export const checkOverlap: Step<OfOld> = {
  name: 'check-overlap',
  // A key that would expire by itself is retained even while the content of its sink is unknown.
  evenIfOutdated: true,
  due: ({ rotation, old, view }) => isTimed(rotation, old) && !view.isOverlapChecked(old.keyId),
  run: async (work, { rotation, attempt, old }) => {
    const { cycle } = work;
    cycle.overlapChecked.add(old.keyId);
    const found: { readonly sink: string; readonly other: 'another' | 'empty' }[] = [];
    const places: string[] = [];
    for (const sink of sinksOf(work, rotation)) {
      const other = await instead(cycle, rotation, attempt, sink).catch((error: unknown) => {
        cycle.signal.throwIfAborted();
        cycle.deps.log.debug('a sink could not be read', { place: sink.place, error: String(error) });
        return undefined;
      });
      if (other === undefined) continue;
      places.push(sink.place);
      found.push({ sink: sink.describe(), other });
    }
    const isHeld = old.retained?.reason === 'sink-holds-it';
    if (found.length === 0 && isHeld)
      await note(cycle, rotation, { what: 'hold-ended', ...generationKey(old) });
    if (found.length === 0 || isHeld) return;
    await holdKey(cycle, rotation, old, {
      reason: 'sink-holds-it',
      successor: attempt.name,
      places,
      found,
    });
  },
};
