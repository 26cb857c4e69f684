import { shellWord } from '../../core/index.ts';
import { generationKey, note, notifyOf, type Cycle } from '../cycle/cycle.ts';
import type { HoldFacts } from '../model/alert.ts';
import { isCompromised, type OldKey, type Rotation } from '../model/rotation.ts';
import { undeclaredText } from '../retirement/kept-by-sinks.ts';
import type { OfOld, Step } from './step.ts';

const messageOf = ({ rotation, old, view: { undeclaredPlaces: places } }: OfOld): string => {
  const it = places.length === 1 ? 'it' : 'them';
  return `${old.name} is retained: ${undeclaredText(places)}; declare ${it} under \`deliver\` again, or confirm with \`tollkeeper keys give-up ${shellWord(rotation.service)} --forget-places\` that no consumer there uses the key`;
};

/** A dead key needs no hold, and a compromised one gets none. */
const isHeldBack = ({ rotation, old, view }: OfOld): boolean =>
  !isCompromised(rotation, old) && !view.isDead(old.keyId) && view.undeclaredPlaces.length > 0;

const isHeld = ({ retained }: OldKey): boolean => retained?.reason === 'place-undeclared';

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

export const holdKey = async (
  cycle: Cycle,
  rotation: Rotation,
  old: OldKey,
  why: Extract<HoldFacts, { reason: 'place-undeclared' | 'sink-holds-it' }>,
  message: string,
): Promise<void> => {
  const { reason } = why;
  await restoreExpiry(cycle, rotation, old);
  await notifyOf(cycle, rotation, {
    kind: 'held',
    about: { event: 'held', name: old.name, why, words: message },
    key: `${rotation.id}/${old.keyId}/${reason}`,
  });
  await note(cycle, rotation, { what: 'held', ...generationKey(old), reason, words: message });
};

/** Retains an old key while a place that no sink reads may hold it. */
export const hold: Step<OfOld> = {
  name: 'hold',
  due: (situation) => {
    const { old } = situation;
    if (!isHeldBack(situation)) return false;
    const message = messageOf(situation);
    return isHeld(old) && old.state === 'working' && old.retained?.message === message
      ? { rest: message }
      : true;
  },
  run: ({ cycle }, situation) =>
    holdKey(
      cycle,
      situation.rotation,
      situation.old,
      { reason: 'place-undeclared', places: situation.view.undeclaredPlaces },
      messageOf(situation),
    ),
};

export const endHold: Step<OfOld> = {
  name: 'end-hold',
  due: ({ rotation, old }) => isHeld(old) && !isCompromised(rotation, old),
  run: ({ cycle }, { rotation, old }) => note(cycle, rotation, { what: 'hold-ended', ...generationKey(old) }),
};
