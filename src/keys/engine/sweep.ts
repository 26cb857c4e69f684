import type { UnixMillis } from '../../base/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import { probeService } from '../update/probe.ts';
import { takeAway } from './clear-key.ts';
import { lineKey, note } from './pass.ts';
import type { Pass } from './pass.ts';
import { isGone, tellStaying } from './seek-key.ts';
import { canComeOf } from './stray.ts';

type Stray = {
  readonly id: string;
  readonly service: string;
  readonly keyId: number;
  readonly generation: number;
  readonly name: string;
  readonly why: 'orphan' | 'probe';
  /** When its deletion was first asked for; nothing where it was not yet. */
  readonly since?: UnixMillis;
};

/** Milliseconds that lists may lag behind what was made. */
const lag = 900_000;

/** A key whose deletion was begun, and which is there. */
const begun = (pass: Pass, key: ApiKey): Stray | undefined => {
  const left = pass.means.journal.leaving(pass.means.account).get(key.id);
  if (left === undefined || left.name !== key.name) return undefined;
  const { rotation: id, service, generation, name, why, since } = left;
  return { id, service, generation, keyId: key.id, name, why, since };
};

/** A key that came of a request whose answer was lost. */
const late = (pass: Pass, key: ApiKey): Stray | undefined => {
  const lost = pass.means.journal.lostAttempt(pass.means.account, key.name);
  if (lost === undefined || !canComeOf(key, lost.askedAt)) return undefined;
  const { rotation: id, service, generation } = lost;
  return { id, service, generation, keyId: key.id, name: key.name, why: 'orphan' };
};

/** Keys that nobody can use: made by a request whose answer never came, or left of a probe or a deletion that was cut off. */
const straysIn = (pass: Pass): readonly Stray[] => {
  const { journal, account } = pass.means;
  const lineage = journal.lineage(account);
  return [...pass.keys().values()].flatMap((key): readonly Stray[] => {
    const known = lineage.get(key.id);
    const found = known === undefined ? late(pass, key) : begun(pass, key);
    // Those of a rotation under way are its own to see to.
    if (found !== undefined) return journal.rotation(found.id) === undefined ? [found] : [];
    return known?.service === probeService && known.name === key.name
      ? [{ id: `probe/${key.id}`, service: probeService, ...lineKey(known), why: 'probe' }]
      : [];
  });
};

/** Keys of lines that no list shows any more, though nobody here took them away. */
const vanished = async (pass: Pass): Promise<void> => {
  const { journal, account } = pass.means;
  const underWay = new Set(
    journal
      .openRotations(account)
      .flatMap(({ attempts, olds, old }) => [
        old?.keyId,
        ...attempts.map(({ keyId }) => keyId),
        ...olds.filter(({ state }) => state !== 'over').map(({ keyId }) => keyId),
      ]),
  );
  for (const row of journal.lineage(account).values()) {
    if (row.retired !== undefined || pass.keys().has(row.keyId) || underWay.has(row.keyId)) continue;
    if (pass.listedAt() - row.born < lag || !(await isGone(pass, row.keyId))) continue;
    await note(
      pass,
      { id: `vanished/${row.keyId}`, service: row.service },
      { what: 'vanished', ...lineKey(row) },
    );
  }
};

/** Clears away, at the beginning of a pass, what no rotation under way will see to. */
export const sweep = async (pass: Pass): Promise<void> => {
  for (const { id, service, why, since, ...key } of straysIn(pass)) {
    if (since === undefined) await note(pass, { id, service }, { what: 'deleting', ...key, why });
    const { taken, refusal } = await takeAway(pass, key.keyId);
    if (!taken) {
      pass.means.log.warn('a key that nobody can use is still listed after it was deleted', {
        service,
        key: key.name,
        ...(refusal instanceof Error ? { error: refusal.message } : {}),
      });
      await tellStaying(pass, { id, service }, key, since);
      continue;
    }
    await note(pass, { id, service }, { what: 'deleted', ...key });
    if (why === 'orphan')
      await pass.means.tell({
        kind: 'orphan',
        account: pass.means.account,
        service,
        rotation: id,
        title: `a key that nobody can use was cleared away`,
        words: `${key.name} was made by a request whose answer never came, and showed up late; it was deleted`,
        key: `orphan/${key.keyId}`,
      });
  }
  await vanished(pass);
};
