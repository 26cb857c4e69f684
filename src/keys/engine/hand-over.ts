import {
  addMoney,
  compareMoney,
  isFault,
  subtractMoney,
  toSeconds,
  unixSeconds,
  zero,
} from '../../base/index.ts';
import type { Money, UnixMillis } from '../../base/index.ts';
import { liveOf } from '../lineage.ts';
import { halfOf } from './half.ts';
import type { Attempt, OldKey, Rotation } from '../rotation.ts';
import { lineKey, lineKeyOf, note, plaintextOf } from './pass.ts';
import type { Pass } from './pass.ts';

/** Every sink holds the new key: all others of the service are to go, the old one and those that a crash left behind. */
export const handOver = async (pass: Pass, rotation: Rotation, attempt: Attempt): Promise<void> => {
  const { journal, account, plaintexts } = pass.means;
  const others = liveOf(journal.lineage(account), rotation.service).filter(
    ({ keyId }) => keyId !== attempt.keyId,
  );
  const olds = others.map((row) => {
    const listed = pass.keys().get(row.keyId);
    const isLimited = listed !== undefined && !listed.unlimitedQuota;
    return { ...lineKey(row), ...(isLimited ? { remain: listed.remainQuota } : {}) };
  });
  const old = olds.find(({ keyId }) => keyId === rotation.old?.keyId);
  // Before it is written down: a kill between must not lose the letter.
  if (rotation.terms.quota.kind === 'carry' && old?.remain !== undefined)
    await pass.means.tell({
      kind: 'exposure',
      account,
      service: rotation.service,
      rotation: rotation.id,
      title: `${rotation.service} can spend its quota twice for a while`,
      words: `${old.name} and its successor ${attempt.name} may each spend ${old.remain} (as the gateway counts) until the old key is retired; what it spends till then is taken off the new one, so that at most twice the quota is exposed meanwhile`,
      key: `${rotation.id}/exposure`,
    });
  await note(pass, rotation, { what: 'current', ...lineKeyOf(attempt), olds });
  plaintexts.delete(plaintextOf(rotation, attempt));
};

/** Sets the expiry of an old key, so that it dies though we do. */
export const setExpiry = async (
  pass: Pass,
  rotation: Rotation,
  old: OldKey,
  at: UnixMillis,
): Promise<void> => {
  const listed = pass.keys().get(old.keyId);
  const wanted = unixSeconds(Math.ceil(at / 1000));
  const own = listed?.expiredTime;
  const expiredTime = typeof own === 'number' && own < wanted ? own : wanted;
  await note(pass, rotation, { what: 'expiring', ...lineKey(old), expiredTime });
  const { measured } = await pass.means.gateway.update(
    old.keyId,
    { expiredTime },
    { neverRaise: false },
    pass.signal,
  );
  await note(pass, rotation, { what: 'expiry-set', ...lineKey(old), expiredTime, measured });
};

/** The old key is expired now, in place of being deleted. */
export const expireNow = async (pass: Pass, rotation: Rotation, old: OldKey): Promise<void> => {
  if (pass.keys().has(old.keyId)) {
    const now = toSeconds(pass.means.clock.now());
    const expiredTime = old.expiry?.set === false ? old.expiry.at : now;
    const listed = pass.keys().get(old.keyId);
    const isOver = typeof listed?.expiredTime === 'number' && listed.expiredTime <= now;
    if (!isOver) await setExpiry(pass, rotation, old, (expiredTime * 1000) as UnixMillis);
  }
  await note(pass, rotation, { what: 'retired', ...lineKey(old) });
};

const lowered = (from: Money, by: Money): Money => {
  const left = subtractMoney(from, by);
  return compareMoney(left, zero) > 0 ? left : zero;
};

