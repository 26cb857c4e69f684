import { clockOffset, isFault, unixMillis, type UnixMillis } from '../core/index.ts';
import type { ApiKey } from '../gateway/index.ts';
import type { DeadKey } from './model/service-types.ts';
import { deadBy } from './plan/key-state.ts';
import type { Sink } from './model/sink.ts';
import type { EngineDeps } from './cycle/engine-deps.ts';

type Deps = Pick<EngineDeps, 'account' | 'journal' | 'clock' | 'gatewayClock'>;

/** Why calls with the key that a sink holds fail. An exhausted quota is not the sink's fault. */
const stateOf = (listed: ApiKey | undefined, now: UnixMillis): DeadKey['state'] | undefined => {
  if (listed === undefined) return 'deleted';
  const dead = deadBy(listed, now);
  return dead === 'exhausted' ? undefined : dead;
};

/**
 * The key that the sink holds, if the gateway no longer accepts it. Undefined if the sink is empty, cannot be read now, or holds a key without a
 * fingerprint in the journal.
 */
export const deadKeyIn = async (
  { account, journal, clock, gatewayClock }: Deps,
  sink: Sink,
  service: string,
  keys: ReadonlyMap<number, ApiKey>,
  signal: AbortSignal,
): Promise<Omit<DeadKey, 'since'> | undefined> => {
  const generation = Math.max(1, journal.state(account).highest.get(service) ?? 0);
  try {
    const reading = await sink.fingerprint({ account, service, generation, keyName: service }, signal);
    if (reading.state !== 'holds') return undefined;
    const now = unixMillis(clock.now() + clockOffset(gatewayClock?.()));
    for (const { keyId, name } of journal.state(account).lineage.values()) {
      if (journal.state(account).fingerprints.get(keyId) !== reading.fingerprint) continue;
      const state = stateOf(keys.get(keyId), now);
      return state === undefined ? undefined : { service, place: sink.place, keyId, name, state };
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isFault(error)) return undefined;
    throw error;
  }
};
