import { dayMillis, durationText, toMillis, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import type { KeySurvey, PlannedExpiry } from '../model/service-types.ts';
import type { KeyEvent } from '../events/key-event.ts';
import { oldestFirst } from './skipped-key.ts';

/** Milliseconds before its expiry at which the owner of a key is notified. */
export const defaultNotices: readonly number[] = [30 * dayMillis, 7 * dayMillis, dayMillis];

/** Identifies one notice of one expiry: a moved expiry is notified again. */
const stageOf = (before: number, expiredTime: UnixSeconds): string =>
  `${durationText(before)} before it expires, ${new Date(toMillis(expiredTime)).toISOString().replace('.000Z', 'Z')}`;

/** The notices that are due, the key that expires first at the front: for each key only the nearest, each once. */
export const planNotices = (
  survey: KeySurvey,
  notices: readonly number[],
  history: readonly KeyEvent[],
): readonly PlannedExpiry[] => {
  const now: UnixMillis = survey.at;
  const notified = new Set(
    history.flatMap((event) => (event.what === 'warned' ? [`${event.keyId} ${event.stage}`] : [])),
  );
  const ownDoing = new Set(
    history.flatMap((event) =>
      event.what === 'expiry-set' || event.what === 'expiring' ? [`${event.keyId} ${event.expiredTime}`] : [],
    ),
  );
  const nearestLast = [...notices].sort((left, right) => right - left);
  return oldestFirst(survey.keys)
    .flatMap(({ key, service, generation, rotation }) => {
      const { id: keyId, name, expiredTime } = key;
      // An expiry of a replaced key, or one that Tollkeeper set, is expected; a paused rotation may leave the key in use.
      const isLeaving = rotation?.part === 'leaving' && rotation.stage !== 'waiting';
      if (expiredTime === 'never' || isLeaving || ownDoing.has(`${keyId} ${expiredTime}`)) return [];
      const left = toMillis(expiredTime) - now;
      const before = nearestLast.findLast((notice) => left > 0 && left <= notice);
      if (before === undefined) return [];
      const stage = stageOf(before, expiredTime);
      if (notified.has(`${keyId} ${stage}`)) return [];
      const notice = { kind: 'expires' as const, before, at: expiredTime };
      const action = { kind: 'warn' as const, stage, notice };
      return [{ left, planned: { keyId, generation, name, service, action } }];
    })
    .sort((one, other) => one.left - other.left)
    .map(({ planned }) => planned);
};
