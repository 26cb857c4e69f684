import { hasCode, unixMillis } from '../../core/index.ts';
import type { GenerationKey, Rotation } from '../model/rotation.ts';
import { notifyOf, type Cycle } from './cycle.ts';

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
      about: { event: 'still-there', name: key.name, keyId: key.keyId, since: unixMillis(since) },
      key: `${id}/${key.keyId}/still-there`,
    },
  );
};
