import { advanceRotation } from './advance.ts';
import type { Moved } from './advance.ts';
import type { Cycle } from './cycle.ts';
import { notifyStaying } from './seek-key.ts';

/** The rotations whose old keys were deleted in the cycle, once the gateway was asked for what is left: one list for all of them. */
const afterDeletions = async (cycle: Cycle, ids: readonly string[]): Promise<readonly string[]> => {
  if (cycle.removed.size === 0) return [];
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
  return touched;
};

/** Takes each rotation of the cycle as far as it goes now, with one list for all keys that are deleted meanwhile. */
export const advanceAll = async (
  cycle: Cycle,
  ids: readonly string[],
  progress: (done: number) => void,
): Promise<readonly Moved[]> => {
  const moved = new Map<string, Moved>();
  const rounds = [
    () => ids,
    // What they waited for may have come further since.
    () => ids.filter((id) => cycle.blocked.has(id)),
    () => afterDeletions(cycle, ids),
  ];
  for (const idsOfRound of rounds)
    for (const id of await idsOfRound()) {
      const found = await advanceRotation(cycle, id);
      if (found !== undefined)
        moved.set(id, { ...found, moved: found.moved || moved.get(id)?.moved === true });
      progress(moved.size);
    }
  return [...moved.values()];
};
