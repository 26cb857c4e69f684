import { unixMillis, unixSeconds, type UnixMillis } from '../../core/index.ts';
import { generationKey, note, type Cycle } from '../cycle/cycle.ts';
import { keyClock } from '../cycle/key-clock.ts';
import { isHeldByPlace, isTimed, type OldKey, type Rotation } from '../model/rotation.ts';
import type { OfOld, Step } from './step.ts';

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

/** Both keys work for the whole overlap, which starts at the cutover or, if later, when the consumer is notified. */
export const inUseSince = ({ cutover, rotation }: Pick<OfOld, 'cutover' | 'rotation'>): number =>
  Math.max(cutover, rotation.reloadedAt ?? 0);

/** Sets the expiry of a key that ends after the overlap without evidence of its disuse. */
export const setOverlapEnd: Step<OfOld> = {
  name: 'set-expiry',
  rereadsSinks: true,
  due: ({ rotation, old }) => {
    if (!isTimed(rotation, old)) return false;
    return isHeldByPlace(old) ? { rest: old.retained?.message ?? '' } : old.expiry?.set !== true;
  },
  run: async ({ cycle }, { rotation, old, cutover }) => {
    const ends = Math.max(inUseSince({ cutover, rotation }), old.heldUntil ?? 0) + rotation.terms.overlap;
    // A gateway whose clock is ahead would end the key early.
    const ahead = Math.max(0, (await keyClock(cycle)).offset);
    await setExpiry(cycle, rotation, old, unixMillis(ends + ahead));
  },
};
