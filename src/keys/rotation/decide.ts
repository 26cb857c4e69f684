import {
  hourMillis,
  minuteMillis,
  formatMoment,
  shellWord,
  unixSeconds,
  type UnixMillis,
} from '../../core/index.ts';
import {
  candidateOf,
  isCompromised,
  isHeldByPlace,
  isOfRotation,
  isTimed,
  type Attempt,
  type OldKey,
  type Rotation,
} from '../model/rotation.ts';
import type { Action, View, WantedPlace } from './action.ts';
import { undeclaredMessage } from '../retirement/hold-messages.ts';

/** Milliseconds between a failed attempt and the next: 5 minutes, doubled each time, at most 6 hours. */
export const pauseAfter = (tries: number): number =>
  Math.min(5 * minuteMillis * 2 ** Math.max(0, tries - 1), 6 * hourMillis);

const rest = (message: string): Extract<Action, { step: 'rest' }> => ({ step: 'rest', message });

const clock = (moment: number, { zone }: Pick<View, 'zone'>): string =>
  formatMoment(unixSeconds(Math.floor(moment / 1000)), zone);

/** The time from which a list proves whether a request without an answer created a key; 0 if our clock was set back since. */
export const settledAt = ({ askedAt }: Attempt, { now, settle }: Pick<View, 'now' | 'settle'>): number =>
  askedAt > now + settle ? 0 : askedAt + settle;

/** The step for keys that must be settled before another key is created: requests without an answer, and pending deletions. */
const unsettled = ({ attempts }: Rotation, view: View): Action | undefined => {
  for (const attempt of attempts) {
    if (attempt.state === 'asked') return { step: 'note-lost', attempt };
    const resting = attempt.keyId === undefined ? undefined : view.resting(attempt.keyId);
    if (resting !== undefined) return rest(resting);
    if (attempt.state === 'clearing' && attempt.keyId !== undefined)
      return { step: 'clear', attempt, keyId: attempt.keyId };
    if (attempt.state !== 'lost') continue;
    const orphanKey = view.orphanOf(attempt);
    if (orphanKey !== undefined) return { step: 'clear', attempt, keyId: orphanKey };
    const settled = settledAt(attempt, view);
    if (view.listedAt >= settled) continue;
    if (view.now >= settled) return { step: 'look' };
    return rest(
      `the gateway did not answer for ${attempt.name}; the key list is checked for it after ${clock(settled, view)}`,
    );
  }
  return undefined;
};

/** The key exists, and no sink can hold it. */
const isUndelivered = ({ state }: Attempt): boolean => state === 'made' || state === 'verified';

/** The first place to which the key was handed and whose delivery a person has not confirmed. */
const awaited = (attempt: Attempt, places: readonly WantedPlace[]): WantedPlace | undefined =>
  places.find(({ place, confirmedByPerson }) => {
    const delivery = attempt.places[place];
    return confirmedByPerson && delivery?.done === true && delivery.proof === undefined;
  });

/** After the loss of the plaintext: sinks that prove to hold the key make it usable; otherwise only its consumers can have it. */
const withoutPlaintext = (attempt: Attempt, places: readonly WantedPlace[]): Action => {
  if (isUndelivered(attempt)) return { step: 'clear', attempt, keyId: attempt.keyId ?? 0 };
  const byPerson = awaited(attempt, places);
  const delivered = places.every(({ place }) => attempt.places[place]?.done === true);
  if (byPerson !== undefined && delivered) return unconfirmed(attempt, byPerson.place);
  return { step: 'prove', attempt };
};

const unconfirmed = ({ name, askedAt }: Attempt, place: string): Action => ({
  ...rest(`${name} is in ${place} and must be confirmed with \`tollkeeper keys confirm\``),
  pending: {
    title: `the key ${name} must be confirmed`,
    key: `the key ${name} waits for whoever is to confirm it`,
    since: askedAt,
    atOnce: true,
  },
});

