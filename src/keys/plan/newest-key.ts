import type { UnixMillis } from '../../core/index.ts';
import type { SurveyedKey } from '../service-types.ts';
import { deadBy } from './key-state.ts';

/** Those that it holds of, and all of them where it holds of none. */
const rather = <Key>(keys: readonly Key[], holds: (key: Key) => boolean): readonly Key[] => {
  const found = keys.filter(holds);
  return found.length === 0 ? keys : found;
};

/** Whether calls can be made with the key. */
export const isLive = ({ key, retired }: SurveyedKey, now: UnixMillis): boolean =>
  retired !== true && deadBy(key, now) === undefined;

/**
 * What a service's name stands for in an account: its newest key that works. One that only its name puts into the line, or
 * that not every sink ever held, is none where there is another.
 */
export const newestOf = <Key extends SurveyedKey>(line: readonly Key[], now: UnixMillis): readonly Key[] => {
  const known = rather(line, (key) => key.known && key.retired !== true);
  const live = rather(known, (key) => isLive(key, now));
  const whole = rather(live, ({ unfinished }) => unfinished !== true);
  const last = Math.max(...whole.map(({ generation }) => generation));
  return whole.filter(({ generation }) => generation === last);
};
