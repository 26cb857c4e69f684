import { unixSeconds, type UnixMillis } from '../../core/index.ts';
import type { KeyEvent } from '../events/key-event.ts';
import { liveOf } from '../model/lineage.ts';
import type { Attempt, OldKey, Rotation } from '../model/rotation.ts';
import { generationKey, generationKeyOf, note, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { gatewayMoment } from '../cycle/gateway-time.ts';
import { keyClock } from '../cycle/key-clock.ts';
import { notifyExposure } from './settle-quota.ts';

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

/**
 * Records the cutover once every sink holds the new key. All other live keys of the service become old keys, including those that a crash left
 * behind.
 */
export const cutOver = async (cycle: Cycle, rotation: Rotation, attempt: Attempt): Promise<void> => {
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
};

/** Sets the expiry of an old key at the gateway, so that the key ends even if Tollkeeper does not run. Never extends its life. */
export const setExpiry = async (
  cycle: Cycle,
  rotation: Rotation,
  old: OldKey,
  at: UnixMillis,
): Promise<void> => {
  const listed = cycle.keys().get(old.keyId);
  const wanted = unixSeconds(Math.ceil(at / 1000));
  const own = listed?.expiredTime;
  const expiredTime = typeof own === 'number' && own < wanted ? own : wanted;
  await note(cycle, rotation, {
    what: 'expiring',
    ...generationKey(old),
    expiredTime,
    ...(own === undefined ? {} : { before: own }),
  });
  const { measured } = await cycle.deps.gateway.update(
    old.keyId,
    { expiredTime },
    { neverRaise: false },
    cycle.signal,
  );
  await note(cycle, rotation, { what: 'expiry-set', ...generationKey(old), expiredTime, measured });
};

export const expireNow = async (cycle: Cycle, rotation: Rotation, old: OldKey): Promise<void> => {
  if (cycle.keys().has(old.keyId)) {
    const { past } = await keyClock(cycle);
    const expiredTime = old.expiry?.set === false && old.expiry.at < past ? old.expiry.at : past;
    const listed = cycle.keys().get(old.keyId);
    const isOver = typeof listed?.expiredTime === 'number' && listed.expiredTime <= past;
    if (!isOver) await setExpiry(cycle, rotation, old, (expiredTime * 1000) as UnixMillis);
  }
  await note(cycle, rotation, { what: 'retired', ...generationKey(old) });
};
