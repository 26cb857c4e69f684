import { hasCode } from '../../core/index.ts';
import type { Moved } from './advance.ts';
import { isUndelivered } from './undelivered.ts';
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

/** One list of the keys serves all that are created or deleted in the meantime. */
async function* roundsWith(cycle: Cycle, ids: readonly string[]): AsyncGenerator<readonly string[]> {
  yield ids;
  // The rotations that blocked them may have advanced.
  yield ids.filter((id) => cycle.blocked.has(id));
  yield await afterChanges(cycle, ids);
}

/** Milliseconds before each further delivery of the same key within one command. */
const pauses = [2000, 10_000] as const;

/**
 * The ids of the rotations that a cycle advances, in rounds; `moved` is what the rounds before have made of them. With `retries`, failed deliveries
 * are tried again at once, because the plaintext is lost when the process ends.
 */
export async function* roundsOf(
  cycle: Cycle,
  ids: readonly string[],
  moved: ReadonlyMap<string, Moved>,
  retries: boolean,
): AsyncGenerator<readonly string[]> {
  yield* roundsWith(cycle, ids);
  for (const pause of retries ? pauses : []) {
    const left = [...moved].filter(
      ([, { rotation, fault }]) =>
        hasCode(fault, 'sink-failed') && rotation.waiting === undefined && isUndelivered(cycle, rotation),
    );
    if (left.length === 0) return;
    await cycle.deps.clock.wait(pause, cycle.signal);
    yield* roundsWith(
      cycle,
      left.map(([id]) => id),
    );
  }
}
