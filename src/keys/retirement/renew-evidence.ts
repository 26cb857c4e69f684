import {
  compareMoney,
  errorFields,
  interval,
  isFault,
  messageOf,
  toSeconds,
  unixSeconds,
  type UnixSeconds,
} from '../../core/index.ts';
import type { HoldFacts, KeyUse } from '../model/event-fields.ts';
import type { OldKey, Rotation } from '../model/rotation.ts';
import type { Cycle } from '../cycle/cycle.ts';
import { gatewayNow } from '../cycle/gateway-time.ts';
import { knownEnd, namesCalled } from './judge-old.ts';
import { noteHold } from './note-hold.ts';
import { distinctNames, namesBorne, sumOfUses } from './named-uses.ts';
import { openRotations } from '../model/key-state.ts';

/** Seconds by which a new read overlaps the end of the stored log: rows arrive late (docs/gateway.md G16.1). */
const lateness = 600;

/** Seconds in which the end of the stored log is searched; evidence is never older. */
const longestLag = 6 * 3600;

const recentFrom = async (cycle: Cycle): Promise<UnixSeconds> => {
  const { evidence, account } = cycle.deps;
  const now = gatewayNow(cycle);
  const until = toSeconds(now);
  const range = interval(unixSeconds(until - longestLag), until);
  const end = knownEnd(await evidence.logComplete(account, range), now) ?? range.start;
  return unixSeconds(end - lateness);
};

/** Calls under these names since the end of the stored log, exported by the gateway now; read once per cycle. */
export const recentUses = async (
  cycle: Cycle,
  names: readonly string[],
): Promise<ReadonlyMap<string, KeyUse>> => {
  const { recentCalls } = cycle.deps;
  if (recentCalls === undefined) return new Map();
  const missing = names.filter((name) => !cycle.recentUses.has(name));
  if (missing.length === 0) return cycle.recentUses;
  const found = await recentCalls(missing, await recentFrom(cycle), cycle.signal);
  for (const name of missing) cycle.recentUses.set(name, found.get(name) ?? { calls: 0, models: [] });
  return cycle.recentUses;
};

/** The names of all keys that may be deleted in this cycle, so that one export serves them all. */
const namesOfAll = async (cycle: Cycle): Promise<readonly string[]> => {
  const { journal, account } = cycle.deps;
  const names: string[] = [];
  for (const { olds, cutover } of openRotations(journal.state(account)))
    for (const old of olds)
      if (cutover !== undefined && old.state !== 'over')
        names.push(...(await namesBorne(cycle, old, cutover)));
  return distinctNames(names);
};

type Used = Extract<HoldFacts, { reason: 'used' }>;

const usedSince = async (cycle: Cycle, rotation: Rotation, old: OldKey): Promise<Used | undefined> => {
  const uses = await recentUses(cycle, await namesOfAll(cycle));
  const { cutover = cycle.deps.clock.now() } = rotation;
  const named = distinctNames(await namesBorne(cycle, old, cutover)).flatMap((name) => {
    const use = uses.get(name);
    return use === undefined || use.calls === 0 ? [] : [{ name, use }];
  });
  if (named.length > 0) return { reason: 'used', use: sumOfUses(named), names: namesCalled(old.name, named) };
  const { idleRemain } = old;
  if (idleRemain === undefined) return undefined;
  const { remainQuota, unlimitedQuota } = await cycle.deps.gateway.read(old.keyId, cycle.signal);
  if (unlimitedQuota || compareMoney(remainQuota, idleRemain) >= 0) return undefined;
  return {
    reason: 'used',
    use: { calls: 0, lastCall: toSeconds(gatewayNow(cycle)), models: [] },
    names: [],
    quota: { from: idleRemain, to: remainQuota },
  };
};

/**
 * Whether the key is still unused right before it ends: reads the log up to now and compares the quota of a limited key. A use retains the key;
 * without renewed evidence the key stays until the next cycle.
 */
export const isStillUnused = async (cycle: Cycle, rotation: Rotation, old: OldKey): Promise<boolean> => {
  let why: Used | undefined;
  try {
    why = await usedSince(cycle, rotation, old);
  } catch (error) {
    cycle.signal.throwIfAborted();
    if (!isFault(error)) throw error;
    cycle.deps.log.warn('the evidence for the end of an old key could not be renewed', {
      service: rotation.service,
      ...errorFields(error),
    });
    cycle.resting.set(
      old.keyId,
      `${old.name} is retained until the call log can be read up to now: ${messageOf(error)}`,
    );
    return false;
  }
  if (why === undefined) return true;
  cycle.resting.set(old.keyId, await noteHold(cycle, rotation, old, why));
  return false;
};
