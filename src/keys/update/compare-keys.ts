import { compareMoney, subtractMoney, zero, type Money, type UnixSeconds } from '../../core/index.ts';
import type { ApiKey, KeySpec } from '../../gateway/index.ts';
import { judgeRemain, refundOf, type RemainReading } from './judge-remain.ts';

export type KeyChange = Partial<KeySpec>;

/** What an update does to `remain_quota`, and what a read should show. */
export type ExpectedRemain = Pick<RemainReading, 'sent' | 'shown' | 'slack' | 'millis'>;

export type KeyComparison = {
  /** Requested changes that did not happen. */
  readonly missing: readonly string[];
  /** Other fields that changed, as the gateway names them, with both values where they may be shown. */
  readonly harmed: readonly { readonly field: string; readonly message: string }[];
  /** What a limited key spent between the reads. */
  readonly spent: Money;
  /** What a limited key received between the reads beyond its spend. */
  readonly refunded: Money;
};

/** Counters and timestamps that a gateway advances by itself. */
const ownMotion = /(^|_)(used|accessed|access|last|updated?|counts?|requests?)(_|$)/;

const hasAdvanced = (field: string, before: string | undefined, after: string | undefined): boolean => {
  if (!ownMotion.test(field) || before === undefined || after === undefined) return false;
  const [was, is] = [Number(before), Number(after)];
  return Number.isFinite(was) && Number.isFinite(is) && is > was;
};

const expired = ({ expiredTime }: ApiKey, at: UnixSeconds): boolean =>
  expiredTime !== 'never' && expiredTime <= at;
const exhausted = ({ unlimitedQuota, remainQuota }: ApiKey): boolean =>
  !unlimitedQuota && compareMoney(remainQuota, zero) <= 0;

/** The gateway writes 3 and 4 itself, at once, late or never (docs/gateway.md G8.2); a person sets 2. */
const statusFollows = (before: ApiKey, after: ApiKey, at: UnixSeconds): boolean => {
  const own = new Set<number | undefined>([1, 3, 4]);
  if (!own.has(before.status) || !own.has(after.status)) return false;
  return after.status === 1 || (after.status === 3 ? expired(after, at) : exhausted(after));
};

const shownValue = (value: string | number | boolean | undefined): string =>
  value === undefined ? 'missing' : String(value);

const remainReading = (
  before: ApiKey,
  after: ApiKey,
  { remainQuota }: KeyChange,
  remain: ExpectedRemain,
  othersHarmed: boolean,
): RemainReading => ({
  ...remain,
  before: before.remainQuota,
  after: after.remainQuota,
  wanted: remainQuota !== undefined,
  wasLimited: !before.unlimitedQuota,
  othersHarmed,
});

/** Compares every field of a key before and after an update at the moment `at`: only the requested changes may differ. */
export const compareKeys = (
  before: ApiKey,
  after: ApiKey,
  change: KeyChange,
  remain: ExpectedRemain,
  at: UnixSeconds,
): KeyComparison => {
  const missing: string[] = [];
  const harmed: { field: string; message: string }[] = [];
  const look = <T extends string | number | boolean>(
    field: string,
    was: T | undefined,
    is: T | undefined,
    wanted?: T,
  ): void => {
    if (is === (wanted ?? was)) return;
    if (wanted !== undefined && is === was) missing.push(field);
    else harmed.push({ field, message: `${field} (${shownValue(was)} is now ${shownValue(is)})` });
  };
  look('id', before.id, after.id);
  look('name', before.name, after.name, change.name);
  look('key_mask', before.keyMask, after.keyMask);
  look('created_time', before.createdTime, after.createdTime);
  look('unlimited_quota', before.unlimitedQuota, after.unlimitedQuota, change.unlimitedQuota);
  look('expired_time', before.expiredTime, after.expiredTime, change.expiredTime);
  // An empty group requests the default one, which the answer may name.
  if (change.group !== '') look('group', before.group, after.group, change.group);
  if (before.status !== after.status && !statusFollows(before, after, at))
    look('status', before.status, after.status);
  for (const field of new Set([...Object.keys(before.rest), ...Object.keys(after.rest)])) {
    const [was, is] = [before.rest[field], after.rest[field]];
    // The values of unknown fields are hidden, because they could be anything.
    if (was !== is && !hasAdvanced(field, was, is)) harmed.push({ field, message: field });
  }
  // The remaining quota of an unlimited key has no meaning (docs/gateway.md G8.1).
  const reading = remainReading(before, after, change, remain, harmed.length > 0);
  const verdict = after.unlimitedQuota ? 'fits' : judgeRemain(reading);
  if (verdict === 'unwritten') missing.push('remain_quota');
  if (verdict === 'harmed') {
    const message = `remain_quota (${before.remainQuota} is now ${after.remainQuota})`;
    harmed.push({ field: 'remain_quota', message });
  }
  const fell = after.unlimitedQuota ? zero : subtractMoney(remain.shown, after.remainQuota);
  const refunded = after.unlimitedQuota || verdict !== 'fits' ? zero : refundOf(reading);
  return { missing, harmed, spent: compareMoney(fell, zero) > 0 ? fell : zero, refunded };
};
