import { hasCode } from '../../core/index.ts';
import type { Attempt, GenerationKey, OldKey, Rotation } from '../model/rotation.ts';
import { generationKey, generationKeyOf, note, plaintextOf, notifyOf, type Cycle } from './cycle.ts';

/**
 * Whether the error proves, beside a list without the key, that the gateway does not know it. The status is open (docs/gateway.md G8.15): any refusal
 * counts that does not concern the Admin Key, its scope or the rate; a failure of the gateway proves nothing.
 */
const knowsNoKey = (error: unknown): boolean =>
  hasCode(error, 'gateway-refused') ||
  hasCode(error, 'gateway-not-found') ||
  hasCode(error, 'gateway-http-error');

/**
 * Whether an unlisted key is gone. A list may be late, or miss a key while others are deleted between its pages, so the gateway must also not know
 * the id. @throws any other error of the gateway client
 */
export const isGone = async (cycle: Cycle, keyId: number): Promise<boolean> => {
  try {
    cycle.noteMade(await cycle.deps.gateway.read(keyId, cycle.signal));
    return false;
  } catch (error) {
    cycle.signal.throwIfAborted();
    if (knowsNoKey(error)) return true;
    throw error;
  }
};

/** An old key that was deleted externally needs no retirement. */
export const verifyStillExists = async (cycle: Cycle, rotation: Rotation, old: OldKey): Promise<void> => {
  if (await isGone(cycle, old.keyId))
    await note(cycle, rotation, { what: 'vanished', ...generationKey(old) });
};

/** A successor that was deleted externally is replaced, and no old key is retired before its replacement is in every sink. */
export const verifySuccessorExists = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
): Promise<void> => {
  const key = generationKeyOf(attempt);
  if (!(await isGone(cycle, key.keyId))) return;
  await note(cycle, rotation, { what: 'vanished', ...key });
  cycle.deps.plaintexts.delete(plaintextOf(rotation, attempt));
  const { service, id } = rotation;
  await notifyOf(cycle, rotation, {
    kind: 'escalated',
    title: `the new key ${key.name} was deleted externally`,
    message: `${key.name}, the new key of ${service}, was deleted externally while sinks may hold it; another key is created, and no old key is retired until every sink holds that one`,
    advice: 'Find out who deleted it; calls with it fail until its successor is delivered.',
    key: `${id}/${key.keyId}/taken-away`,
  });
};

/** Milliseconds for which caches of the gateway may keep the old state of a key, plus a minute (docs/gateway.md G8.16). */
export const cachesHold = 660_000;

/** Notifies operators once, after `cachesHold`, of a key that the gateway still lists although it was asked to delete it. */
export const notifyStaying = async (
  cycle: Cycle,
  { id, service }: Pick<Rotation, 'id' | 'service'>,
  key: GenerationKey,
  since: number | undefined,
): Promise<void> => {
  const { clock } = cycle.deps;
  if (since === undefined || clock.now() - since < cachesHold) return;
  await notifyOf(
    cycle,
    { id, service },
    {
      kind: 'escalated',
      title: `the key ${key.name} still exists after its deletion`,
      message: `the gateway was asked to delete ${key.name} (id ${key.keyId}) at ${new Date(since).toISOString()} and still lists it; the request is repeated in every cycle`,
      advice: 'Inspect the key at the gateway, and delete it manually if it still works.',
      key: `${id}/${key.keyId}/still-there`,
    },
  );
};