/** Writes what a key may still spend. A try that a crash cut off is recognised by what the key has left. */
const writeRemain = async (
  pass: Pass,
  rotation: Rotation,
  key: { readonly keyId: number; readonly generation: number; readonly name: string },
  wantedOf: (remain: Money) => Money,
): Promise<void> => {
  const { gateway } = pass.means;
  const begun = rotation.quota.find(({ keyId, done }) => keyId === key.keyId && !done);
  const listed = await gateway.read(key.keyId, pass.signal);
  if (begun !== undefined) {
    const raises = compareMoney(begun.wanted, begun.before) > 0;
    // Calls only ever lower it: above what stood there before, or down at what was wanted, it has been written.
    const isWritten = raises
      ? compareMoney(listed.remainQuota, begun.before) > 0
      : compareMoney(listed.remainQuota, begun.wanted) <= 0;
    if (isWritten) {
      const measured = 'a try that was cut off had written it';
      await note(pass, rotation, {
        what: 'quota-adjusted',
        ...lineKey(key),
        remain: listed.remainQuota,
        measured,
      });
      return;
    }
  }
  const before = listed.remainQuota;
  const wanted = wantedOf(before);
  await note(pass, rotation, { what: 'quota-adjusting', ...lineKey(key), before, wanted });
  const { after, measured } = await gateway.update(
    key.keyId,
    { remainQuota: wanted },
    { neverRaise: compareMoney(wanted, before) <= 0 },
    pass.signal,
  );
  await note(pass, rotation, {
    what: 'quota-adjusted',
    ...lineKey(key),
    remain: after.remainQuota,
    measured,
  });
};

/** Takes off the old key what its successor was given; half of what is left stays with it, or calls by it would fail. */
export const shareQuota = (pass: Pass, rotation: Rotation, attempt: Attempt, old: OldKey): Promise<void> =>
  writeRemain(pass, rotation, old, (remain) => {
    const [rest, half] = [lowered(remain, attempt.spec.remainQuota), halfOf(remain)];
    return compareMoney(rest, half) > 0 ? rest : half;
  });

/** What the old key spent of what its successor was given: since that was made, which may be long before the hand-over. */
const spentBy = (rotation: Rotation, attempt: Attempt, old: OldKey, left: Money): Money => {
  // What a leaked key spends before its successor is in use is nobody's whom the successor serves.
  const isLeaked = rotation.terms.retire.when === 'now';
  const given = isLeaked || attempt.spec.unlimitedQuota ? old.remain : attempt.spec.remainQuota;
  return subtractMoney(given ?? zero, left);
};

const settle = async (pass: Pass, rotation: Rotation, attempt: Attempt, old: OldKey): Promise<void> => {
  const successor = lineKeyOf(attempt);
  const { gateway } = pass.means;
  const why = !pass.keys().has(old.keyId)
    ? `${old.name} is gone: what it spent last is not known, and nothing is taken off`
    : pass.keys().get(successor.keyId)?.unlimitedQuota === false
      ? undefined
      : 'its quota is unlimited';
  if (why !== undefined) {
    await note(pass, rotation, {
      what: 'quota-adjusted',
      ...successor,
      remain: zero,
      measured: why,
    });
    return;
  }
  const left = (await gateway.read(old.keyId, pass.signal)).remainQuota;
  if (rotation.terms.quota.kind === 'split') {
    const rest = compareMoney(left, zero) > 0 ? left : zero;
    await writeRemain(pass, rotation, successor, (remain) => addMoney(remain, rest));
    return;
  }
  const spent = spentBy(rotation, attempt, old, left);
  await writeRemain(pass, rotation, successor, (remain) =>
    compareMoney(spent, zero) > 0 ? lowered(remain, spent) : remain,
  );
};

/** Takes off the successor what the old key spent beside it, or gives it what the old key has left of its half. */
export const settleQuota = async (
  pass: Pass,
  rotation: Rotation,
  attempt: Attempt,
  old: OldKey,
): Promise<void> => {
  try {
    await settle(pass, rotation, attempt, old);
  } catch (error) {
    pass.signal.throwIfAborted();
    // A leaked key waits for no figure.
    if (rotation.terms.retire.when !== 'now' || !isFault(error)) throw error;
    const measured = `it could not be lowered by what the leaked key spent: ${error.message}`;
    await note(pass, rotation, { what: 'quota-adjusted', ...lineKeyOf(attempt), remain: zero, measured });
    const { service, id } = rotation;
    await pass.means.tell({
      kind: 'exposure',
      account: pass.means.account,
      service,
      rotation: id,
      title: `the quota of ${attempt.name} is as it was made`,
      words: `${attempt.name}: ${measured}. The leaked key ${old.name} is deleted all the same`,
      key: `${id}/unsettled`,
    });
  }
};
