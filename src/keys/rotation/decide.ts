import { formatMoment, hourMillis, minuteMillis, shellWord, unixSeconds } from '../../core/index.ts';
import { noSinkText } from '../events/notices.ts';
import { candidateOf, type Attempt, type Rotation } from '../model/rotation.ts';
import { checkOverlap } from '../steps/check-overlap.ts';
import { clear } from '../steps/clear.ts';
import { create } from '../steps/create.ts';
import { cutOver } from '../steps/cut-over.ts';
import { deleteKey } from '../steps/delete.ts';
import { deliver } from '../steps/deliver.ts';
import { expire } from '../steps/expire.ts';
import { finish } from '../steps/finish.ts';
import { endHold, hold } from '../steps/hold.ts';
import { judge, judgeAgain } from '../steps/judge.ts';
import { look, settledAt } from '../steps/look.ts';
import { noteGone } from '../steps/note-gone.ts';
import { noteUse } from '../steps/note-use.ts';
import { noteLost } from '../steps/note-lost.ts';
import { prove } from '../steps/prove.ts';
import { readBack } from '../steps/read-back.ts';
import { reload, reloadLast } from '../steps/reload.ts';
import { retire, retireAfterOverlap } from '../steps/retire.ts';
import { seek } from '../steps/seek.ts';
import { setOverlapEnd } from '../steps/set-expiry.ts';
import { settleQuota } from '../steps/settle-quota.ts';
import { shareQuota } from '../steps/share-quota.ts';
import {
  firstDue,
  type DueStep,
  type OfAttempt,
  type OfOld,
  type Rest,
  type Step,
  type View,
} from '../steps/step.ts';
import { verify } from '../steps/verify.ts';

/** Before another key is created: requests without an answer, and deletions that no list has proven. */
const settling: readonly Step<OfAttempt>[] = [noteLost, clear, look];

/** From the created key to the cutover. */
const delivery: readonly Step<OfAttempt>[] = [seek, cutOver, clear, prove, verify, deliver, readBack];

/** What comes before a list shows the end of an old key, and what comes after. */
const oldKeyChanges: readonly Step<OfOld>[] = [shareQuota, noteGone, noteUse];

/** From the cutover to the end of each old key. */
const retirement: readonly Step<OfOld>[] = [
  hold,
  endHold,
  judgeAgain,
  settleQuota,
  expire,
  deleteKey,
  retire,
  checkOverlap,
  setOverlapEnd,
  retireAfterOverlap,
  judge,
];

/** Milliseconds between a failed attempt and the next: 5 minutes, doubled each time, at most 6 hours. */
export const pauseAfter = (tries: number): number =>
  Math.min(5 * minuteMillis * 2 ** Math.max(0, tries - 1), 6 * hourMillis);

const isRest = (found: DueStep | Rest): found is Rest => 'rest' in found;

const restingOf = (view: View, keyId: number | undefined): Rest | undefined => {
  const message = keyId === undefined ? undefined : view.resting(keyId);
  return message === undefined ? undefined : { rest: message };
};

const ofAttempt = (rotation: Rotation, view: View, attempt: Attempt, isUnusable = false): OfAttempt => ({
  rotation,
  view,
  attempt,
  isUnusable,
  places: [],
});

const unsettled = (rotation: Rotation, view: View): DueStep | Rest | undefined => {
  for (const attempt of rotation.attempts) {
    const found = restingOf(view, attempt.keyId) ?? firstDue(settling, ofAttempt(rotation, view, attempt));
    if (found !== undefined) return found;
  }
  return undefined;
};

const noSink = ({ terms: { job }, service, changedAt }: Rotation): Rest => ({
  rest: noSinkText(job, service),
  pending: {
    about: { event: 'no-sink', job },
    key: `the rotation of ${service} cannot go on`,
    since: changedAt,
    atOnce: true,
  },
});

