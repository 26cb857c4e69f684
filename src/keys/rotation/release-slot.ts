import type { Attempt, Rotation } from '../model/rotation.ts';
import { clearKey } from '../retirement/clear-key.ts';
import { settledAt } from '../steps/look.ts';
import { noteLost } from '../steps/note-lost.ts';
import type { Cycle } from '../cycle/cycle.ts';
import { seenBy, unsettledBeside } from './view-of.ts';

/** Clears another service's unfinished creation; its rotation creates the key again later. Returns whether anything changed. */
const settleAttempt = async (cycle: Cycle, other: Rotation, attempt: Attempt): Promise<boolean> => {
  const { state, keyId, name } = attempt;
  const resting = keyId !== undefined && cycle.resting.has(keyId);
  if ((state === 'made' || state === 'verified' || state === 'clearing') && keyId !== undefined && !resting) {
    await clearKey(cycle, other, attempt, keyId);
    return true;
  }
  if (state === 'asked') {
    await noteLost.run({ cycle, consumerOf: () => undefined }, { rotation: other, attempt });
    return true;
  }
  if (state !== 'lost') return false;
  const seen = seenBy(cycle);
  const orphanKey = seen.orphanOf(attempt);
  if (orphanKey !== undefined && !cycle.resting.has(orphanKey)) {
    await clearKey(cycle, other, attempt, orphanKey);
    return true;
  }
  const settled = settledAt(attempt, seen);
  if (cycle.listedAt() >= settled || cycle.waitedFor.has(name)) return false;
  cycle.waitedFor.add(name);
  if (settled > seen.now) await cycle.deps.clock.wait(settled - seen.now, cycle.signal);
  await cycle.look();
  return true;
};

/**
 * The rotation of a compromised key waits for no other service: an undelivered key of another service is deleted, and a request without an answer is
 * waited for (at most a minute). Returns whether the slot may be free now.
 */
export const releaseSlot = async (cycle: Cycle, rotation: Rotation): Promise<boolean> => {
  const other = unsettledBeside(cycle, rotation);
  if (other === undefined) return true;
  for (const attempt of other.attempts) if (await settleAttempt(cycle, other, attempt)) return true;
  return false;
};
