import { compareMoney, zero, type Money } from '../../core/index.ts';
import type { ApiKey, KeyPatch } from '../../gateway/index.ts';
import type { ExpectedRemain, KeyChange } from './compare-keys.ts';
import { knownUnit, updateFields, type UpdateField, type UpdateKnowledge } from './knowledge.ts';
import { shownStep, writtenQuota } from './quota-unit.ts';

export type UpdateBody = {
  readonly patch: KeyPatch;
  readonly remain: Pick<ExpectedRemain, 'sent' | 'shown' | 'slack'>;
  /** Omits fields, relying on the gateway to keep their values. */
  readonly part: boolean;
  /** The remaining quota is written, which overwrites any spend between the read and the write. */
  readonly overwritesSpend: boolean;
};

const remainOf = (
  amount: Money,
  key: ApiKey,
  knowledge: UpdateKnowledge,
  inexact: 'refuse' | 'down',
): { readonly number: Money; readonly shown: Money; readonly slack: Money } => {
  // Zero is the same in every unit.
  const unit =
    compareMoney(amount, zero) > 0
      ? knownUnit(knowledge, `the key ${key.id}`)
      : { kind: 'currency' as const };
  const written = writtenQuota(amount, unit, inexact);
  return { ...written, slack: written.exact ? zero : shownStep };
};

/**
 * The body for a change: the whole key as read, except for fields that provably keep their values when omitted. The remaining quota is written as
 * read, or rounded down if the unit cannot express it; for a key that stays unlimited it is 0 while the unit is unknown. @throws Fault
 * key-unit-unknown, key-quota-inexact
 */
export const updateBody = (
  key: ApiKey,
  change: KeyChange,
  knowledge: UpdateKnowledge,
  inexact: 'refuse' | 'down',
): UpdateBody => {
  const leftOut = (field: UpdateField, wanted: unknown): boolean =>
    wanted === undefined && knowledge.kept.has(field);
  const part = knowledge.kept.size === updateFields.length;
  const limits = change.unlimitedQuota === false && key.unlimitedQuota;
  const omitsRemain = leftOut('remain_quota', change.remainQuota) && !limits;
  // The gateway ignores the quota of an unlimited key (docs/gateway.md G8.1), so no unit is needed.
  const isIgnored = key.unlimitedQuota && (change.unlimitedQuota ?? true) && knowledge.unit === undefined;
  const remain = omitsRemain
    ? undefined
    : change.remainQuota === undefined
      ? remainOf(isIgnored ? zero : key.remainQuota, key, knowledge, 'down')
      : remainOf(change.remainQuota, key, knowledge, inexact);
  const name = leftOut('name', change.name) ? undefined : (change.name ?? key.name);
  const unlimitedQuota = leftOut('unlimited_quota', change.unlimitedQuota)
    ? undefined
    : (change.unlimitedQuota ?? key.unlimitedQuota);
  const expiredTime = leftOut('expired_time', change.expiredTime)
    ? undefined
    : (change.expiredTime ?? key.expiredTime);
  // A group that a read does not show is not written.
  const group = leftOut('group', change.group) ? undefined : (change.group ?? key.group);
  return {
    patch: {
      id: key.id,
      ...(part ? {} : { rest: key.rest }),
      ...(name === undefined ? {} : { name }),
      ...(remain === undefined ? {} : { remainQuota: remain.number }),
      ...(unlimitedQuota === undefined ? {} : { unlimitedQuota }),
      ...(expiredTime === undefined ? {} : { expiredTime }),
      ...(group === undefined ? {} : { group }),
    },
    remain: {
      sent: remain !== undefined,
      shown: remain?.shown ?? key.remainQuota,
      slack: remain?.slack ?? zero,
    },
    part,
    overwritesSpend: remain !== undefined && !key.unlimitedQuota,
  };
};
