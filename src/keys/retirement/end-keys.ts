import { fault, formatMoment, hasCode, isFault, messageOf, shellWord, toSeconds } from '../../core/index.ts';
import type { EndedKey, PlannedExpiry } from '../model/service-types.ts';
import { isDeleted, requestDeletion } from './clear-key.ts';
import { usedText } from '../events/notices.ts';
import { distinctNames } from './named-uses.ts';
import { recentUses } from './renew-evidence.ts';
import { candidateOf } from '../model/rotation.ts';
import { generationKey, note, notifyOf, type Cycle } from '../cycle/cycle.ts';
import { endAt, hostMoment, keyClock } from '../cycle/key-clock.ts';
import { outdatedNow, describeStop } from '../cycle/up-to-date.ts';
import { openRotations } from '../model/key-state.ts';

type Ended = { readonly done: boolean; readonly message: string };

const idOf = ({ keyId }: PlannedExpiry): string => `expiry/${keyId}`;

const warn = async (
  cycle: Cycle,
  planned: PlannedExpiry,
  { stage, notice }: Extract<PlannedExpiry['action'], { kind: 'warn' }>,
): Promise<string> => {
  const { account, journal } = cycle.deps;
  const { service, name, keyId } = planned;
  const id = idOf(planned);
  const history = await journal.history({ account, service });
  // A stage is announced once; the outbox also deduplicates the mail.
  if (history.some((event) => event.what === 'warned' && event.keyId === keyId && event.stage === stage))
    return 'its owner was already notified';
  await notifyOf(
    cycle,
    { id, service },
    {
      kind: 'warning',
      about: { event: 'ending', name, notice, stage },
      key: `${id}/${stage}`,
    },
  );
  await note(cycle, { id, service }, { what: 'warned', ...generationKey(planned), stage });
  return 'its owner was notified';
};

/** Why the key must not be ended; `done` if it is already gone as planned. */
const obstacleTo = async (
  cycle: Cycle,
  planned: PlannedExpiry,
  keptBySinks: ReadonlyMap<number, string>,
): Promise<Ended | undefined> => {
  const { keyId, name, action, evenIfCurrent = false } = planned;
  const { journal, account } = cycle.deps;
  const listed = cycle.keys().get(keyId);
  if (listed?.name !== name) {
    const done = listed === undefined && action.kind === 'delete' && (await isDeleted(cycle, keyId));
    return { done, message: `the gateway no longer lists ${name} under the id ${keyId}` };
  }
  if (action.kind === 'warn') return undefined;
  const turning = openRotations(journal.state(account)).find(
    (rotation) => candidateOf(rotation)?.keyId === keyId,
  );
  if (turning === undefined) {
    const why = evenIfCurrent ? undefined : keptBySinks.get(keyId);
    return why === undefined
      ? undefined
      : { done: false, message: `${name} is in use by a consumer: ${why}` };
  }
  if (turning.cutover !== undefined && evenIfCurrent) return undefined;
  const service = shellWord(turning.service);
  return {
    done: false,
    message:
      turning.cutover === undefined
        ? `${name} is the new key of a rotation in progress: end the rotation with \`tollkeeper keys give-up ${service}\` first`
        : `${name} is the key in every sink of ${turning.service}: replace it first with \`tollkeeper keys rotate ${service} --now\``,
  };
};

/** Returns a retired key that lives on to its lineage. */
const revive = async (
  cycle: Cycle,
  rotation: { readonly id: string; readonly service: string },
  keyId: number,
): Promise<void> => {
  const row = cycle.deps.journal.state(cycle.deps.account).lineage.get(keyId);
  if (row?.retired !== undefined)
    await note(cycle, rotation, { what: 'adopted', ...generationKey(row), born: row.born });
};

type Expire = Extract<PlannedExpiry['action'], { kind: 'expire' }>;

/** Sets the expiry on the clock that ends keys; an immediate one lies in the past on every clock of the gateway. */
const expire = async (cycle: Cycle, planned: PlannedExpiry, action: Expire): Promise<Ended> => {
  const { service, keyId, name } = planned;
  const rotation = { id: idOf(planned), service };
  const key = generationKey(planned);
  const clock = await keyClock(cycle);
  const now = cycle.deps.clock.now();
  const asked = 'in' in action ? endAt(clock, now + action.in) : action.at;
  const isNow = ('in' in action && action.in <= 0) || hostMoment(clock, asked) <= now;
  const expiredTime = isNow ? clock.past : asked;
  const before = cycle.keys().get(keyId)?.expiredTime;
  await note(cycle, rotation, {
    what: 'expiring',
    ...key,
    expiredTime,
    ...(before === undefined ? {} : { before }),
  });
  const updated = cycle.deps.gateway.update(keyId, { expiredTime }, { neverRaise: false }, cycle.signal);
  const { measured } = await updated.catch((error: unknown) => refusedExpiry(error, isNow, planned));
  await note(cycle, rotation, { what: 'expiry-set', ...key, expiredTime, measured });
  if (isNow) await note(cycle, rotation, { what: 'retired', ...key });
  else await revive(cycle, rotation, keyId);
  const after = measured === '' ? '' : `; ${measured}`;
  const message = isNow
    ? `${name} is expired at the gateway${after}`
    : `it expires ${formatMoment(toSeconds(hostMoment(clock, expiredTime)), cycle.deps.zone)}${after}`;
  return { done: true, message };
};

