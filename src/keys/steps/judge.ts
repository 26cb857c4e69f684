import {
  formatMoment,
  hourMillis,
  interval,
  toSeconds,
  unixSeconds,
  type UnixMillis,
} from '../../core/index.ts';
import { isCompromised, isTimed, type Attempt, type OldKey, type Rotation } from '../model/rotation.ts';
import { deadBy } from '../plan/key-state.ts';
import { holdText } from '../events/notices.ts';
import { clockEffect, clockSkew } from '../plan/clock-skew.ts';
import { gatewayTimes, ownCalls } from '../cycle/gateway-time.ts';
import { widestSkew } from '../cycle/key-clock.ts';
import {
  judgeRetirement,
  knownEnd,
  idleRange,
  resumedFrom,
  type RetireFacts,
  type RetireVerdict,
} from '../retirement/judge-old.ts';
import { noteHold } from '../retirement/note-hold.ts';
import { isSameName, namesBorne, usesOf } from '../retirement/named-uses.ts';
import { generationKey, generationKeyOf, note, type Cycle } from '../cycle/cycle.ts';
import { inUseSince } from './set-expiry.ts';
import type { OfOld, Step } from './step.ts';

const bearersOf = async (
  cycle: Cycle,
  names: readonly string[],
  since: UnixMillis,
): Promise<ReadonlySet<number>> => {
  const { evidence, account } = cycle.deps;
  const bearers = new Set<number>();
  for (const name of names) {
    for (const id of await evidence.idsNamed(account, name, since)) bearers.add(id);
    for (const key of cycle.keys().values()) if (isSameName(key.name, name)) bearers.add(key.id);
  }
  return bearers;
};

const collectFacts = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  old: OldKey,
): Promise<RetireFacts> => {
  const { evidence, account, zone } = cycle.deps;
  const successor = generationKeyOf(attempt);
  const times = await gatewayTimes(cycle, rotation);
  const { now, cutover, shownSince } = times;
  const first = await evidence.firstCall?.(
    account,
    successor.name,
    unixSeconds(Math.max(0, Math.floor(cutover / 1000) - widestSkew)),
  );
  const { logBehind, ownUntil } = ownCalls(rotation, attempt, cutover, first);
  const effect = clockEffect(times.clock, { quiet: rotation.terms.retire.quiet, logBehind });
  const margin = effect.effect === 'add' ? effect.margin : 0;
  const retire = { ...rotation.terms.retire, quiet: rotation.terms.retire.quiet + margin };
  const from = unixSeconds(Math.ceil(cutover / 1000));
  const until = toSeconds(now);
  const complete =
    until > from
      ? await evidence.logComplete(account, interval(from, until))
      : ({ complete: false, why: 'the cutover has just happened' } as const);
  const end = knownEnd(complete, now);
  const oldNames = await namesBorne(cycle, old, shownSince);
  const newNames = await namesBorne(cycle, successor, shownSince);
  // Until the idle time fits after the cutover, all calls since the cutover show who still uses the key.
  const lookFrom = idleRange(cutover, retire.quiet, end)?.start ?? from;
  // Rows beyond the complete part of the log count as use too; the margin covers the gateway's clock, which stamps them.
  const lookTill = unixSeconds(until + clockSkew / 1000);
  const oldUses =
    lookTill <= lookFrom ? undefined : await usesOf(cycle, oldNames, interval(lookFrom, lookTill));
  const resumed = unixSeconds(Math.max(resumedFrom(cutover, retire.quiet), ownUntil));
  const newUses =
    end === undefined || end <= resumed ? undefined : await usesOf(cycle, newNames, interval(resumed, end));
  const bearers = await bearersOf(cycle, [...oldNames, ...newNames], shownSince);
  const listed = cycle.keys().get(successor.keyId);
  const newIsDead = listed && deadBy(listed, now);
  const sharedName = oldNames.find((name) => newNames.some((other) => isSameName(name, other)));
  return {
    now,
    zone,
    cutover,
    retire,
    oldNames,
    newName: successor.name,
    ...(effect.effect === 'suspend' ? { clockProblem: effect.problem } : {}),
    newIsDead,
    complete,
    oldUses,
    newUses,
    nameCollisions: [...bearers]
      .filter((id) => id !== old.keyId && id !== successor.keyId)
      .sort((left, right) => left - right),
    sharedName,
  };
};

type Hold = Extract<RetireVerdict, { verdict: 'hold' }>;

/** The time from which an incomplete log is worth a notification: it always lags a little. */
const isBehindAlert = (rotation: Rotation, cutover: UnixMillis): number =>
  cutover + 2 * rotation.terms.retire.quiet + 86_400_000;

/** Whether the journal holds the reason; it is recorded only after the notification. */
const isNoted = ({ retained, state, idle }: OldKey, { why, escalate }: Hold): boolean =>
  retained?.reason === why.reason && (retained.escalated || !escalate) && state === 'working' && !idle;

