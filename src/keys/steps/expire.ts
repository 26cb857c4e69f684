import type { UnixMillis } from '../../core/index.ts';
import { generationKey, note } from '../cycle/cycle.ts';
import { keyClock } from '../cycle/key-clock.ts';
import { mayEnd } from './retire.ts';
import { setExpiry } from './set-expiry.ts';
import type { OfOld, Step } from './step.ts';

/** Ends an old key by expiry instead of deletion. */
export const expire: Step<OfOld> = {
  name: 'expire',
  rereadsSinks: true,
  due: ({ rotation: { terms }, old }) =>
    old.state === 'retiring' && terms.retire.ending === 'expire' && terms.retire.when !== 'now',
  run: async (work, { rotation, old }) => {
    if (!(await mayEnd(work, rotation, old))) return;
    const { cycle } = work;
    if (cycle.keys().has(old.keyId)) {
      const { past } = await keyClock(cycle);
      const expiredTime = old.expiry?.set === false && old.expiry.at < past ? old.expiry.at : past;
      const listed = cycle.keys().get(old.keyId);
      const isOver = typeof listed?.expiredTime === 'number' && listed.expiredTime <= past;
      if (!isOver) await setExpiry(cycle, rotation, old, (expiredTime * 1000) as UnixMillis);
    }
    await note(cycle, rotation, { what: 'retired', ...generationKey(old) });
  },
};
