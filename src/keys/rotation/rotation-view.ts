import { unixMillis } from '../../core/index.ts';
import type { RotationStage, RotationView } from '../model/service-types.ts';
import { candidateOf, isHeldByPlace, type Rotation } from '../model/rotation.ts';
import { pauseAfter } from './decide.ts';

export const stageOf = (rotation: Rotation): RotationStage => {
  if (rotation.over !== undefined) return rotation.over;
  if (rotation.waiting !== undefined) return 'waiting';
  if (rotation.cutover !== undefined)
    return rotation.olds.some(({ state }) => state === 'retiring' || state === 'deleting')
      ? 'retiring'
      : 'current';
  const attempt = candidateOf(rotation);
  switch (attempt?.state) {
    case 'made':
      return 'created';
    case 'verified':
      return 'verified';
    case 'delivering':
      return Object.values(attempt.places).every(({ done }) => done) ? 'delivered' : 'delivering';
    case 'read-back':
      return 'delivered';
    case 'asked':
    case 'clearing':
      return 'creating';
    default:
      return rotation.attempts.length === 0 ? 'planned' : 'creating';
  }
};

const standing: Readonly<Record<RotationStage, string>> = {
  planned: 'the rotation starts in the next cycle',
  creating: 'the new key is being created',
  created: 'the new key is created but not verified',
  verified: 'the new key is verified but not delivered',
  delivering: 'the new key is being delivered',
  delivered: 'the new key is delivered but not read back',
  current: 'the new key is delivered; not yet seen in use; the old key remains valid',
  retiring: 'the old key is being retired',
  waiting: 'the rotation is paused: action required',
  done: 'the rotation is complete',
  'given-up': 'the rotation was given up',
};

const seenInUse = 'the new key is delivered and in use; the old key remains valid';

const nextTryOf = ({ tries, lastFailure, waiting, over }: Rotation): Pick<RotationView, 'nextTry'> =>
  tries === 0 || lastFailure === undefined || waiting !== undefined || over !== undefined
    ? {}
    : { nextTry: unixMillis(lastFailure.at + pauseAfter(tries)) };

/** `text` replaces the message of the stage where a cycle knows a more specific one; `isSeen`: whether a consumer called with the new key. */
export const viewOfRotation = (rotation: Rotation, text?: string, isSeen = false): RotationView => {
  const stage = stageOf(rotation);
  const attempt = rotation.attempts.find(({ state }) => state === 'current') ?? candidateOf(rotation);
  const retained = rotation.olds.find(
    ({ state, retained: one }) => state === 'working' && one !== undefined,
  )?.retained;
  const known =
    rotation.waiting ?? retained?.message ?? (rotation.tries > 0 ? rotation.lastFailure?.message : undefined);
  const noted = rotation.olds.find((one) => one.state !== 'over' && one.noted !== undefined);
  return {
    id: rotation.id,
    account: rotation.account,
    service: rotation.service,
    stage,
    since: rotation.changedAt,
    message: text ?? known ?? (stage === 'current' && isSeen ? seenInUse : standing[stage]),
    ...(rotation.old === undefined ? {} : { old: { keyId: rotation.old.keyId, name: rotation.old.name } }),
    ...(rotation.cutover === undefined ? {} : { cutOver: true }),
    ...(attempt?.keyId === undefined ? {} : { candidate: { keyId: attempt.keyId, name: attempt.name } }),
    tries: rotation.tries,
    triesAllowed: rotation.terms.tries,
    ...nextTryOf(rotation),
    ...(rotation.olds.some(({ state, retained: one }) => state === 'working' && one?.escalated === true)
      ? { escalated: true }
      : {}),
    ...(noted?.noted === undefined
      ? {}
      : { oldUse: { ...noted.noted, keyId: noted.keyId, name: noted.name } }),
    ...(rotation.olds.some(isHeldByPlace) ? { isHeldByPlace: true } : {}),
  };
};
