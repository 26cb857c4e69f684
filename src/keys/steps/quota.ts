import { compareMoney, divideMoney, money, subtractMoney, zero, type Money } from '../../core/index.ts';
import { generationKey, note, type Cycle } from '../cycle/cycle.ts';
import type { QuotaSettled } from '../model/event-fields.ts';
import type { Rotation } from '../model/rotation.ts';
import { wasWritten } from '../update/judge-remain.ts';

/** Half of the amount, rounded down to the four fraction digits that answers show (docs/gateway.md G8.10). */
export const halfOf = (amount: Money): Money => {
  const half = divideMoney(amount, money('2'), 5) ?? zero;
  const [whole = '0', fraction = ''] = half.split('.');
  return money(`${whole}.${fraction.slice(0, 4) || '0'}`);
};

/** The difference, at least 0. */
export const lowered = (from: Money, by: Money): Money => {
  const left = subtractMoney(from, by);
  return compareMoney(left, zero) > 0 ? left : zero;
};

/** Writes a remaining quota. An attempt that a crash interrupted, or whose effect was not seen, is recognized by the current remainder. */
export const writeRemain = async (
  cycle: Cycle,
  rotation: Rotation,
  key: { readonly keyId: number; readonly generation: number; readonly name: string },
  wantedOf: (remain: Money) => Money,
  settles?: QuotaSettled,
): Promise<void> => {
  const { gateway } = cycle.deps;
  const settled = (of: QuotaSettled | undefined) => (of === undefined ? {} : { settles: of });
  const begun = rotation.quota.find(({ keyId, done }) => keyId === key.keyId && !done);
  const listed = await gateway.read(key.keyId, cycle.signal);
  cycle.noteMade(listed);
  // Compares with the recorded attempt, not with what is wanted now, so that an amount is deducted or added only once.
  if (begun !== undefined && wasWritten(begun.before, begun.wanted, listed.remainQuota)) {
    await note(cycle, rotation, {
      what: 'quota-adjusted',
      ...generationKey(key),
      remain: listed.remainQuota,
      measured: `an earlier attempt wrote it: ${begun.before} was to become ${begun.wanted} and is ${listed.remainQuota}`,
      ...settled(begun.settles),
    });
    return;
  }
  const before = listed.remainQuota;
  const wanted = wantedOf(before);
  await note(cycle, rotation, {
    what: 'quota-adjusting',
    ...generationKey(key),
    before,
    wanted,
    ...settled(settles),
  });
  const { after, measured } = await gateway.update(
    key.keyId,
    { remainQuota: wanted },
    { neverRaise: compareMoney(wanted, before) <= 0 },
    cycle.signal,
  );
  // The next changes depend on the remaining quota of this key.
  cycle.noteMade(after);
  await note(cycle, rotation, {
    what: 'quota-adjusted',
    ...generationKey(key),
    remain: after.remainQuota,
    measured,
    ...settled(settles),
  });
};