/** Whether a list that should show the key does not. The list may be late while a sink holds the key, so nothing is deleted for this reason alone. */
const isMissing = ({ keyId, askedAt, madeAt = askedAt }: Attempt, view: View): boolean =>
  keyId !== undefined && !view.isListed(keyId) && view.listedAt > madeAt + view.settle;

/** Limits the orphans that a rotation retains, so that a process that crashes repeatedly creates no further keys. */
const maxRetained = 3;

/** A key that a late list does not show yet counts too. */
const isKept = (attempt: Attempt, view: View): boolean =>
  attempt.state === 'retained' &&
  attempt.keyId !== undefined &&
  !isMissing(attempt, view) &&
  !view.isDead(attempt.keyId);

const tooMany = ({ service }: Rotation, retained: readonly Attempt[]): Action => ({
  ...rest(
    `${retained.map(({ name }) => name).join(', ')} were created by this rotation and may be in use; no further key is created until one of them is gone: end one with \`tollkeeper keys expire\``,
  ),
  pending: {
    title: `the rotation of ${service} is blocked`,
    key: `the rotation of ${service} cannot go on`,
    since: retained.at(-1)?.askedAt ?? (0 as UnixMillis),
    atOnce: true,
  },
});

const towardsCutover = (rotation: Rotation, view: View): Action => {
  const before = unsettled(rotation, view);
  if (before !== undefined) return before;
  const { places } = view;
  const attempt = candidateOf(rotation);
  if (places === undefined || places.length === 0) {
    // The time when a sink will be declared is unknown, and other rotations must not wait for it.
    if (attempt !== undefined && isUndelivered(attempt))
      return { step: 'clear', attempt, keyId: attempt.keyId ?? 0 };
    return {
      ...rest(
        `job ${rotation.terms.job} declares no sink for the key; declare one under \`deliver\`, or end the rotation with \`tollkeeper keys give-up ${shellWord(rotation.service)}\``,
      ),
      pending: {
        title: `the rotation of ${rotation.service} is blocked`,
        key: `the rotation of ${rotation.service} cannot go on`,
        since: rotation.changedAt,
        atOnce: true,
      },
    };
  }
  if (attempt === undefined) {
    const retained = rotation.attempts.filter((one) => isKept(one, view));
    if (retained.length >= maxRetained) return tooMany(rotation, retained);
    const other = view.unsettledElsewhere();
    if (other === undefined) return { step: 'create' };
    const message = `its successor is created once the new key of ${other} is being delivered or is deleted`;
    return { ...rest(message), blocked: true };
  }
  if (isMissing(attempt, view)) return { step: 'seek', attempt };
  // A place that was declared after the read-back must hold the key too.
  if (attempt.state === 'read-back' && places.every(({ place }) => attempt.places[place]?.done === true))
    return { step: 'cut-over', attempt };
  if (!view.holds(attempt)) return withoutPlaintext(attempt, places);
  if (attempt.state === 'made') return { step: 'verify', attempt };
  const undelivered = places.find(({ place }) => attempt.places[place]?.done !== true);
  if (undelivered !== undefined) return { step: 'deliver', attempt, place: undelivered.place };
  const byPerson = awaited(attempt, places);
  return byPerson === undefined ? { step: 'read-back', attempt } : unconfirmed(attempt, byPerson.place);
};

const isChanged = ({ quota }: Rotation, keyId: number): boolean =>
  quota.some((change) => change.keyId === keyId && change.done);

const ending = (rotation: Rotation, attempt: Attempt, old: OldKey): Action => {
  const { terms } = rotation;
  const isShared = terms.quota.kind === 'carry' || terms.quota.kind === 'split';
  if (
    isShared &&
    isOfRotation(rotation, old.keyId) &&
    old.remain !== undefined &&
    old.settled?.valid !== true
  )
    return { step: 'settle-quota', attempt, old };
  return terms.retire.ending === 'expire' && terms.retire.when !== 'now'
    ? { step: 'expire', old }
    : { step: 'delete', old };
};

/** Milliseconds for which the evidence of disuse is valid. */
const proofHolds = hourMillis;

