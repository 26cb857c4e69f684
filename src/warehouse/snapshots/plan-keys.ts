import { fault, type Interval, type UnixMillis } from '../../core/index.ts';
import type { KeyRange } from './key-rows.ts';
import type { KeyState } from './snapshot.ts';

/** Changes to the ranges of an account's keys that make them show one reading from its moment to the next reading. */
export type KeyPlan = {
  /** Spans that end at the moment of the reading. */
  readonly ended: readonly KeyRange[];
  /** Ranges that began at the next reading and now begin at this one. */
  readonly drawnForward: readonly KeyRange[];
  readonly added: readonly KeyRange[];
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
};

export const sameKey = (left: KeyState, right: KeyState): boolean =>
  left.id === right.id &&
  left.name === right.name &&
  left.keyMask === right.keyMask &&
  left.status === right.status &&
  left.remainQuota === right.remainQuota &&
  left.unlimitedQuota === right.unlimitedQuota &&
  left.expiredTime === right.expiredTime &&
  left.group === right.group &&
  left.createdTime === right.createdTime &&
  left.rest === right.rest;

const byId = <T>(values: readonly T[], idOf: (value: T) => number): ReadonlyMap<number, T> => {
  const found = new Map<number, T>();
  for (const value of values) {
    if (found.has(idOf(value)))
      throw fault('gateway-answer-unreadable', `the key ${idOf(value)} is listed twice`);
    found.set(idOf(value), value);
  }
  return found;
};

/**
 * Ranges begin and end only at readings, so one that contains the moment contains everything `until` the next reading.
 * `current` contain the moment; `following` begin at the next reading, if there is one. Pure.
 */
export const planKeys = (
  keys: readonly KeyState[],
  { start, end }: Interval<UnixMillis>,
  current: readonly KeyRange[],
  following: readonly KeyRange[],
): KeyPlan => {
  const listed = byId(keys, ({ id }) => id);
  const known = byId(current, ({ key }) => key.id);
  const next = byId(following, ({ key }) => key.id);
  const ended = current.filter(({ key }) => {
    const now = listed.get(key.id);
    return now === undefined || !sameKey(now, key);
  });
  const started = keys.filter((key) => {
    const before = known.get(key.id)?.key;
    return before === undefined || !sameKey(before, key);
  });
  const goesOn = (key: KeyState): KeyRange | undefined => {
    const range = next.get(key.id);
    return range !== undefined && sameKey(range.key, key) ? range : undefined;
  };
  const changed = started.filter(({ id }) => known.has(id)).length;
  return {
    ended,
    drawnForward: started.flatMap((key) => goesOn(key) ?? []),
    added: [
      ...started.filter((key) => goesOn(key) === undefined).map((key) => ({ key, from: start, until: end })),
      // From a later reading on, what it showed remains.
      ...ended.filter(({ until }) => until > end).map((range) => ({ ...range, from: end })),
    ],
    new: started.length - changed,
    changed,
    gone: ended.filter(({ key }) => !listed.has(key.id)).length,
  };
};
