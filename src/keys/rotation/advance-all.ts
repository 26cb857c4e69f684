import { advanceRotation, type Moved } from './advance.ts';
import type { Cycle } from '../cycle/cycle.ts';
import { comparedClock } from '../cycle/key-clock.ts';
import { notifyStaying } from '../cycle/seek-key.ts';

/**
 * Lists the keys once after all changes of the cycle and returns the rotations whose old keys were deleted. Compares the stamps of new keys now,
 * because they become incomparable once a clock is set.
 */
const afterChanges = async (cycle: Cycle, ids: readonly string[]): Promise<readonly string[]> => {
  const removed = [...cycle.removed];
  const isCreated = cycle.made.size > 0 && cycle.deps.compareClock !== undefined;
  if (removed.length === 0 && !isCreated) return [];
  await cycle.look();
  if (isCreated) await comparedClock(cycle);
  const touched: string[] = [];
  for (const id of ids) {
    const rotation = cycle.deps.journal.state(cycle.deps.account).rotations.get(id);
    const olds = rotation?.olds.filter(({ keyId }) => removed.includes(keyId)) ?? [];
    for (const old of olds) {
      if (!cycle.keys().has(old.keyId)) cycle.resting.delete(old.keyId);
      else if (rotation !== undefined) await notifyStaying(cycle, rotation, old, old.deletingAt);
    }
    if (olds.length > 0) touched.push(id);
  }
  return touched;
};

/** Advances each rotation until it rests. One list serves all keys that are created or deleted in the meantime. */
export const advanceAll = async (
  cycle: Cycle,
  ids: readonly string[],
  progress: (done: number) => void,
): Promise<readonly Moved[]> => {
  const moved = new Map<string, Moved>();
  const rounds = [
    () => ids,
    // The rotations that blocked them may have advanced.
    () => ids.filter((id) => cycle.blocked.has(id)),
    () => afterChanges(cycle, ids),
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
