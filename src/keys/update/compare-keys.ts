import { compareMoney, divideMoney, money, subtractMoney, zero } from '../../base/index.ts';
import type { Money, UnixSeconds } from '../../base/index.ts';
import type { ApiKey, KeySpec } from '../../gateway/index.ts';

/** Fields to be changed, by what they are to be. */
export type KeyChange = Partial<KeySpec>;

/** What remains to be seen of `remain_quota` after an update. */
export type ExpectedRemain = {
  /** What a read shows if nothing is spent meanwhile. */
  readonly shown: Money;
  /** How far above that a read may lie, where the last decimal is rounded. */
  readonly slack: Money;
  /** The most that calls may have spent meanwhile; half of what is left unless it is said. */
  readonly mostSpent?: Money;
};

export type KeyComparison = {
  /** Wanted fields that are not as wanted. */
  readonly missing: readonly string[];
  /** Other fields that are not as they were, as the gateway names them, each with what it was and is where that can be shown. */
  readonly harmed: readonly { readonly field: string; readonly words: string }[];
  /** What left a limited key meanwhile. */
  readonly spent: Money;
};

/** Counters and clocks that a gateway keeps beside a key and moves on by itself. */
const ownMotion = /(^|_)(used|accessed|access|last|updated?|counts?|requests?)(_|$)/;

const movedOn = (field: string, before: string | undefined, after: string | undefined): boolean => {
  if (!ownMotion.test(field) || before === undefined || after === undefined) return false;
  const [was, is] = [Number(before), Number(after)];
  return Number.isFinite(was) && Number.isFinite(is) && is > was;
};

const expired = ({ expiredTime }: ApiKey, at: UnixSeconds): boolean =>
  expiredTime !== 'never' && expiredTime <= at;
const exhausted = ({ unlimitedQuota, remainQuota }: ApiKey): boolean =>
  !unlimitedQuota && compareMoney(remainQuota, zero) <= 0;

/** 3 and 4 are written by the gateway itself, at once, late or never (gateway-field-notes.md, Keys: status); 2 is a person's doing. */
const statusFollows = (before: ApiKey, after: ApiKey, at: UnixSeconds): boolean => {
  const own = new Set<number | undefined>([1, 3, 4]);
  if (!own.has(before.status) || !own.has(after.status)) return false;
  return after.status === 1 || (after.status === 3 ? expired(after, at) : exhausted(after));
};

const half = (amount: Money): Money => divideMoney(amount, money('2'), 12) ?? zero;

/** Whether what a limited key has left can be what was written, less what calls have spent since. */
const remainFits = (after: Money, { shown, slack, mostSpent }: ExpectedRemain): boolean => {
  const fell = subtractMoney(shown, after);
  if (compareMoney(fell, subtractMoney(zero, slack)) < 0) return false;
  // Nothing is lost to a key that had nothing left.
  if (compareMoney(shown, zero) <= 0) return true;
  return compareMoney(fell, mostSpent ?? half(shown)) <= 0;
};

/** A key that was to have more left and has no more than before was not written. */
const unraised = (before: ApiKey, after: ApiKey, { shown, slack }: ExpectedRemain): boolean =>
  compareMoney(subtractMoney(shown, slack), before.remainQuota) > 0 &&
  compareMoney(after.remainQuota, before.remainQuota) <= 0;

const shownValue = (value: string | number | boolean | undefined): string =>
  value === undefined ? 'missing' : String(value);

/** Compares each field of a key before and after an update at the moment `at`: only what was wanted may be another. */
export const compareKeys = (
  before: ApiKey,
  after: ApiKey,
  change: KeyChange,
  remain: ExpectedRemain,
  at: UnixSeconds,
): KeyComparison => {
  const missing: string[] = [];
  const harmed: { field: string; words: string }[] = [];
  const look = <T extends string | number | boolean>(
    field: string,
    was: T | undefined,
    is: T | undefined,
    wanted?: T,
  ): void => {
    if (is === (wanted ?? was)) return;
    if (wanted !== undefined && is === was) missing.push(field);
    else harmed.push({ field, words: `${field} (${shownValue(was)} is now ${shownValue(is)})` });
  };
  look('id', before.id, after.id);
  look('name', before.name, after.name, change.name);
  look('key_mask', before.keyMask, after.keyMask);
  look('created_time', before.createdTime, after.createdTime);
  look('unlimited_quota', before.unlimitedQuota, after.unlimitedQuota, change.unlimitedQuota);
  look('expired_time', before.expiredTime, after.expiredTime, change.expiredTime);
  // Empty asks for the default group, and the answer may name it.
  if (change.group !== '') look('group', before.group, after.group, change.group);
  if (before.status !== after.status && !statusFollows(before, after, at))
    look('status', before.status, after.status);
  // What an unlimited key has left means nothing (gateway-api.md, API key).
  if (!after.unlimitedQuota && !remainFits(after.remainQuota, remain))
    look('remain_quota', before.remainQuota, after.remainQuota, change.remainQuota);
  else if (!after.unlimitedQuota && unraised(before, after, remain)) missing.push('remain_quota');
  for (const field of new Set([...Object.keys(before.rest), ...Object.keys(after.rest)])) {
    const [was, is] = [before.rest[field], after.rest[field]];
    // The values of fields that nobody knows are not shown: they could be anything.
    if (was !== is && !movedOn(field, was, is)) harmed.push({ field, words: field });
  }
  const fell = after.unlimitedQuota ? zero : subtractMoney(remain.shown, after.remainQuota);
  return { missing, harmed, spent: compareMoney(fell, zero) > 0 ? fell : zero };
};
