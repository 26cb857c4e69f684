import { errorFields, isFault } from '../../core/index.ts';
import { candidateOf, type Attempt, type Rotation } from '../model/rotation.ts';
import type { Sink } from '../model/sink.ts';
import { deleteAndVerify } from '../retirement/clear-key.ts';
import { generationKeyOf, note, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { sinksOf } from '../cycle/up-to-date.ts';
import { openRotations } from '../model/key-state.ts';

/** Whether only this process has the plaintext of the key, because the delivery is not complete. */
export const isUndelivered = (cycle: Cycle, rotation: Rotation): boolean => {
  const attempt = candidateOf(rotation);
  return attempt?.state === 'delivering' && cycle.deps.plaintexts.has(plaintextOf(rotation, attempt));
};

/** Whether every place to which the delivery began can be read, and holds another key or none. */
const isHeldNowhere = async (
  cycle: Cycle,
  { service, account }: Rotation,
  { name, generation, places, fingerprint }: Attempt,
  sinks: readonly Sink[],
): Promise<boolean> => {
  for (const place of Object.keys(places)) {
    const sink = sinks.find((one) => one.place === place);
    if (sink === undefined) return false;
    const reading = await sink.fingerprint({ account, service, generation, keyName: name }, cycle.signal);
    const isElsewhere =
      reading.state === 'empty' || (reading.state === 'holds' && reading.fingerprint !== fingerprint);
    if (!isElsewhere) return false;
  }
  return true;
};

/**
 * Runs before the process ends, which loses its plaintext keys. Deletes a key whose delivery failed where every sink proves not to hold it; the next
 * cycle judges any other.
 */
export const releaseUndelivered = async (cycle: Cycle): Promise<void> => {
  const { journal, account, plaintexts, log } = cycle.deps;
  for (const rotation of openRotations(journal.state(account))) {
    const attempt = candidateOf(rotation);
    if (attempt?.keyId === undefined || !isUndelivered(cycle, rotation)) continue;
    try {
      const sinks = sinksOf(cycle.deps, rotation.terms.job, rotation.service) ?? [];
      if (!(await isHeldNowhere(cycle, rotation, attempt, sinks))) continue;
      await note(cycle, rotation, { what: 'deleting', ...generationKeyOf(attempt), why: 'orphan' });
      plaintexts.delete(plaintextOf(rotation, attempt));
      const { deleted } = await deleteAndVerify(cycle, attempt.keyId);
      if (deleted) await note(cycle, rotation, { what: 'deleted', ...generationKeyOf(attempt) });
    } catch (error) {
      cycle.signal.throwIfAborted();
      if (!isFault(error)) throw error;
      log.warn('an undelivered key could not be deleted; the next cycle retries', {
        service: rotation.service,
        ...errorFields(error),
      });
    }
  }
};
