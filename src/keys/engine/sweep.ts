import type { KeyEvent } from '../key-event.ts';
import { probeService } from '../update/probe.ts';
import { removeKey } from './clear-key.ts';
import { lineKey, note } from './pass.ts';
import type { Pass } from './pass.ts';

type Stray = {
  readonly id: string;
  readonly service: string;
  readonly keyId: number;
  readonly generation: number;
  readonly name: string;
  readonly why: 'orphan' | 'probe';
};

/** Milliseconds that lists may lag behind what was made. */
const lag = 900_000;

/** Keys that nobody can use: made by a request whose answer never came, or left of a probe that was cut off. */
const straysIn = (pass: Pass): readonly Stray[] => {
  const { journal, account } = pass.means;
  const lineage = journal.lineage(account);
  return [...pass.keys().values()].flatMap((key): readonly Stray[] => {
    const known = lineage.get(key.id);
    const lost = known === undefined ? journal.lostAttempt(account, key.name) : undefined;
    if (lost !== undefined) {
      const { rotation: id, service, generation } = lost;
      // Those of a rotation under way are its own to see to.
      const isOwn = journal.rotation(id)?.over === undefined && journal.rotation(id) !== undefined;
      return isOwn
        ? []
        : [{ id, service, generation, keyId: key.id, name: key.name, why: 'orphan' as const }];
    }
    const isProbe = known?.service === probeService;
    return isProbe
      ? [{ id: `probe/${key.id}`, service: probeService, ...lineKey(known), why: 'probe' as const }]
      : [];
  });
};

/** Keys of lines that no list shows any more, though nobody here took them away. */
const vanished = async (pass: Pass): Promise<void> => {
  const { journal, account } = pass.means;
  const underWay = new Set(
    journal
      .openRotations(account)
      .flatMap(({ attempts, olds }) => [
        ...attempts.map(({ keyId }) => keyId),
        ...olds.filter(({ state }) => state !== 'over').map(({ keyId }) => keyId),
      ]),
  );
  for (const row of journal.lineage(account).values()) {
    if (row.retired !== undefined || pass.keys().has(row.keyId) || underWay.has(row.keyId)) continue;
    if (pass.listedAt() - row.born < lag) continue;
    await note(
      pass,
      { id: `vanished/${row.keyId}`, service: row.service },
      { what: 'vanished', ...lineKey(row) },
    );
  }
};

/** Clears away, at the beginning of a pass, what no rotation under way will see to. Gives what was deleted. */
export const sweep = async (pass: Pass): Promise<readonly KeyEvent['what'][]> => {
  const done: KeyEvent['what'][] = [];
  const strays = straysIn(pass);
  for (const { id, service, why, ...key } of strays) {
    await note(pass, { id, service }, { what: 'deleting', ...key, why });
    const refusal = await removeKey(pass, key.keyId);
    await pass.look();
    if (pass.keys().has(key.keyId)) {
      pass.means.log.warn('a key that nobody can use is still listed after it was deleted', {
        service,
        key: key.name,
        ...(refusal instanceof Error ? { error: refusal.message } : {}),
      });
      continue;
    }
    await note(pass, { id, service }, { what: 'deleted', ...key });
    done.push('deleted');
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
  return done;
};
