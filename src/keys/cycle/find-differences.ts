import type { KeyPlace } from '../plan/key-names.ts';
import type { Fingerprint } from '../model/sink.ts';

/** A listed key whose id the journal does not know and whose name it never requested. */
export type UnknownKey = { readonly keyId: number; readonly name: string; readonly place: KeyPlace };

export type SinkContent = {
  readonly place: string;
  readonly sink: string;
  readonly fingerprint: Fingerprint;
  /** `first`: the journal knows no content of the sink yet. */
  readonly is: 'known' | 'unknown' | 'first';
};

/** What the gateway or a sink has and only a newer journal could know. */
export type Difference =
  | ({ readonly kind: 'key'; readonly highest: number } & UnknownKey)
  | ({ readonly kind: 'sink' } & SinkContent);

/** The random suffix distinguishes a key of a known generation number from one that existed before. */
const isNewer = ({ place: { generation, suffix } }: UnknownKey, highest: number): boolean =>
  generation > highest || (generation === highest && suffix !== undefined);

/** What exists for a service and is unknown to the journal, although the journal should be its only writer. Pure. */
export const findDifferences = (
  highest: number,
  keys: readonly UnknownKey[],
  sinks: readonly SinkContent[],
): readonly Difference[] => [
  ...keys.filter((key) => isNewer(key, highest)).map((key) => ({ kind: 'key' as const, highest, ...key })),
  ...sinks.filter(({ is }) => is === 'unknown').map((content) => ({ kind: 'sink' as const, ...content })),
];
