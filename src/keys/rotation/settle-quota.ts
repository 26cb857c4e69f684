import { addMoney, compareMoney, isFault, subtractMoney, zero, type Money } from '../../core/index.ts';
import { isOfRotation, type Attempt, type OldKey, type Rotation } from '../model/rotation.ts';
import type { QuotaSettled } from '../model/event-fields.ts';
import { wasWritten } from '../update/judge-remain.ts';
import { halfOf } from './half.ts';
import { generationKey, generationKeyOf, note, notifyOf, type Cycle } from '../cycle/cycle.ts';

type Leaving = { readonly keyId: number; readonly name: string; readonly remain?: Money };

/** Notifies how much can be spent beside the successor's quota until the old keys end. */
export const notifyExposure = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  olds: readonly Leaving[],
): Promise<void> => {
  if (rotation.terms.quota.kind !== 'carry') return;
  const own = olds.flatMap(({ keyId, name, remain }) =>
    remain !== undefined && isOfRotation(rotation, keyId) ? [{ name, remain }] : [],
  );
  if (own.length === 0) return;
  const { service, id } = rotation;
  const times = own.length === 1 ? 'twice' : `${own.length + 1} times`;
  const sum = own.reduce((total, { remain }) => addMoney(total, remain), zero);
  const keys = own.map(({ name, remain }) => `${name} (${remain})`).join(', ');
  await notifyOf(cycle, rotation, {
    kind: 'exposure',
    title: `${service} can temporarily spend its quota ${times}`,
    message: `in addition to the ${attempt.spec.remainQuota} of ${attempt.name}, ${sum} (in gateway units) can be spent by ${keys} until ${own.length === 1 ? 'it is' : 'they are'} retired; what is spent until then is deducted from ${attempt.name}, so at most ${times} the quota is exposed`,
    key: `${id}/exposure`,
  });
};

const lowered = (from: Money, by: Money): Money => {
  const left = subtractMoney(from, by);
  return compareMoney(left, zero) > 0 ? left : zero;
};

/** Writes a remaining quota. An attempt that a crash interrupted, or whose effect was not seen, is recognized by the current remainder. */
const writeRemain = async (
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

/** Deducts the successor's quota from the old key, but leaves it at least half of its remainder, or its calls would fail. */
export const shareQuota = (cycle: Cycle, rotation: Rotation, attempt: Attempt, old: OldKey): Promise<void> =>
  writeRemain(cycle, rotation, old, (remain) => {
    const [rest, half] = [lowered(remain, attempt.spec.remainQuota), halfOf(remain)];
    return compareMoney(rest, half) > 0 ? rest : half;
  });

/**
 * The amount to add to the successor's quota (negative: to deduct): what the old key spent of the transferred quota since the successor was created,
 * which may be long before the cutover, or since it was last settled.
 */
const quotaToTransfer = (rotation: Rotation, attempt: Attempt, old: OldKey, left: Money): Money => {
  const { terms, attempts } = rotation;
  const isSplit = terms.quota.kind === 'split' && rotation.old?.keyId === old.keyId;
  // The half that stayed with the old key has not been given to anybody yet.
  if (isSplit && old.settled === undefined) return lowered(left, zero);
  // Spend of a compromised key before the cutover is not charged to the successor: it may not come from the service.
  const isCompromised = terms.retire.when === 'now';
  const { spec } = attempts.find(({ keyId }) => keyId === old.keyId) ?? attempt;
  const given = isCompromised || spec.unlimitedQuota ? old.remain : spec.remainQuota;
  const spent = subtractMoney(old.settled?.left ?? given ?? zero, left);
  // Quota that somebody added to the old key stays out of the transfer.
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
    title: `${successor.name} has no quota left`,
    message: `the spend of ${old.name} during the overlap has used up the quota of ${successor.name}: calls with ${successor.name}, which every sink holds, fail`,
    advice: `Add quota to ${successor.name} at the gateway if it is still needed.`,
    key: `${id}/${old.keyId}/spent`,
  });
};

/** Deducts from the successor what the old key spent beside it, or adds what the old key has left of its half. */
export const settleQuota = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  old: OldKey,
): Promise<void> => {
  try {
    await settle(cycle, rotation, attempt, old);
  } catch (error) {
    cycle.signal.throwIfAborted();
    // The deletion of a compromised key does not wait for an amount.
    if (rotation.terms.retire.when !== 'now' || !isFault(error)) throw error;
    const measured = `the spend of the compromised key could not be deducted: ${error.message}`;
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
      title: `the quota of ${attempt.name} was not adjusted`,
      message: `${attempt.name}: ${measured}. The compromised key ${old.name} is deleted nevertheless`,
      key: `${id}/unsettled`,
    });
  }
};
