import {
  fault,
  formatSlot,
  parseDuration,
  readMoment,
  shellWord,
  toMillis,
  toSeconds,
  unixMillis,
  type UnixMillis,
  type UnixSeconds,
} from '../../../core/index.ts';
import type { CommandInput } from '../../../control/index.ts';
import { cachesHold, type PlannedExpiry, type KeyOutcome, outcomeOf } from '../../../keys/index.ts';
import { findKey, type FoundKey } from './find.ts';
import type { KeyWork, Run } from './key-work.ts';
import { refuseCurrent } from './refusals.ts';

/** A future time: `2026-12-01`, `2026-12-01T08:00`, `+48h`. @throws Fault `wrong-use` */
export const futureMoment = (text: string, zone: string, now: UnixMillis): UnixSeconds => {
  const range = parseDuration(text.replace(/^\+/, ''));
  const moment = range === undefined ? readMoment(text, zone) : unixMillis(now + range);
  if (moment === undefined)
    throw fault('wrong-use', `${JSON.stringify(text)} is not a valid time`, {
      advice: `use 2026-12-01, 2026-12-01T08:00 (read in ${zone}), 2026-12-01T08:00Z, or +48h`,
    });
  if (moment < now)
    throw fault('wrong-use', `${text} is in the past`, { advice: 'specify a future time, such as +48h' });
  return toSeconds(moment);
};

const provenEnd = async (
  work: KeyWork,
  found: FoundKey,
  all: readonly FoundKey[],
  run: Run,
): Promise<{ readonly note: string; readonly good: boolean }> => {
  const keyService = await work.keyService(found.account);
  const mine = all.filter(({ account }) => account === found.account);
  const began = work.now();
  const at = (moment: number): string => formatSlot(moment as UnixMillis, work.zone);
  const { name, id } = found.key;
  try {
    const refusal = await keyService.awaitRefusal(found, mine, run);
    if (refusal?.refusedAt !== undefined)
      return { good: true, note: `${name} (id ${id}) is refused since ${at(refusal.refusedAt)}` };
    if (refusal !== undefined)
      return {
        good: false,
        note: `${name} (id ${id}) still works: it is expired at the gateway, and a call at ${at(refusal.calledAt)} was accepted; \`tollkeeper keys expire id:${id} --delete\` deletes it`,
      };
  } catch (error) {
    run.signal.throwIfAborted();
    return {
      good: true,
      note: `${name} (id ${id}) is expired at the gateway; whether calls are refused could not be tried (${error instanceof Error ? error.message : String(error)}); caches may accept it until ${at(began + cachesHold)}`,
    };
  }
  return {
    good: true,
    note: `${name} (id ${id}) is expired at the gateway; caches may accept it until ${at(began + cachesHold)}`,
  };
};

export const createExpire =
  (lease: () => KeyWork) =>
  async (input: CommandInput<'keys/expire'>, run: Run): Promise<KeyOutcome> => {
    const { key: named, at, who, account, evenIfCurrent = false, delete: deletes = false } = input;
    using work = lease();
    const now = work.now();
    if (deletes && at !== undefined)
      throw fault('wrong-use', 'a key is deleted at once, not at a later time', {
        advice: 'use either --delete or --at',
      });
    const left = at === undefined ? 0 : toMillis(futureMoment(at, work.zone, now)) - now;
    const keys = await work.accounts.allKeys(account, run.signal);
    const found = findKey(named, keys, now);
    const { service, generation, key } = found;
    const keyService = await work.keyService(found.account);
    if (!evenIfCurrent) {
      const job = work.planner.delivers(found.account, found, now);
      const history = () => keyService.history(service);
      await refuseCurrent(found, { keys, now, job, history });
    }
    const action: PlannedExpiry['action'] = deletes ? { kind: 'delete' } : { kind: 'expire', in: left };
    const asMeant = evenIfCurrent ? { evenIfCurrent } : {};
    const planned = { keyId: key.id, generation, name: key.name, service, action, ...asMeant };
    const changes = await keyService.expire([planned], who, run.signal);
    const isDone = changes.every(({ done }) => done);
    const isNow = !deletes && left <= 0 && isDone;
    const proven = isNow ? await provenEnd(work, found, keys, run) : undefined;
    const word = shellWord(service);
    const later = `consumers that only have ${key.name} are refused from now on: \`tollkeeper keys rotate ${word} --now\` delivers another key, \`tollkeeper keys expire id:${key.id} --at …\` extends this one`;
    const notes = [
      ...(proven === undefined ? [] : [proven.note]),
      ...(isNow && evenIfCurrent ? [later] : []),
    ];
    const outcome = outcomeOf({ changes, notes });
    return { ...outcome, good: outcome.good && proven?.good !== false };
  };
