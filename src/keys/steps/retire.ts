import { generationKey, note } from '../cycle/cycle.ts';
import { isCompromised, isTimed, type OldKey, type Rotation } from '../model/rotation.ts';
import { isStillUnused } from '../retirement/renew-evidence.ts';
import { checkStillKept } from './read-back.ts';
import { neverCalled, sinksOf, type OfOld, type Step, type Work } from './step.ts';

/** Whether the key may end now. A compromised key ends even if a consumer still uses it. */
export const mayEnd = async (work: Work, rotation: Rotation, old: OldKey): Promise<boolean> => {
  if (isCompromised(rotation, old)) return true;
  const successor =
    rotation.attempts.find(({ state }) => state === 'current') ?? neverCalled('the successor');
  await checkStillKept(work.cycle, rotation, successor, sinksOf(work, rotation));
  return isTimed(rotation, old) || isStillUnused(work.cycle, rotation, old);
};

/** Begins the end of an old key. */
export const retire: Step<OfOld> = {
  name: 'retire',
  rereadsSinks: true,
  due: ({ rotation, old }) => isCompromised(rotation, old) || old.idle,
  run: async (work, { rotation, old }) => {
    if (await mayEnd(work, rotation, old))
      await note(work.cycle, rotation, { what: 'retiring', ...generationKey(old) });
  },
};

/** Either clock may have been set: the overlap is over when both agree. */
export const retireAfterOverlap: Step<OfOld> = {
  ...retire,
  due: ({ rotation, old, view: { now, gatewayNow = now } }) =>
    isTimed(rotation, old) && old.expiry?.set === true && Math.min(now, gatewayNow) >= old.expiry.at * 1000,
};
