import { errorFields, hasCode, type UnixMillis } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { RetainReason } from '../model/event-fields.ts';
import { probeService } from '../update/probe.ts';
import type { GenerationKey } from '../model/rotation.ts';
import { deleteAndVerify } from './clear-key.ts';
import { generationKey, note, notifyOf, type Cycle } from '../cycle/cycle.ts';
import { orphanVerdict } from './orphan-facts.ts';
import { isIdentified, retainOrphan, notifyRetained } from './retain-orphan.ts';
import { isGone, notifyStaying } from '../cycle/seek-key.ts';
import { openRotations, lostRequest } from '../model/key-state.ts';

type Orphan = {
  readonly id: string;
  readonly service: string;
  readonly keyId: number;
  readonly generation: number;
  readonly name: string;
  readonly why: 'orphan' | 'probe';
  /** When its deletion was first requested; undefined if it was not. */
  readonly since?: UnixMillis;
  readonly retained?: RetainReason | undefined;
};

/** Milliseconds by which lists may lag behind a creation. */
const lag = 900_000;

/** A listed key whose deletion was requested earlier. */
const begun = (cycle: Cycle, key: ApiKey): Orphan | undefined => {
  const left = cycle.deps.journal.state(cycle.deps.account).leaving.get(key.id);
  if (left === undefined || left.name !== key.name) return undefined;
  const { rotation: id, service, generation, name, why, since } = left;
  return { id, service, generation, keyId: key.id, name, why, since };
};

/** A key created by a request whose answer was lost. */
const late = (cycle: Cycle, key: ApiKey): Orphan | undefined => {
  const lost = lostRequest(cycle.deps.journal.state(cycle.deps.account), key.name);
  if (lost === undefined) return undefined;
  const { rotation: id, service, generation } = lost;
  return { id, service, generation, keyId: key.id, name: key.name, why: 'orphan' };
};

const retainedOne = (cycle: Cycle, key: ApiKey): Orphan | undefined => {
  const found = cycle.deps.journal.state(cycle.deps.account).retained.get(key.id);
  if (found === undefined) return undefined;
  const { rotation: id, service, generation, name, reason } = found;
  return { id, service, generation, keyId: key.id, name, why: 'orphan', retained: reason };
};

/** Keys that possibly no consumer can use: from requests without an answer, probes, or interrupted deletions. */
const orphansIn = (cycle: Cycle): readonly Orphan[] => {
  const { journal, account } = cycle.deps;
  const lineage = journal.state(account).lineage;
  return [...cycle.keys().values()].flatMap((key): readonly Orphan[] => {
    const kept = retainedOne(cycle, key);
    if (kept !== undefined) return [kept];
    const known = lineage.get(key.id);
    const found = known === undefined ? late(cycle, key) : begun(cycle, key);
    // An open rotation handles its own keys.
    if (found !== undefined)
      return journal.state(cycle.deps.account).rotations.get(found.id) === undefined ? [found] : [];
    return known?.service === probeService && known.name === key.name
      ? [{ id: `probe/${key.id}`, service: probeService, ...generationKey(known), why: 'probe' }]
      : [];
  });
};

/** The gateway would refuse the next request too. */
const hasEnough = (error: unknown): boolean =>
  hasCode(error, 'gateway-rate-limited') || hasCode(error, 'gateway-unreachable');

const vanished = async (cycle: Cycle): Promise<void> => {
  const { journal, account } = cycle.deps;
  const underWay = new Set(
    openRotations(journal.state(account)).flatMap(({ attempts, olds, old }) => [
      old?.keyId,
      ...attempts.map(({ keyId }) => keyId),
      ...olds.filter(({ state }) => state !== 'over').map(({ keyId }) => keyId),
    ]),
  );
  for (const row of journal.state(account).lineage.values()) {
    if (row.retired !== undefined || cycle.keys().has(row.keyId) || underWay.has(row.keyId)) continue;
    if (cycle.listedAt() - row.born < lag) continue;
    try {
      if (!(await isGone(cycle, row.keyId))) continue;
    } catch (error) {
      cycle.signal.throwIfAborted();
      // Keys in use must not wait for an answer about one that is not; the next cycle asks again.
      cycle.deps.log.warn('the gateway could not be asked whether an unlisted key still exists', {
        service: row.service,
        key: row.name,
        ...errorFields(error),
      });
      if (hasEnough(error)) return;
      continue;
    }
    await note(
      cycle,
      { id: `vanished/${row.keyId}`, service: row.service },
      { what: 'vanished', ...generationKey(row) },
    );
  }
};

/** Requests the deletion of an orphan; a failure must not stop other orphans or rotations. */
const deleteOrphan = async (
  cycle: Cycle,
  keyId: number,
): Promise<Awaited<ReturnType<typeof deleteAndVerify>>> => {
  const listed = cycle.keys();
  try {
    return await deleteAndVerify(cycle, keyId);
  } catch (error) {
    cycle.signal.throwIfAborted();
    // Without a new list the state of the rotations' keys is unknown too.
    if (cycle.keys() === listed && !hasCode(error, 'gateway-rate-limited')) throw error;
    return { deleted: false, refusal: error };
  }
};

/** Whether an orphan may be deleted now; each reason to retain it is recorded and notified once. */
const mayDelete = async (
  cycle: Cycle,
  rotation: { readonly id: string; readonly service: string },
  key: GenerationKey,
  retained: RetainReason | undefined,
): Promise<boolean> => {
  const { journal, account } = cycle.deps;
  const verdict = await orphanVerdict(cycle, key.name, key.keyId);
  if (verdict.verdict === 'delete') return true;
  const askedAt = journal.state(account).requests.get(key.name)?.askedAt ?? cycle.deps.clock.now();
  const isNew = isIdentified(verdict) && verdict.reason !== retained;
  await (isNew ? retainOrphan : notifyRetained)(cycle, rotation, key, verdict, askedAt);
  return false;
};

const clearOrphan = async (
  cycle: Cycle,
  { id, service, why, since, retained, ...key }: Orphan,
): Promise<{ readonly refusal: unknown }> => {
  const { log } = cycle.deps;
  if (why === 'orphan' && !(await mayDelete(cycle, { id, service }, key, retained)))
    return { refusal: undefined };
  if (since === undefined) await note(cycle, { id, service }, { what: 'deleting', ...key, why });
  const { deleted, refusal } = await deleteOrphan(cycle, key.keyId);
  if (!deleted) {
    log.warn('an orphan may still exist after its deletion', {
      service,
      key: key.name,
      ...(refusal === undefined ? {} : errorFields(refusal)),
    });
    if (cycle.keys().has(key.keyId)) await notifyStaying(cycle, { id, service }, key, since);
    return { refusal };
  }
  await note(cycle, { id, service }, { what: 'deleted', ...key });
  // Operators already know of an orphan that was retained.
  if (why === 'orphan' && retained === undefined)
    await notifyOf(
      cycle,
      { id, service },
      {
        kind: 'orphan',
        about: { event: 'orphan-deleted', name: key.name },
        key: `orphan/${key.keyId}`,
      },
    );
  return { refusal: undefined };
};

/** Deletes, at the start of a cycle, the leftover keys that no open rotation handles. */
export const deleteOrphans = async (cycle: Cycle): Promise<void> => {
  for (const orphanKey of orphansIn(cycle)) {
    const { refusal } = await clearOrphan(cycle, orphanKey);
    if (hasEnough(refusal)) return;
  }
  await vanished(cycle);
};
