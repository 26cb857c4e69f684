import type { SinkNames } from './fill.ts';
import type { Place } from './place.ts';
import { definitionOf, type SinkSpec } from './registry.ts';

export const placeName = ({ whole, part }: Place): string => whole + part;

/** Fills the spec for one service and determines its place. @throws Fault sink-refused for names that the sink cannot use */
export const locate = (
  spec: SinkSpec,
  names: SinkNames,
  cwd: string,
): { readonly filled: SinkSpec; readonly place: Place } => {
  const definition = definitionOf(spec);
  const filled = definition.fill(spec, names, cwd);
  return { filled, place: definition.place(filled, names) };
};

export type PlaceClash = {
  readonly place: string;
  /** Two or more; a service that appears twice has two sinks in one place. */
  readonly services: readonly SinkNames[];
};

export type SinksOf = SinkNames & { readonly sinks: readonly SinkSpec[] };

/** Services that would share a place, so that one would hold the key of the other. @throws Fault sink-refused for names that a sink cannot use */
export const placesClash = (services: readonly SinksOf[], cwd: string): readonly PlaceClash[] => {
  const taken = new Map<string, { readonly place: Place; readonly names: SinkNames }[]>();
  const clashes = new Map<string, SinkNames[]>();
  for (const { account, service, sinks } of services) {
    const names = { account, service };
    for (const sink of sinks) {
      const { place } = locate(sink, names, cwd);
      const there = taken.get(place.whole) ?? [];
      taken.set(place.whole, [...there, { place, names }]);
      const other = there.find((one) => one.place.overlaps(place.part));
      if (other === undefined) continue;
      const key = placeName(other.place);
      clashes.set(key, [...(clashes.get(key) ?? [other.names]), names]);
    }
  }
  return [...clashes].map(([place, shared]) => ({ place, services: shared }));
};
