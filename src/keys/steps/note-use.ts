import {
  dateAt,
  daySeconds,
  errorFields,
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
import { generationKey, note, notifyOf, type Cycle } from '../cycle/cycle.ts';
import type { KeyUse } from '../model/event-fields.ts';
import type { OldKeyEnd } from '../model/alert.ts';
import { isCompromised, isTimed } from '../model/rotation.ts';
import { namesBorne, sumOfUses, usesOf } from '../retirement/named-uses.ts';
import { inUseSince } from './set-expiry.ts';
import type { OfOld, Step } from './step.ts';

/** Milliseconds after midnight to wait for the call log. After that, the notification contains the calls that are known. */
const timeout = 6 * hourMillis;

/** Days that a notification covers at most. */
const mostDays = 7;

/** The local days since the last notification, or since the cutover, up to the last midnight; undefined before it. */
const daysToTell = ({ old, cutover, view }: OfOld): Interval<UnixSeconds> | undefined => {
  const to = startOfDay(dateAt(toSeconds(view.now), view.zone), view.zone);
  // Limits the interval after a long pause of the rotation.
  const from = unixSeconds(Math.max(old.noted?.to ?? Math.ceil(cutover / 1000), to - mostDays * daySeconds));
  return to > from ? interval(from, to) : undefined;
};

const endOf = ({ rotation, old, cutover }: OfOld): OldKeyEnd => {
  const { overlap, retire } = rotation.terms;
  if (isTimed(rotation, old) && old.expiry !== undefined) return { kind: 'at', at: old.expiry.at };
  const from = unixMillis(inUseSince({ cutover, rotation }) + Math.max(overlap, retire.quiet));
  return { kind: 'unused', quiet: retire.quiet, from };
};

type FoundUse = {
  readonly use: KeyUse;
  /** Starts of the hours with calls. */
  readonly hours: readonly UnixSeconds[];
  /** Whether the call log is complete for the days. */
  readonly complete: boolean;
  /** Of the days before too, of which calls may have landed after their notification. */
  readonly lastCall: UnixSeconds | undefined;
};

/** The use in the days; undefined while the call log may still get calls of them. */
const readUse = async (
  cycle: Cycle,
  { rotation, old, view }: OfOld,
  days: Interval<UnixSeconds>,
): Promise<FoundUse | undefined> => {
  const { evidence, account } = cycle.deps;
  const { complete } = await evidence.logComplete(account, days);
  if (!complete && view.now < days.end * 1000 + timeout) return undefined;
  const names = await namesBorne(cycle, old, (await gatewayTimes(cycle, rotation)).shownSince);
  const use = sumOfUses(await usesOf(cycle, names, days));
  const isUsed = use.calls > 0;
  const { noted } = old;
  // Only a notification that the key is unused contains it.
  const before =
    isUsed || !complete || noted === undefined || noted.use.calls === 0
      ? undefined
      : sumOfUses(await usesOf(cycle, names, interval(noted.from, days.end)));
  return {
    use,
    hours: isUsed ? ((await evidence.hoursUsed?.(account, names, days)) ?? []) : [],
    complete,
    lastCall: before?.lastCall ?? noted?.use.lastCall,
  };
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
    const { rotation, attempt, old } = situation;
    cycle.useLookedAt.add(old.keyId);
    const days = daysToTell(situation);
    if (days === undefined) return;
    const found = await readUse(cycle, situation, days).catch((error: unknown) => {
      cycle.signal.throwIfAborted();
      // It informs: a rotation must not pause because the log cannot be read.
      const { service } = rotation;
      cycle.deps.log.warn('the use of an old key cannot be read', { service, ...errorFields(error) });
      return undefined;
    });
    if (found === undefined) return;
    const { start: from, end: to } = days;
    const about = { name: old.name, from, to, ends: endOf(situation) };
    const key = `${rotation.id}/${old.keyId}/${to}`;
    const { use, hours, complete, lastCall } = found;
    if (use.calls > 0) {
      await notifyOf(cycle, rotation, {
        kind: 'used',
        about: { event: 'old-key-used', ...about, successor: attempt.name, hours },
        use,
        key: `${key}/used`,
      });
      await note(cycle, rotation, {
        what: 'use-noted',
        ...generationKey(old),
        from,
        to,
        use,
        hours: [...hours],
      });
      return;
    }
    if (!complete) return;
    if (old.noted === undefined || old.noted.use.calls === 0) {
      cycle.deps.unusedUntil.set(old.keyId, to);
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