/** Evidence covers the names it was collected for: a key that was renamed since needs new evidence. */
const isFresh = ({ keyId, name, idleAt, idleNames = [name] }: OldKey, view: View): boolean =>
  idleAt !== undefined &&
  view.now >= idleAt &&
  view.now - idleAt < proofHolds &&
  idleNames.includes(view.nameOf(keyId) ?? name);

/** The step while a place that no sink reads may hold the old key; a dead key needs no hold. */
const heldByPlaces = (rotation: Rotation, old: OldKey, view: View): Action | undefined => {
  const places = view.isDead(old.keyId) ? [] : view.undeclaredPlaces;
  const isHeld = old.retained?.reason === 'place-undeclared';
  if (places.length === 0) return isHeld ? { step: 'end-hold', old } : undefined;
  const message = undeclaredMessage(old, rotation.service, places);
  return isHeld && old.state === 'working' && old.retained?.message === message
    ? rest(message)
    : { step: 'hold', old, places };
};

const ofOld = (
  rotation: Rotation,
  attempt: Attempt,
  old: OldKey,
  cutover: number,
  view: View,
): Action | undefined => {
  const { retire, overlap } = rotation.terms;
  if (old.state === 'over') return undefined;
  // The key was deleted externally, so there is nothing to judge.
  if (old.state !== 'deleting' && !view.isListed(old.keyId)) return { step: 'note-gone', old };
  const resting = view.resting(old.keyId);
  if (resting !== undefined) return rest(resting);
  const hasLeaked = isCompromised(rotation, old);
  const hold = hasLeaked ? undefined : heldByPlaces(rotation, old, view);
  if (hold !== undefined) return hold;
  const isReplaced = attempt.keyId !== undefined && !view.isDead(attempt.keyId);
  const isProven = hasLeaked || isTimed(rotation, old) || (isReplaced && isFresh(old, view));
  // Expired evidence proves nothing: a consumer may have returned to the key.
  if (!isProven && view.isListed(old.keyId) && (old.state !== 'working' || old.idle))
    return { step: 'judge', old };
  if (old.state === 'deleting') return { step: 'delete', old };
  if (old.state === 'retiring') return ending(rotation, attempt, old);
  if (hasLeaked || old.idle) return { step: 'retire', old };
  // Both keys work for the whole overlap, which starts at the cutover or, if later, when the consumer is notified.
  const inUse = Math.max(cutover, rotation.reloadedAt ?? 0);
  if (isTimed(rotation, old)) {
    if (!view.isOverlapChecked(old.keyId)) return { step: 'check-overlap', attempt, old };
    if (isHeldByPlace(old)) return rest(old.retained?.message ?? '');
    const overlapEnds = Math.max(inUse, old.heldUntil ?? 0) + overlap;
    if (old.expiry?.set !== true) return { step: 'set-expiry', old, at: overlapEnds as UnixMillis };
    // Either clock may have been set: the overlap is over when both agree.
    if (Math.min(view.now, view.gatewayNow ?? view.now) >= old.expiry.at * 1000)
      return { step: 'retire', old };
    const isNotified = old.retained?.reason === 'successor-dead';
    if (!isNotified && view.now >= inUse + overlap / 2) return { step: 'judge', old };
    return rest(`${old.name} remains valid until ${clock(old.expiry.at * 1000, view)}`);
  }
  const due = inUse + Math.max(overlap, retire.quiet);
  if (view.now < due)
    return rest(`${old.name} remains valid beside ${attempt.name} until at least ${clock(due, view)}`);
  return { step: 'judge', old };
};

