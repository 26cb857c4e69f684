import { addMoney, zero, type Money } from '../../core/index.ts';
import type { KeyEvent } from '../events/key-event.ts';
import { liveOf } from '../model/lineage.ts';
import { isOfRotation, type Attempt, type OldKey, type Rotation } from '../model/rotation.ts';
import { generationKey, generationKeyOf, note, notifyOf, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { gatewayMoment } from '../cycle/gateway-time.ts';
import type { OfAttempt, Step } from './step.ts';

type Doubt = NonNullable<OldKey['doubtful']>;

/** Compromised or doubtful keys that an earlier rotation may have left: one that is given up because of another leak leaves its own. */
const doubtsOf = (history: readonly KeyEvent[]): Map<number, Doubt> => {
  const doubts = new Map<number, Doubt>();
  for (const event of history) {
    if (event.what === 'planned' && event.why === 'leak' && event.old !== undefined)
      doubts.set(event.old.keyId, 'leaked');
    if (event.what === 'deleting' && event.why === 'leaked') doubts.set(event.keyId, 'leaked');
    if (event.what !== 'current') continue;
    for (const { keyId, doubtful } of event.olds)
      if (doubtful !== undefined && !doubts.has(keyId)) doubts.set(keyId, doubtful);
  }
  return doubts;
};

type Leaving = { readonly keyId: number; readonly name: string; readonly remain?: Money };

/** Notifies how much can be spent beside the successor's quota until the old keys end. */
const notifyExposure = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  olds: readonly Leaving[],
): Promise<void> => {
  if (rotation.terms.quota.kind !== 'carry') return;
  const own = olds.flatMap(({ keyId, name, remain }) =>
    remain !== undefined && isOfRotation(rotation, keyId) ? [{ name, remain }] : [],
  );
  if (own.length === 0) return;
  const sum = own.reduce((total, { remain }) => addMoney(total, remain), zero);
  await notifyOf(cycle, rotation, {
    kind: 'exposure',
    about: { event: 'exposure', name: attempt.name, quota: attempt.spec.remainQuota, sum, olds: own },
    key: `${rotation.id}/exposure`,
  });
};

/**
 * Records the cutover once every sink holds the new key. All other live keys of the service become old keys, including those that a crash left
 * behind.
 */
export const cutOver: Step<OfAttempt> = {
  name: 'cut-over',
  // A place that was declared after the read-back must hold the key too.
  due: ({ attempt, places }) =>
    attempt.state === 'read-back' && places.every(({ place }) => attempt.places[place]?.done === true),
  run: async ({ cycle }, { rotation, attempt }) => {
    const { journal, account, plaintexts } = cycle.deps;
    const others = liveOf(journal.state(account).lineage, rotation.service).filter(
      ({ keyId }) => keyId !== attempt.keyId,
    );
    const doubts = doubtsOf(await journal.history({ account, service: rotation.service }));
    for (const keyId of journal.state(account).unfinished.get(rotation.service) ?? [])
      if (!doubts.has(keyId)) doubts.set(keyId, 'unfinished');
    // Before the first cutover consumers may hold any of these keys.
    if (!journal.state(account).current.has(rotation.service))
      for (const { keyId } of others)
        if (keyId !== rotation.old?.keyId && !doubts.has(keyId)) doubts.set(keyId, 'unclear');
    const olds = others.map((row) => {
      const listed = cycle.keys().get(row.keyId);
      const isLimited = listed !== undefined && !listed.unlimitedQuota;
      const doubtful = doubts.get(row.keyId);
      return {
        ...generationKey(row),
        ...(isLimited ? { remain: listed.remainQuota } : {}),
        ...(doubtful === undefined ? {} : { doubtful }),
      };
    });
    // Notifies before it records: a kill in between must not lose the notification.
    await notifyExposure(cycle, rotation, attempt, olds);
    const gateway = gatewayMoment(cycle);
    await note(cycle, rotation, {
      what: 'current',
      ...generationKeyOf(attempt),
      olds,
      ...(gateway === undefined ? {} : { gateway }),
    });
    plaintexts.delete(plaintextOf(rotation, attempt));
  },
};
