import { addMoney, compareMoney, isFault, subtractMoney, zero, type Money } from '../../core/index.ts';
import { undeductedText } from '../events/notices.ts';
import { generationKeyOf, note, notifyOf, type Cycle } from '../cycle/cycle.ts';
import { isOfRotation, type Attempt, type OldKey, type Rotation } from '../model/rotation.ts';
import { lowered, writeRemain } from './quota.ts';
import type { OfOld, Step } from './step.ts';

/**
 * The amount to add to the successor's quota (negative: to deduct): what the old key spent of the transferred quota since the successor was created,
 * which may be long before the cutover, or since it was last settled.
 */
const quotaToTransfer = (rotation: Rotation, attempt: Attempt, old: OldKey, left: Money): Money => {
  const { terms, attempts } = rotation;
  const isSplit = terms.quota.kind === 'split' && rotation.old?.keyId === old.keyId;
  // No other key has the half that stayed with the old one.
  if (isSplit && old.settled === undefined) return lowered(left, zero);
  // Spend of a compromised key before the cutover is not charged to the successor: it may not come from the service.
  const isCompromised = terms.retire.when === 'now';
  const { spec } = attempts.find(({ keyId }) => keyId === old.keyId) ?? attempt;
  const given = isCompromised || spec.unlimitedQuota ? old.remain : spec.remainQuota;
  const spent = subtractMoney(old.settled?.left ?? given ?? zero, left);
  // Quota that was added to the old key is not transferred.
  return compareMoney(spent, zero) > 0 ? subtractMoney(zero, spent) : zero;
};

const settle = async (cycle: Cycle, rotation: Rotation, attempt: Attempt, old: OldKey): Promise<void> => {
  const successor = generationKeyOf(attempt);
  const { gateway } = cycle.deps;
  const unsettled = (measured: string, left: Money): Promise<void> =>
    note(cycle, rotation, {
      what: 'quota-adjusted',
      ...successor,
      remain: cycle.keys().get(successor.keyId)?.remainQuota ?? zero,
      measured,
      settles: { keyId: old.keyId, left },
    });
  const known = old.settled?.left ?? old.remain ?? zero;
  if (!cycle.keys().has(old.keyId))
    return unsettled(
      `${old.name} no longer exists: its last spend is unknown, and nothing is deducted`,
      known,
    );
  if (cycle.keys().get(successor.keyId)?.unlimitedQuota !== false)
    return unsettled('its quota is unlimited', known);
  const left = (await gateway.read(old.keyId, cycle.signal)).remainQuota;
  const change = quotaToTransfer(rotation, attempt, old, left);
  if (compareMoney(change, zero) === 0) return unsettled(`${old.name} spent none of it`, left);
  await writeRemain(cycle, rotation, successor, (remain) => lowered(addMoney(remain, change), zero), {
    keyId: old.keyId,
    left,
  });
  const rest = cycle.keys().get(successor.keyId)?.remainQuota ?? zero;
  if (compareMoney(rest, zero) > 0) return;
  const { id } = rotation;
  await notifyOf(cycle, rotation, {
    kind: 'escalated',
    about: { event: 'quota-used-up', name: successor.name, old: old.name },
    key: `${id}/${old.keyId}/spent`,
  });
};

/** Deducts from the successor what the old key spent beside it, or adds what the old key has left of its half. */
export const settleQuota: Step<OfOld> = {
  name: 'settle-quota',
  due: ({ rotation, old }) =>
    old.state === 'retiring' &&
    (rotation.terms.quota.kind === 'carry' || rotation.terms.quota.kind === 'split') &&
    isOfRotation(rotation, old.keyId) &&
    old.remain !== undefined &&
    old.settled?.valid !== true,
  run: async ({ cycle }, { rotation, attempt, old }) => {
    try {
      await settle(cycle, rotation, attempt, old);
    } catch (error) {
      cycle.signal.throwIfAborted();
      // The deletion of a compromised key does not wait for an amount.
      if (rotation.terms.retire.when !== 'now' || !isFault(error)) throw error;
      const measured = undeductedText(error.message);
      await note(cycle, rotation, {
        what: 'quota-adjusted',
        ...generationKeyOf(attempt),
        remain: zero,
        measured,
        settles: { keyId: old.keyId, left: old.settled?.left ?? old.remain ?? zero },
      });
      const { id } = rotation;
      await notifyOf(cycle, rotation, {
        kind: 'exposure',
        about: {
          event: 'quota-not-adjusted',
          name: attempt.name,
          old: old.name,
          why: error.message,
        },
        key: `${id}/unsettled`,
      });
    }
  },
};
