import { isFault } from '../core/index.ts';
import { fitsMask } from './plan/current-candidates.ts';
import type { CurrentCandidate, SurveyedKey } from './service-types.ts';
import type { Sink } from './sink.ts';
import { fingerprintOf } from './sinks/fingerprint.ts';
import type { EngineDeps } from './rotation/engine-deps.ts';
import { sinksOf } from './rotation/up-to-date.ts';

type Deps = Pick<EngineDeps, 'account' | 'journal' | 'consumerOf' | 'deliveredBy'>;

/** What one sink holds, as far as it can be compared with keys; nothing where it is empty or cannot be read. */
const contentOf = async (
  { account }: Deps,
  sink: Sink,
  { key, service, generation }: SurveyedKey,
  signal: AbortSignal,
): Promise<{ readonly plaintext?: string; readonly fingerprint: string } | undefined> => {
  try {
    const secret = await sink.read?.(signal);
    if (secret !== undefined) {
      const plaintext = secret.reveal().trim();
      return { plaintext, fingerprint: fingerprintOf(plaintext) };
    }
    const reading = await sink.fingerprint({ account, service, generation, keyName: key.name }, signal);
    return reading.state === 'holds' ? { fingerprint: reading.fingerprint } : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isFault(error)) return undefined;
    throw error;
  }
};

/** The keys with the places that hold them: by fingerprint, or by a mask that fits no other of them. */
export const matchSinks = async (
  deps: Deps,
  keys: readonly SurveyedKey[],
  signal: AbortSignal,
): Promise<readonly CurrentCandidate[]> => {
  const { account, journal, deliveredBy = () => [] } = deps;
  const places = new Map<number, Set<string>>();
  for (const job of new Set(keys.flatMap((key) => deliveredBy(key))))
    for (const sink of sinksOf(deps, job, keys[0]?.service ?? '') ?? []) {
      const [any] = keys;
      const content = any === undefined ? undefined : await contentOf(deps, sink, any, signal);
      if (content === undefined) continue;
      const { plaintext, fingerprint } = content;
      const proven = keys.filter(({ key }) => journal.fingerprint(account, key.id) === fingerprint);
      const fitting =
        plaintext === undefined
          ? []
          : keys.filter(({ key }) => key.keyMask !== undefined && fitsMask(key.keyMask, plaintext));
      const [held, second] = proven.length > 0 ? proven : fitting;
      if (held === undefined || second !== undefined) continue;
      places.set(held.key.id, (places.get(held.key.id) ?? new Set()).add(sink.place));
    }
  const oldestFirst = keys.toSorted((left, right) => left.key.id - right.key.id);
  return oldestFirst.map(({ key: { id, name, keyMask } }) => ({
    keyId: id,
    name,
    ...(keyMask === undefined ? {} : { mask: keyMask }),
    places: [...(places.get(id) ?? [])],
  }));
};