const towardsCutover = (rotation: Rotation, view: View): DueStep | Rest | undefined => {
  const before = unsettled(rotation, view);
  if (before !== undefined) return before;
  const { places = [] } = view;
  const attempt = candidateOf(rotation);
  if (places.length === 0) {
    // The time when a sink will be declared is unknown, and other rotations must not wait for it.
    const left =
      attempt === undefined ? undefined : firstDue([clear], ofAttempt(rotation, view, attempt, true));
    return left ?? noSink(rotation);
  }
  return attempt === undefined
    ? firstDue([create], { rotation, view })
    : firstDue(delivery, { ...ofAttempt(rotation, view, attempt, !view.holds(attempt)), places });
};

const afterCutover = (
  rotation: Rotation,
  cutover: OfOld['cutover'],
  view: View,
): DueStep | Rest | undefined => {
  const before = unsettled(rotation, view);
  if (before !== undefined && !isRest(before) && before.name !== look.name) return before;
  const attempt = rotation.attempts.find(({ state }) => state === 'current');
  if (attempt === undefined) return { rest: 'its successor no longer exists' };
  const found = firstDue([seek, reload], { rotation, view, attempt });
  if (found !== undefined) return found;
  const rests: Rest[] = [];
  for (const old of rotation.olds.filter(({ state }) => state !== 'over')) {
    const situation = { rotation, view, attempt, old, cutover };
    const next =
      firstDue(oldKeyChanges, situation) ?? restingOf(view, old.keyId) ?? firstDue(retirement, situation);
    if (next === undefined) continue;
    if (!isRest(next)) return next;
    rests.push(next);
  }
  return rests[0] ?? firstDue([reloadLast, finish], { rotation, view, attempt });
};

/** The step that clears keys that no sink can hold, which must not outlast a run even if the rotation rests. */
const orphaned = (rotation: Rotation, view: View): DueStep | undefined => {
  const before = unsettled(rotation, view);
  if (before !== undefined) return isRest(before) ? undefined : before;
  const attempt = candidateOf(rotation);
  if (attempt?.keyId === undefined) return undefined;
  // The time when a person resumes the rotation is unknown, and other rotations must not wait for it.
  const isUnusable = rotation.waiting !== undefined || !view.holds(attempt);
  const found = firstDue([clear], ofAttempt(rotation, view, attempt, isUnusable));
  return found === undefined || isRest(found) ? undefined : found;
};

/** Steps that clear orphans. A pause after a failure of one of them must not run it again. */
const clearing: readonly string[] = settling.map(({ name }) => name);

/** Why the rotation pauses, or the step that clears its orphans meanwhile; undefined when it may continue. */
const pauseOf = (rotation: Rotation, view: View): DueStep | Rest | undefined => {
  const { lastFailure: failure, waiting, tries } = rotation;
  const again = failure === undefined ? 0 : failure.at + pauseAfter(tries);
  // A failure in the future was recorded by a wrong clock.
  const isPaused = failure !== undefined && tries > 0 && view.now >= failure.at && view.now < again;
  if (waiting === undefined && (!isPaused || view.requested)) return undefined;
  const orphan = isPaused && clearing.includes(failure.step) ? undefined : orphaned(rotation, view);
  if (orphan !== undefined) return orphan;
  if (waiting === undefined) {
    const moment = formatMoment(unixSeconds(Math.floor(again / 1000)), view.zone);
    return {
      rest: `${failure?.step ?? 'a step'} failed: ${failure?.message ?? ''}; next attempt at ${moment}`,
    };
  }
  const { service, changedAt, waitingSince = changedAt } = rotation;
  return {
    rest: `${waiting}; fix the cause, then resume the rotation with \`tollkeeper keys resume ${shellWord(service)}\``,
    // Operators were notified of the pause when the last attempt failed.
    pending: {
      about: { event: 'paused', why: waiting },
      key: `the rotation of ${service} still waits for you`,
      since: waitingSince,
      atOnce: false,
    },
  };
};

/** Returns the next step for the journal's state and the view. Pure. */
export const decide = (rotation: Rotation, view: View): DueStep | Rest => {
  if (rotation.over !== undefined)
    return { rest: `the rotation ${rotation.over === 'done' ? 'is complete' : 'was given up'}` };
  return (
    pauseOf(rotation, view) ??
    (rotation.cutover === undefined
      ? towardsCutover(rotation, view)
      : afterCutover(rotation, rotation.cutover, view)) ?? { rest: 'no step is due' }
  );
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
