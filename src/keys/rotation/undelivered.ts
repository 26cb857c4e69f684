import { errorFields, hasCode, isFault } from '../../core/index.ts';
import { candidateOf, type Attempt, type Rotation } from '../model/rotation.ts';
import type { Sink } from '../model/sink.ts';
import { deleteAndVerify } from '../retirement/clear-key.ts';
import { advanceAll } from './advance-all.ts';
import type { Moved } from './advance.ts';
import { generationKeyOf, note, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { sinksOf } from '../cycle/up-to-date.ts';
import { openRotations } from '../model/key-state.ts';

/** Milliseconds before each further delivery of the same key within one command. */
const pauses = [2000, 10_000] as const;

const isUndelivered = (cycle: Cycle, rotation: Rotation): boolean => {
  const attempt = candidateOf(rotation);
  return attempt?.state === 'delivering' && cycle.deps.plaintexts.has(plaintextOf(rotation, attempt));
};

/** Retries failed deliveries now, because the plaintext is lost when this process ends. */
export const deliverAgain = async (cycle: Cycle, results: readonly Moved[]): Promise<readonly Moved[]> => {
  const latest = new Map(results.map((one) => [one.rotation.id, one]));
  for (const pause of pauses) {
    const left = [...latest.values()].filter(
      ({ rotation, fault }) =>
        hasCode(fault, 'sink-failed') && rotation.waiting === undefined && isUndelivered(cycle, rotation),
    );
    if (left.length === 0) break;
    await cycle.deps.clock.wait(pause, cycle.signal);
    const again = await advanceAll(
      cycle,
      left.map(({ rotation }) => rotation.id),
      () => undefined,
    );
    for (const one of again) latest.set(one.rotation.id, { ...one, moved: true });
  }
  return [...latest.values()];
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
