import { generationKey, note, type Cycle } from '../cycle/cycle.ts';
import { holdRecord } from '../events/notices.ts';
import type { HoldFacts } from '../model/event-fields.ts';
import { isCompromised, type OldKey, type Rotation } from '../model/rotation.ts';
import { noteHold } from '../retirement/note-hold.ts';
import type { OfOld, Step } from './step.ts';

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
): Promise<void> => {
  await restoreExpiry(cycle, rotation, old);
  await noteHold(cycle, rotation, old, why, { key: why.reason });
};

const undeclared = ({ view }: OfOld) => ({
  reason: 'place-undeclared' as const,
  places: view.undeclaredPlaces,
});

/** Retains an old key while a place that no sink reads may hold it. */
export const hold: Step<OfOld> = {
  name: 'hold',
  due: (situation) => {
    const { old } = situation;
    if (!isHeldBack(situation)) return false;
    const { words: rest } = holdRecord(
      { ...old, service: situation.rotation.service, why: undeclared(situation) },
      situation.view.zone,
    );
    return isHeld(old) && old.state === 'working' && old.retained?.message === rest ? { rest } : true;
  },
  run: ({ cycle }, situation) => holdKey(cycle, situation.rotation, situation.old, undeclared(situation)),
};

export const endHold: Step<OfOld> = {
  name: 'end-hold',
  due: ({ rotation, old }) => isHeld(old) && !isCompromised(rotation, old),
  run: ({ cycle }, { rotation, old }) => note(cycle, rotation, { what: 'hold-ended', ...generationKey(old) }),
};
