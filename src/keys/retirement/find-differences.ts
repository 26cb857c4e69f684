import type { KeyPlace } from '../plan/key-names.ts';
import type { Fingerprint } from '../sink.ts';

/** A listed key that the journal does not know: not by its id, and it never asked for one of this name. */
export type UnknownKey = { readonly keyId: number; readonly name: string; readonly place: KeyPlace };

/** What a sink of the service holds now. */
export type SinkContent = {
  readonly place: string;
  /** For a person. */
  readonly sink: string;
  readonly fingerprint: Fingerprint;
  /** `first`: the journal knows nothing of the sink yet. */
  readonly is: 'known' | 'unknown' | 'first';
};

/** Something that the gateway or a sink has and the journal cannot know of unless it is older than they are. */
export type Difference =
  | ({ readonly kind: 'key'; readonly highest: number } & UnknownKey)
  | ({ readonly kind: 'sink' } & SinkContent);

/** Generated with a suffix, the name of another generation is never that of a key that was there before. */
const isNewer = ({ place: { generation, suffix } }: UnknownKey, highest: number): boolean =>
  generation > highest || (generation === highest && suffix !== undefined);

/** What of a service the journal does not know of, though it would if nothing but it had written its keys. Pure. */
export const findDifferences = (
  highest: number,
  keys: readonly UnknownKey[],
  sinks: readonly SinkContent[],
): readonly Difference[] => [
  ...keys.filter((key) => isNewer(key, highest)).map((key) => ({ kind: 'key' as const, highest, ...key })),
  ...sinks.filter(({ is }) => is === 'unknown').map((content) => ({ kind: 'sink' as const, ...content })),
];

export const describeDifference = (difference: Difference): string =>
  difference.kind === 'key'
    ? `the gateway lists ${difference.name} (id ${difference.keyId}), and the journal knows generations up to ${difference.highest}`
    : `${difference.sink} holds a key that the journal never delivered there (SHA-256 ${difference.fingerprint.slice(0, 12)}…)`;
