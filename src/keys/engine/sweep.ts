import { errorFields, hasCode } from '../../base/index.ts';
import type { UnixMillis } from '../../base/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import { probeService } from '../update/probe.ts';
import { takeAway } from './clear-key.ts';
import { lineKey, note, tellOf } from './pass.ts';
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
  if (lost === undefined || !canComeOf(key, lost.askedAt, pass.means.clock.now())) return undefined;
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

/** The gateway takes no more questions for now; about the next key it would say the same. */
const hasEnough = (error: unknown): boolean =>
  hasCode(error, 'gateway-rate-limited') || hasCode(error, 'gateway-unreachable');

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
    if (pass.listedAt() - row.born < lag) continue;
    try {
      if (!(await isGone(pass, row.keyId))) continue;
    } catch (error) {
      pass.signal.throwIfAborted();
      // Keys in use wait for no news of one that is not: it is asked for again with the next pass.
      pass.means.log.warn('whether a key that is no longer listed is gone cannot be found out', {
        service: row.service,
        key: row.name,
        ...errorFields(error),
      });
      if (hasEnough(error)) return;
      continue;
    }
    await note(
      pass,
      { id: `vanished/${row.keyId}`, service: row.service },
      { what: 'vanished', ...lineKey(row) },
    );
  }
};

/** Asks for a stray to be deleted; what comes of it stops neither the others nor the rotations. */
const takeStray = async (pass: Pass, keyId: number): Promise<Awaited<ReturnType<typeof takeAway>>> => {
  const listed = pass.keys();
  try {
    return await takeAway(pass, keyId);
  } catch (error) {
    pass.signal.throwIfAborted();
    // Without a list nothing is known of the keys of the rotations either.
    if (pass.keys() === listed && !hasCode(error, 'gateway-rate-limited')) throw error;
    return { taken: false, refusal: error };
  }
};

const clearStray = async (
  pass: Pass,
  { id, service, why, since, ...key }: Stray,
): Promise<{ readonly refusal: unknown }> => {
  const { log } = pass.means;
  if (since === undefined) await note(pass, { id, service }, { what: 'deleting', ...key, why });
  const { taken, refusal } = await takeStray(pass, key.keyId);
  if (!taken) {
    log.warn('a key that nobody can use is not known to be gone after it was deleted', {
      service,
      key: key.name,
      ...(refusal === undefined ? {} : errorFields(refusal)),
    });
    if (pass.keys().has(key.keyId)) await tellStaying(pass, { id, service }, key, since);
    return { refusal };
  }
  await note(pass, { id, service }, { what: 'deleted', ...key });
  if (why === 'orphan')
    await tellOf(
      pass,
      { id, service },
      {
        kind: 'orphan',
        title: `a key that nobody can use was cleared away`,
        words: `${key.name} was made by a request whose answer never came, and showed up late; it was deleted`,
        key: `orphan/${key.keyId}`,
      },
    );
  return { refusal: undefined };
};

/** A key that bears the name of one whose answer was lost, and by its birth is another: somebody has to say whose it is. */
const tellUnclaimed = async (pass: Pass): Promise<void> => {
  const { journal, account, clock } = pass.means;
  const lineage = journal.lineage(account);
  for (const { id, name, createdTime } of pass.keys().values()) {
    const lost = lineage.has(id) ? undefined : journal.lostAttempt(account, name);
    if (lost === undefined || canComeOf({ createdTime }, lost.askedAt, clock.now())) continue;
    const { service, rotation, askedAt } = lost;
    await tellOf(
      pass,
      { id: rotation, service },
      {
        kind: 'escalated',
        title: `whose the key ${name} is cannot be told`,
        words: `a key of that name was asked for at ${new Date(askedAt).toISOString()} and no answer came; the one that is listed (id ${id}) was made at another time, so that nothing is done to it`,
        advice: `Delete it at the gateway if nobody knows it, or take it into the line of ${service} with \`tollkeeper keys adopt\`.`,
        key: `unclaimed/${id}`,
      },
    );
  }
};

/** Clears away, at the beginning of a pass, what no rotation under way will see to. */
export const sweep = async (pass: Pass): Promise<void> => {
  for (const stray of straysIn(pass)) {
    const { refusal } = await clearStray(pass, stray);
    if (hasEnough(refusal)) return;
  }
  await tellUnclaimed(pass);
  await vanished(pass);
};
