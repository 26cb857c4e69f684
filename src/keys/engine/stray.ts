import { toMillis } from '../../base/index.ts';
import type { UnixMillis } from '../../base/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import { birthTold } from '../birth.ts';
import { clockSkew } from './clock-skew.ts';

/** Milliseconds for which a request whose answer was lost may be on its way. */
const longestWay = 3_600_000;

/**
 * Whether a key that is listed now can have come of a request that was sent then. Its name alone does not tell: a person can
 * give a key the name of one that was lost, before or after. One that is seen soon came of it whatever the gateway's clock
 * says, since nobody bore the name before; a key without a birth can have come of any.
 */
export const canComeOf = (
  { createdTime }: Pick<ApiKey, 'createdTime'>,
  askedAt: UnixMillis,
  now: UnixMillis,
): boolean => {
  const born = birthTold({ createdTime });
  if (born === undefined) return true;
  if (now <= askedAt + longestWay + clockSkew) return true;
  const made = toMillis(born);
  return made >= askedAt - clockSkew && made <= askedAt + longestWay + clockSkew;
};
