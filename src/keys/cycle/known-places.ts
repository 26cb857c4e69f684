import type { Rotation } from '../model/rotation.ts';
import type { Sink } from '../model/sink.ts';
import type { Consumer, EngineDeps } from './engine-deps.ts';
import type { Cycle } from './cycle.ts';
import { sinksOf } from './up-to-date.ts';

type OfRotation = Pick<Rotation, 'service' | 'terms' | 'attempts'>;

/**
 * The sinks that the current configuration declares for the service: those of the rotation's job and of every other job that delivers its keys, for
 * example after a job was renamed. @throws Fault sink-refused
 */
export const declaredSinks = (
  cycle: Cycle,
  { service, terms, attempts }: OfRotation,
  consumerOf: () => Consumer | undefined,
): readonly Sink[] => {
  const { deliveredBy = () => [] } = cycle.deps;
  const sinks = new Map((consumerOf()?.sinks ?? []).map((sink) => [sink.place, sink]));
  for (const { keyId, generation } of attempts) {
    const key = keyId === undefined ? undefined : cycle.keys().get(keyId);
    if (key === undefined) continue;
    for (const job of deliveredBy({ key, service, generation, known: true }))
      if (job !== terms.job)
        for (const sink of sinksOf(cycle.deps, job, service) ?? []) sinks.set(sink.place, sink);
  }
  return [...sinks.values()];
};

/** Places in the journal that no declared sink reads: each may hold any old key of the service. */
export const undeclaredPlaces = (
  { journal, account }: Pick<EngineDeps, 'journal' | 'account'>,
  service: string,
  declared: readonly Sink[],
): readonly string[] => {
  const readable = new Set(declared.map(({ place }) => place));
  return [...(journal.state(account).places.get(service) ?? [])].filter((place) => !readable.has(place));
};
