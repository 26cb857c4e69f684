import type { UnixMillis } from '../../core/index.ts';
import type { SurveyedKey } from '../model/service-types.ts';
import { deadBy } from './key-state.ts';

/** The keys that satisfy the condition, or all if none does. */
const rather = <Key>(keys: readonly Key[], holds: (key: Key) => boolean): readonly Key[] => {
  const found = keys.filter(holds);
  return found.length === 0 ? keys : found;
};

export const isLive = ({ key, retired }: SurveyedKey, now: UnixMillis): boolean =>
  retired !== true && deadBy(key, now) === undefined;

/** The newest working key of a service. A key that belongs to it only by name, or that not every sink ever held, counts only if there is no other. */
export const newestOf = <Key extends SurveyedKey>(line: readonly Key[], now: UnixMillis): readonly Key[] => {
  const known = rather(line, (key) => key.known && key.retired !== true);
  const live = rather(known, (key) => isLive(key, now));
  const whole = rather(live, ({ unfinished }) => unfinished !== true);
  const last = Math.max(...whole.map(({ generation }) => generation));
  return whole.filter(({ generation }) => generation === last);
};
