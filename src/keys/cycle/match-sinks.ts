import { isFault } from '../../core/index.ts';
import { keyByMask } from '../plan/current-candidates.ts';
import type { CurrentCandidate, SurveyedKey } from '../model/service-types.ts';
import type { Sink } from '../model/sink.ts';
import { fingerprintOf } from '../sinks/fingerprint.ts';
import type { EngineDeps } from './engine-deps.ts';
import { sinksOf } from './up-to-date.ts';

type Deps = Pick<EngineDeps, 'account' | 'journal' | 'consumerOf' | 'deliveredBy'>;

export type SinkContent = { readonly plaintext?: string; readonly fingerprint: string };

/** Undefined if the sink is empty or does not show its content; a fault if it cannot be read now. @throws any other error */
export const readSink = async (
  account: string,
  sink: Sink,
  { key, service, generation }: SurveyedKey,
  signal: AbortSignal,
): Promise<SinkContent | Error | undefined> => {
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
    if (isFault(error)) return error;
    throw error;
  }
};

/** The keys with the places that hold them: by fingerprint, or by a mask that matches no other of these keys. */
export const matchSinks = async (
  deps: Deps,
  keys: readonly SurveyedKey[],
  signal: AbortSignal,
): Promise<readonly CurrentCandidate[]> => {
  const { account, journal, deliveredBy = () => [] } = deps;
  const places = new Map<number, Set<string>>();
  const [any] = keys;
  if (any === undefined) return [];
  const listed = keys.map(({ key }) => key);
  for (const job of new Set(keys.flatMap((key) => deliveredBy(key))))
    for (const sink of sinksOf(deps, job, any.service) ?? []) {
      const content = await readSink(account, sink, any, signal);
      if (content === undefined || content instanceof Error) continue;
      const { plaintext, fingerprint } = content;
      const proven = listed.find(({ id }) => journal.state(account).fingerprints.get(id) === fingerprint);
      const held = proven ?? (plaintext === undefined ? undefined : keyByMask(listed, plaintext));
      if (held !== undefined) places.set(held.id, (places.get(held.id) ?? new Set()).add(sink.place));
    }
  const oldestFirst = keys.toSorted((left, right) => left.key.id - right.key.id);
  return oldestFirst.map(({ key: { id, name, keyMask } }) => ({
    keyId: id,
    name,
    ...(keyMask === undefined ? {} : { mask: keyMask }),
    places: [...(places.get(id) ?? [])],
  }));
};