/** Whether the notification of a recorded hold was sent: that of an incomplete log is due later than the record. */
const isNotified = async (
  { deps: { journal, account } }: Cycle,
  { service, id }: Rotation,
  { keyId, retained }: OldKey,
  { why: { reason } }: Hold,
  alertsFrom: number,
): Promise<boolean> => {
  if (reason !== 'log-incomplete' || retained?.escalated === true) return true;
  return (await journal.history({ account, service })).some(
    (event) =>
      event.what === 'held' &&
      event.rotation === id &&
      event.keyId === keyId &&
      event.reason === reason &&
      event.at >= alertsFrom,
  );
};

/** Notes a reason to retain an old key unless the journal has it and its notification was sent. */
const retain = async (
  cycle: Cycle,
  rotation: Rotation,
  old: OldKey,
  cutover: UnixMillis,
  hold: Hold,
): Promise<void> => {
  const { why, escalate } = hold;
  const alertsFrom = isBehindAlert(rotation, cutover);
  const notifies = why.reason !== 'log-incomplete' || escalate || cycle.deps.clock.now() >= alertsFrom;
  if (isNoted(old, hold) && (!notifies || (await isNotified(cycle, rotation, old, hold, alertsFrom)))) return;
  await noteHold(cycle, rotation, old, why, {
    notifies,
    escalated: escalate,
    isTimed: isTimed(rotation, old),
  });
};

/** A call found while the evidence was renewed counts before the stored log contains it: the idle time restarts there. */
const usedAgain = (
  { name, retained }: OldKey,
  from: UnixMillis,
  { now, zone }: Pick<RetireFacts, 'now' | 'zone'>,
): string | undefined => {
  const usedAt = retained?.reason === 'used' ? retained.usedAt : undefined;
  // A stamp in the future comes from a wrong clock.
  if (usedAt === undefined || usedAt * 1000 < from || usedAt * 1000 > now + clockSkew) return undefined;
  return `${name} was called at ${formatMoment(usedAt, zone)}; its idle time begins again`;
};

const clock = (moment: number, { zone }: OfOld['view']): string =>
  formatMoment(unixSeconds(Math.floor(moment / 1000)), zone);

/** Milliseconds for which the evidence of disuse is valid. */
const proofHolds = hourMillis;

/** Evidence covers the names it was collected for: a key that was renamed since needs new evidence. */
const isFresh = ({ old: { keyId, name, idleAt, idleNames = [name] }, view }: OfOld): boolean =>
  idleAt !== undefined &&
  view.now >= idleAt &&
  view.now - idleAt < proofHolds &&
  idleNames.includes(view.nameOf(keyId) ?? name);

/** Judges whether an old key may end; records and notifies each reason to retain it once. */
export const judge: Step<OfOld> = {
  name: 'judge',
  due: ({ rotation, attempt, old, cutover, view }) => {
    const { overlap, retire } = rotation.terms;
    const inUse = inUseSince({ cutover, rotation });
    if (isTimed(rotation, old)) {
      const isNotified = old.retained?.reason === 'successor-dead';
      if (!isNotified && view.now >= inUse + overlap / 2) return true;
      return { rest: `${old.name} remains valid until ${clock((old.expiry?.at ?? 0) * 1000, view)}` };
    }
    const due = inUse + Math.max(overlap, retire.quiet);
    return (
      view.now >= due || {
        rest: `${old.name} remains valid beside ${attempt.name} until at least ${clock(due, view)}`,
      }
    );
  },
  run: async ({ cycle }, { rotation, attempt, old, cutover }) => {
    const facts = await collectFacts(cycle, rotation, attempt, old);
    const found = judgeRetirement(facts);
    const timed = isTimed(rotation, old);
    if (found.verdict === 'go' && !timed) {
      const { range, evidence } = found;
      const again = usedAgain(old, range.start, facts);
      if (again !== undefined) {
        cycle.resting.set(old.keyId, again);
        return;
      }
      const listed = cycle.keys().get(old.keyId);
      await note(cycle, rotation, {
        what: 'quiet',
        ...generationKey(old),
        from: range.start,
        to: range.end,
        evidence,
        names: [...facts.oldNames],
        ...(listed === undefined || listed.unlimitedQuota ? {} : { remain: listed.remainQuota }),
      });
      return;
    }
    if (found.verdict !== 'hold') {
      cycle.resting.set(
        old.keyId,
        found.verdict === 'wait'
          ? `${old.name} has not been idle for long enough`
          : `${old.name} is idle and expires when the overlap ends`,
      );
      return;
    }
    const { why } = found;
    cycle.resting.set(old.keyId, holdText({ ...old, service: rotation.service, why }, cycle.deps.zone));
    // A timed key ends regardless, but operators must know who still uses it.
    if (timed && why.reason !== 'used' && why.reason !== 'successor-dead') return;
    await retain(cycle, rotation, old, cutover, found);
  },
};

/** Expired evidence proves nothing: a consumer may have returned to the key. */
export const judgeAgain: Step<OfOld> = {
  ...judge,
  due: (situation) => {
    const { rotation, attempt, old, view } = situation;
    const isReplaced = attempt.keyId !== undefined && !view.isDead(attempt.keyId);
    const isProven =
      isCompromised(rotation, old) || isTimed(rotation, old) || (isReplaced && isFresh(situation));
    return !isProven && view.isListed(old.keyId) && (old.state !== 'working' || old.idle);
  },
};