/** A gateway may refuse an expiry in the past; then only a deletion ends the key at once. */
const refusedExpiry = (error: unknown, isNow: boolean, { keyId, name }: PlannedExpiry): never => {
  if (!isNow || (!hasCode(error, 'gateway-refused') && !hasCode(error, 'key-update-ineffective')))
    throw error;
  throw fault(
    'gateway-refused',
    `${name} still works: the gateway does not accept an expiry in the past (${messageOf(error)}); \`tollkeeper keys expire id:${keyId} --delete\` deletes it`,
    { cause: error, advice: `run \`tollkeeper keys expire id:${keyId} --delete\` to delete the key` },
  );
};

const one = async (
  cycle: Cycle,
  planned: PlannedExpiry,
  keptBySinks: ReadonlyMap<number, string>,
  names: readonly string[],
): Promise<Ended> => {
  const { action, service, keyId } = planned;
  const { journal, account } = cycle.deps;
  const outdated = await outdatedNow(cycle, service, journal.state(account).managed.get(service));
  if (outdated !== undefined) return { done: false, message: describeStop(outdated) };
  const rotation = { id: idOf(planned), service };
  const key = generationKey(planned);
  const obstacle = await obstacleTo(cycle, planned, keptBySinks);
  if (obstacle !== undefined) return obstacle;
  if (action.kind === 'warn') return { done: true, message: await warn(cycle, planned, action) };
  const used = planned.ifUnused === true ? (await recentUses(cycle, names)).get(planned.name) : undefined;
  if (used !== undefined && used.calls > 0)
    return {
      done: false,
      message: usedText(planned.name, [], used, cycle.deps.zone),
    };
  if (action.kind === 'expire') return expire(cycle, planned, action);
  await note(cycle, rotation, { what: 'deleting', ...key, why: 'expired' });
  const refusal = await requestDeletion(cycle, keyId);
  cycle.removed.add(keyId);
  return {
    done: refusal === undefined,
    message: refusal === undefined ? 'deleted' : messageOf(refusal),
  };
};

/** What came of a deletion, by the list after it. */
const listedAgain = (ended: Ended, isGone: boolean): Ended => {
  if (isGone) return { done: true, message: 'deleted and no longer listed' };
  return ended.done ? { done: false, message: 'deleted but still listed: the next run checks again' } : ended;
};

/**
 * Ends keys as planned; a failure of one does not stop the others. A key that a sink holds (`keptBySinks`, with the reason) stays unless its plan
 * overrides it.
 */
export const endKeys = async (
  cycle: Cycle,
  planned: readonly PlannedExpiry[],
  keptBySinks: ReadonlyMap<number, string>,
): Promise<readonly EndedKey[]> => {
  const results: { readonly planned: PlannedExpiry; readonly ended: Ended }[] = [];
  const names = distinctNames(planned.flatMap(({ ifUnused, name }) => (ifUnused === true ? [name] : [])));
  for (const each of planned) {
    cycle.signal.throwIfAborted();
    try {
      results.push({ planned: each, ended: await one(cycle, each, keptBySinks, names) });
    } catch (error) {
      cycle.signal.throwIfAborted();
      if (!isFault(error)) throw error;
      const message = `${error.message} (${error.code})`;
      results.push({ planned: each, ended: { done: false, message } });
    }
  }
  const removed = new Set(cycle.removed);
  if (removed.size > 0) await cycle.look();
  const settled: EndedKey[] = [];
  for (const { planned: each, ended } of results) {
    const { keyId, name, service } = each;
    const isRemoved = removed.has(keyId);
    const isGone = isRemoved && (await isDeleted(cycle, keyId));
    if (isGone) await note(cycle, { id: idOf(each), service }, { what: 'deleted', ...generationKey(each) });
    settled.push({
      account: cycle.deps.account,
      keyId,
      name,
      ...(isRemoved ? listedAgain(ended, isGone) : ended),
    });
  }
  return settled;
};
