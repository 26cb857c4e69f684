import {
  dateAt,
  hourMillis,
  interval,
  startOfDay,
  toSeconds,
  unixMillis,
  unixSeconds,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import { gatewayTimes } from '../cycle/gateway-time.ts';
import { generationKey, note, notifyOf } from '../cycle/cycle.ts';
import type { OldKeyEnd } from '../model/alert.ts';
import { isCompromised, isTimed } from '../model/rotation.ts';
import { namesBorne, sumOfUses, usesOf } from '../retirement/named-uses.ts';
import { inUseSince } from './set-expiry.ts';
import type { OfOld, Step } from './step.ts';

/** Milliseconds after midnight that the call log has to reach it; then its owner is notified of what is known. */
const timeout = 6 * hourMillis;

/** The local days since the last notification, or since the cutover, up to the last midnight; undefined before it. */
const daysToTell = ({ old, cutover, view }: OfOld): Interval<UnixSeconds> | undefined => {
  const from = old.noted?.to ?? unixSeconds(Math.ceil(cutover / 1000));
  const to = startOfDay(dateAt(toSeconds(view.now), view.zone), view.zone);
  return to > from ? interval(from, to) : undefined;
};

const endOf = ({ rotation, old, cutover }: OfOld): OldKeyEnd => {
  const { overlap, retire } = rotation.terms;
  if (isTimed(rotation, old) && old.expiry !== undefined) return { kind: 'at', at: old.expiry.at };
  const from = unixMillis(inUseSince({ cutover, rotation }) + Math.max(overlap, retire.quiet));
  return { kind: 'unused', quiet: retire.quiet, from };
};

/**
 * Notifies the owner of an old key once a local day of who still calls with it, and once that nobody does; the latter only by the complete call
 * log. A key that ends in any case, because it leaked, is left out.
 */
export const noteUse: Step<OfOld> = {
  name: 'note-use',
  due: (situation) => {
    const { rotation, old, view } = situation;
    const days = daysToTell(situation);
    return (
      days !== undefined &&
      !isCompromised(rotation, old) &&
      old.state === 'working' &&
      view.isListed(old.keyId) &&
      !view.isUseLookedAt(old.keyId, days.end)
    );
  },
  run: async ({ cycle }, situation) => {
    const { rotation, attempt, old, view } = situation;
    const { evidence, account, unusedUntil } = cycle.deps;
    cycle.useLookedAt.add(old.keyId);
    const days = daysToTell(situation);
    if (days === undefined) return;
    const { complete } = await evidence.logComplete(account, days);
    if (!complete && view.now < days.end * 1000 + timeout) return;
    const names = await namesBorne(cycle, old, (await gatewayTimes(cycle, rotation)).shownSince);
    const use = sumOfUses(await usesOf(cycle, names, days));
    const { start: from, end: to } = days;
    const about = { name: old.name, from, to, ends: endOf(situation) };
    const key = `${rotation.id}/${old.keyId}/${to}`;
    if (use.calls > 0) {
      const hours = [...((await evidence.hoursUsed?.(account, names, days)) ?? [])];
      await notifyOf(cycle, rotation, {
        kind: 'used',
        about: { event: 'old-key-used', ...about, successor: attempt.name, hours },
        use,
        key: `${key}/used`,
      });
      await note(cycle, rotation, { what: 'use-noted', ...generationKey(old), from, to, use, hours });
      return;
    }
    if (!complete) return;
    const { lastCall, calls = 0 } = old.noted?.use ?? {};
    if (calls === 0) {
      unusedUntil.set(old.keyId, to);
      return;
    }
    await notifyOf(cycle, rotation, {
      kind: 'unused',
      about: { event: 'old-key-unused', ...about, lastCall },
      key: `${key}/unused`,
    });
    await note(cycle, rotation, { what: 'use-ended', ...generationKey(old), from, to, lastCall });
  },
};
