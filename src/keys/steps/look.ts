import { formatMoment, unixSeconds } from '../../core/index.ts';
import type { Attempt } from '../model/rotation.ts';
import type { OfAttempt, Step, View } from './step.ts';

/** The time from which a list proves whether a request without an answer created a key; 0 if our clock was set back since. */
export const settledAt = ({ askedAt }: Attempt, { now, settle }: Pick<View, 'now' | 'settle'>): number =>
  askedAt > now + settle ? 0 : askedAt + settle;

/** Lists the keys again once the list can prove that a request without an answer created none. */
export const look: Step<OfAttempt> = {
  name: 'look',
  due: ({ attempt, view }) => {
    const settled = settledAt(attempt, view);
    if (attempt.state !== 'lost' || view.listedAt >= settled) return false;
    if (view.now >= settled) return true;
    const moment = formatMoment(unixSeconds(Math.floor(settled / 1000)), view.zone);
    return {
      rest: `the gateway did not answer for ${attempt.name}; the key list is checked for it after ${moment}`,
    };
  },
  run: ({ cycle }) => cycle.look(),
};
