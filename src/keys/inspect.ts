import { deadKeyIn } from './dead-keys.ts';
import type { DeadKey } from './model/service-types.ts';
import { note, notifyOf, type Cycle } from './cycle/cycle.ts';
import { isGone } from './cycle/seek-key.ts';
import { newerKeys, outdatedNow, sinksOf } from './cycle/up-to-date.ts';

export const deadKeysOf = async (
  cycle: Cycle,
  service: string,
): Promise<readonly Omit<DeadKey, 'since'>[]> => {
  const { deps, signal } = cycle;
  const job = deps.journal.state(deps.account).managed.get(service);
  const found: Omit<DeadKey, 'since'>[] = [];
  for (const sink of sinksOf(deps, job, service) ?? []) {
    const dead = await deadKeyIn(deps, sink, service, cycle.keys(), signal);
    // The list may be late, or older than a delivery by another operation.
    if (dead !== undefined && (dead.state !== 'deleted' || (await isGone(cycle, dead.keyId))))
      found.push(dead);
  }
  return found;
};

/** Records and notifies once that a sink of the service holds a key that no longer works, and records when that ends. */
const noteDeadKeys = async (cycle: Cycle, service: string): Promise<void> => {
  const { journal, account, clock } = cycle.deps;
  const known = [...journal.state(account).deadKeys.values()].filter((one) => one.service === service);
  const found = await deadKeysOf(cycle, service);
  const rotation = { id: `sinks/${service}`, service };
  for (const one of known)
    if (!found.some(({ place }) => place === one.place))
      await note(cycle, rotation, { what: 'sink-well', place: one.place });
  for (const one of found) {
    const { place, keyId, name, state } = one;
    const before = known.find((other) => other.place === place);
    if (before?.keyId === keyId && before.state === state) continue;
    cycle.deps.log.warn('a sink holds a key that no longer works', { service, place, key: name, state });
    await notifyOf(cycle, rotation, {
      kind: 'escalated',
      about: { event: 'sink-dead', place, keyId, name, state },
      key: `sink-dead/${place}/${keyId}/${state}/${clock.now()}`,
    });
    await note(cycle, rotation, { what: 'sink-dead', place, keyId, name, state });
  }
};

/**
 * Compares the journal with the key list, and on request with the sinks. Records and notifies each finding once; changes nothing at the gateway or in
 * a sink. `alone` excludes other operations on the keys for one service at a time.
 */
export const inspect = async (
  cycle: Cycle,
  { sinks }: { readonly sinks: boolean },
  alone: () => Promise<Disposable>,
): Promise<void> => {
  const { journal, account } = cycle.deps;
  const listed = [...cycle.keys().values()];
  for (const [service, job] of journal.state(account).managed) {
    cycle.signal.throwIfAborted();
    if (!sinks && newerKeys(cycle.deps, service, listed).length === 0) continue;
    using _alone = await alone();
    // Another operation may have changed the keys since the first check.
    await outdatedNow(cycle, service, job);
    if (sinks) await noteDeadKeys(cycle, service);
  }
};