const afterCutover = (rotation: Rotation, cutover: number, view: View): Action => {
  const before = unsettled(rotation, view);
  if (before?.step === 'clear' || before?.step === 'note-lost') return before;
  const attempt = rotation.attempts.find(({ state }) => state === 'current');
  if (attempt === undefined) return rest('its successor no longer exists');
  if (isMissing(attempt, view)) return { step: 'seek', attempt };
  const reload = rotation.reloadedAt === undefined && view.reloads;
  // A compromised key is deleted even if its consumer cannot be notified.
  const isUrgent = rotation.terms.retire.when === 'now' && rotation.tries > 0;
  if (reload && !isUrgent) return { step: 'reload', attempt };
  const actions: Action[] = [];
  for (const old of rotation.olds) {
    const isSplit = rotation.terms.quota.kind === 'split' && rotation.old?.keyId === old.keyId;
    const shares = isSplit && old.remain !== undefined && old.state === 'working';
    if (shares && view.isListed(old.keyId) && !isChanged(rotation, old.keyId))
      return { step: 'share-quota', attempt, old };
    const action = ofOld(rotation, attempt, old, cutover, view);
    if (action !== undefined && action.step !== 'rest') return action;
    if (action !== undefined) actions.push(action);
  }
  return actions[0] ?? (reload ? { step: 'reload', attempt } : { step: 'finish' });
};

/** The step that clears keys that no sink can hold, which must not outlast a run even if the rotation rests. */
const orphaned = (rotation: Rotation, view: View): Action | undefined => {
  const before = unsettled(rotation, view);
  if (before !== undefined) return before.step === 'rest' ? undefined : before;
  const attempt = candidateOf(rotation);
  const isOrphan = attempt !== undefined && isUndelivered(attempt);
  // The time when a person resumes the rotation is unknown, and other rotations must not wait for it.
  return isOrphan && attempt.keyId !== undefined && (rotation.waiting !== undefined || !view.holds(attempt))
    ? { step: 'clear', attempt, keyId: attempt.keyId }
    : undefined;
};

/** Steps that clear orphans. A pause after a failure of one of them must not run it again. */
const clearing: ReadonlySet<string> = new Set<Action['step']>(['clear', 'look', 'note-lost']);

/** Why the rotation pauses, or the step that clears its orphans meanwhile; undefined when it may continue. */
const pauseOf = (rotation: Rotation, view: View): Action | undefined => {
  const { lastFailure: failure, waiting, tries } = rotation;
  const again = failure === undefined ? 0 : failure.at + pauseAfter(tries);
  // A failure in the future was recorded by a wrong clock.
  const isPaused = failure !== undefined && tries > 0 && view.now >= failure.at && view.now < again;
  if (waiting === undefined && (!isPaused || view.requested)) return undefined;
  const orphan = isPaused && clearing.has(failure.step) ? undefined : orphaned(rotation, view);
  if (orphan !== undefined) return orphan;
  if (waiting === undefined)
    return rest(
      `${failure?.step ?? 'a step'} failed: ${failure?.message ?? ''}; next attempt at ${clock(again, view)}`,
    );
  const { service, changedAt, waitingSince = changedAt } = rotation;
  return {
    ...rest(
      `${waiting}; fix the cause, then resume the rotation with \`tollkeeper keys resume ${shellWord(service)}\``,
    ),
    // Operators were notified of the pause when the last attempt failed.
    pending: {
      title: `the rotation of ${service} is still paused: action required`,
      key: `the rotation of ${service} still waits for you`,
      since: waitingSince,
      atOnce: false,
      message: waiting,
    },
  };
};

/** Returns the next step for the journal's state and the view. Pure. */
export const decide = (rotation: Rotation, view: View): Action => {
  if (rotation.over !== undefined)
    return rest(`the rotation ${rotation.over === 'done' ? 'is complete' : 'was given up'}`);
  const pause = pauseOf(rotation, view);
  if (pause !== undefined) return pause;
  return rotation.cutover === undefined
    ? towardsCutover(rotation, view)
    : afterCutover(rotation, rotation.cutover, view);
};

/** Whether the rotation may have a key that no sink can hold, or a crash now would leave one. */
export const isUnsettled = (
  { attempts }: Rotation,
  view: Pick<View, 'now' | 'listedAt' | 'settle' | 'orphanOf'>,
): boolean =>
  attempts.some((attempt) => {
    if (attempt.state === 'lost')
      return view.listedAt < settledAt(attempt, view) || view.orphanOf(attempt) !== undefined;
    return ['asked', 'made', 'verified', 'clearing'].includes(attempt.state);
  });
