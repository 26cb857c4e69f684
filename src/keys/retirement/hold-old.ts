import type { Attempt, OldKey, Rotation } from '../model/rotation.ts';
import type { Sink } from '../model/sink.ts';
import { generationKey, note, notifyOf, type Cycle } from '../cycle/cycle.ts';
import { instead } from '../cycle/deliver-key.ts';
import { undeclaredMessage } from './hold-messages.ts';

const endBefore = async ({ deps }: Cycle, { id, service }: Rotation, { keyId }: OldKey) => {
  const history = await deps.journal.history({ account: deps.account, service });
  const first = history.find(
    (event) => event.what === 'expiring' && event.rotation === id && event.keyId === keyId,
  );
  return first?.what === 'expiring' ? first.before : undefined;
};

/** The expiry that this rotation set would end a key that may be in use, so the earlier expiry is restored. */
const restoreExpiry = async (cycle: Cycle, rotation: Rotation, old: OldKey): Promise<void> => {
  if (old.expiry === undefined) return;
  const before = await endBefore(cycle, rotation, old);
  if (before === undefined) return;
  await cycle.deps.gateway.update(old.keyId, { expiredTime: before }, { neverRaise: false }, cycle.signal);
  await note(cycle, rotation, { what: 'expiry-restored', ...generationKey(old), expiredTime: before });
};

const hold = async (
  cycle: Cycle,
  rotation: Rotation,
  old: OldKey,
  { reason, message }: { readonly reason: 'place-undeclared' | 'sink-holds-it'; readonly message: string },
): Promise<void> => {
  await restoreExpiry(cycle, rotation, old);
  await notifyOf(cycle, rotation, {
    kind: 'held',
    title: `the old key ${old.name} is retained: a consumer may still hold it`,
    message,
    advice: 'Nothing is deleted until then.',
    key: `${rotation.id}/${old.keyId}/${reason}`,
  });
  await note(cycle, rotation, { what: 'held', ...generationKey(old), reason, words: message });
};

export const holdForPlaces = (
  cycle: Cycle,
  rotation: Rotation,
  old: OldKey,
  places: readonly string[],
): Promise<void> =>
  hold(cycle, rotation, old, {
    reason: 'place-undeclared',
    message: undeclaredMessage(old, rotation.service, places),
  });

/**
 * Reads the sinks during the overlap of a key that ends without evidence. A sink that holds another key than the successor may hold the old one,
 * which is then retained. A sink that cannot be read now is read again in the next cycle.
 */
export const checkOverlap = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  old: OldKey,
  sinks: readonly Sink[],
): Promise<void> => {
  cycle.overlapChecked.add(old.keyId);
  const found: string[] = [];
  for (const sink of sinks) {
    const other = await instead(cycle, rotation, attempt, sink).catch((error: unknown) => {
      cycle.signal.throwIfAborted();
      cycle.deps.log.debug('a sink could not be read', { place: sink.place, error: String(error) });
      return undefined;
    });
    if (other !== undefined) found.push(`${sink.describe()} no longer holds ${attempt.name}: ${other}`);
  }
  const isHeld = old.retained?.reason === 'sink-holds-it';
  if (found.length === 0 && isHeld)
    await note(cycle, rotation, { what: 'hold-ended', ...generationKey(old) });
  if (found.length === 0 || isHeld) return;
  await hold(cycle, rotation, old, {
    reason: 'sink-holds-it',
    message: `${old.name} is retained: ${found.join('; ')}. Its expiry is put back until every sink holds ${attempt.name} again`,
  });
};
