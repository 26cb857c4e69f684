import type { Attempt, Rotation } from '../rotation.ts';
import { clearKey } from './clear-key.ts';
import { settledAt } from './decide.ts';
import { noteLost } from './make-key.ts';
import type { Pass } from './pass.ts';
import { seenBy, unsettledBeside } from './view-of.ts';

/** What is done of another service's key so that none is left over: it is made again later. */
const settleAttempt = async (pass: Pass, other: Rotation, attempt: Attempt): Promise<boolean> => {
  const { state, keyId, name } = attempt;
  const resting = keyId !== undefined && pass.resting.has(keyId);
  if ((state === 'made' || state === 'verified' || state === 'clearing') && keyId !== undefined && !resting) {
    await clearKey(pass, other, attempt, keyId);
    return true;
  }
  if (state === 'asked') {
    await noteLost(pass, other, attempt);
    return true;
  }
  if (state !== 'lost') return false;
  const seen = seenBy(pass);
  const orphanKey = seen.orphanOf(attempt);
  if (orphanKey !== undefined && !pass.resting.has(orphanKey)) {
    await clearKey(pass, other, attempt, orphanKey);
    return true;
  }
  const settled = settledAt(attempt, seen);
  if (pass.listedAt() >= settled || pass.waitedFor.has(name)) return false;
  pass.waitedFor.add(name);
  if (settled > seen.now) await pass.deps.clock.wait(settled - seen.now, pass.signal);
  await pass.look();
  return true;
};

/**
 * A leaked key waits for no other service: whose new key no sink can hold yet is made to begin anew, and a request whose
 * answer was lost is waited out (a minute at most). Whether anything was done that may have made way.
 */
export const makeWay = async (pass: Pass, rotation: Rotation): Promise<boolean> => {
  const other = unsettledBeside(pass, rotation);
  if (other === undefined) return true;
  for (const attempt of other.attempts) if (await settleAttempt(pass, other, attempt)) return true;
  return false;
};
