import { advanceRotation } from './advance.ts';
import type { Moved } from './advance.ts';
import type { Pass } from './pass.ts';
import { notifyStaying } from './seek-key.ts';

/** Takes each rotation of the pass as far as it goes now, with one list for all keys that are deleted meanwhile. */
export const moveOn = async (
  pass: Pass,
  ids: readonly string[],
  progress: (done: number) => void,
): Promise<readonly Moved[]> => {
  const moved = new Map<string, Moved>();
  const go = async (which: readonly string[]): Promise<void> => {
    for (const id of which) {
      const found = await advanceRotation(pass, id);
      if (found !== undefined)
        moved.set(id, { ...found, moved: found.moved || moved.get(id)?.moved === true });
      progress(moved.size);
    }
  };
  await go(ids);
  // What they waited for may have come further since.
  await go(ids.filter((id) => pass.blocked.has(id)));
  if (pass.removed.size > 0) {
    // One list for all deletions of the pass.
    const removed = [...pass.removed];
    await pass.look();
    const touched: string[] = [];
    for (const id of ids) {
      const rotation = pass.deps.journal.rotation(id);
      const olds = rotation?.olds.filter(({ keyId }) => removed.includes(keyId)) ?? [];
      for (const old of olds) {
        if (!pass.keys().has(old.keyId)) pass.resting.delete(old.keyId);
        else if (rotation !== undefined) await notifyStaying(pass, rotation, old, old.deletingAt);
      }
      if (olds.length > 0) touched.push(id);
    }
    await go(touched);
  }
  return [...moved.values()];
};
