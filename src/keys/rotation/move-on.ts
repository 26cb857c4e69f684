import { advanceRotation } from './advance.ts';
import type { Moved } from './advance.ts';
import type { Cycle } from './cycle.ts';
import { notifyStaying } from './seek-key.ts';

/** Takes each rotation of the pass as far as it goes now, with one list for all keys that are deleted meanwhile. */
export const moveOn = async (
  cycle: Cycle,
  ids: readonly string[],
  progress: (done: number) => void,
): Promise<readonly Moved[]> => {
  const moved = new Map<string, Moved>();
  const go = async (which: readonly string[]): Promise<void> => {
    for (const id of which) {
      const found = await advanceRotation(cycle, id);
      if (found !== undefined)
        moved.set(id, { ...found, moved: found.moved || moved.get(id)?.moved === true });
      progress(moved.size);
    }
  };
  await go(ids);
  // What they waited for may have come further since.
  await go(ids.filter((id) => cycle.blocked.has(id)));
  if (cycle.removed.size > 0) {
    // One list for all deletions of the pass.
    const removed = [...cycle.removed];
    await cycle.look();
    const touched: string[] = [];
    for (const id of ids) {
      const rotation = cycle.deps.journal.rotation(id);
      const olds = rotation?.olds.filter(({ keyId }) => removed.includes(keyId)) ?? [];
      for (const old of olds) {
        if (!cycle.keys().has(old.keyId)) cycle.resting.delete(old.keyId);
        else if (rotation !== undefined) await notifyStaying(cycle, rotation, old, old.deletingAt);
      }
      if (olds.length > 0) touched.push(id);
    }
    await go(touched);
  }
  return [...moved.values()];
};
