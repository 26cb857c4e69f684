import { unixMillis, type Money } from '../../core/index.ts';
import type { KeyEvent } from './key-event.ts';
import type { Attempt, OldKey, QuotaSettled, Rotation } from './rotation.ts';

const noPlaces: Attempt['places'] = {};

const withAttempt = (
  rotation: Rotation,
  generation: number,
  change: (attempt: Attempt) => Partial<Attempt>,
): Rotation => ({
  ...rotation,
  attempts: rotation.attempts.map((attempt) =>
    attempt.generation === generation ? { ...attempt, ...change(attempt) } : attempt,
  ),
});

const withoutAttempt = (rotation: Rotation, generation: number): Rotation => ({
  ...rotation,
  attempts: rotation.attempts.filter((attempt) => attempt.generation !== generation),
});

const withOld = (rotation: Rotation, keyId: number, change: Partial<OldKey>): Rotation => ({
  ...rotation,
  olds: rotation.olds.map((old) => (old.keyId === keyId ? { ...old, ...change } : old)),
});

const withoutExpiry = (rotation: Rotation, keyId: number): Rotation => ({
  ...rotation,
  olds: rotation.olds.map(({ expiry, ...old }) =>
    old.keyId === keyId || expiry === undefined ? old : { ...old, expiry },
  ),
});

const state = (rotation: Rotation, generation: number, next: Attempt['state']): Rotation =>
  withAttempt(rotation, generation, () => ({ state: next }));

const place = (
  rotation: Rotation,
  event: { readonly generation: number; readonly place: string; readonly proof?: string | undefined },
  done: boolean,
): Rotation =>
  withAttempt(rotation, event.generation, ({ places }) => {
    const proof = event.proof ?? (done ? places[event.place]?.proof : undefined);
    return {
      state: 'delivering',
      places: { ...places, [event.place]: { done, ...(proof === undefined ? {} : { proof }) } },
    };
  });

/** A key that is judged again may have spent since, so the successor's quota is settled once more before the key ends. */
const unsettled = ({ olds }: Rotation, keyId: number): Pick<OldKey, 'settled'> => {
  const settled = olds.find((old) => old.keyId === keyId)?.settled;
  return settled === undefined ? {} : { settled: { ...settled, valid: false } };
};

const withSettled = (rotation: Rotation, settles: QuotaSettled | undefined): Rotation =>
  settles === undefined
    ? rotation
    : withOld(rotation, settles.keyId, { settled: { left: settles.left, valid: true } });

/** Our own change of an old key's quota must not look like a use of the key. */
const withRemain = (
  rotation: Rotation,
  { keyId, remain }: { readonly keyId: number; readonly remain: Money },
): Rotation =>
  rotation.olds.some((old) => old.keyId === keyId && old.idleRemain !== undefined)
    ? withOld(rotation, keyId, { idleRemain: remain })
    : rotation;

const isOld = (rotation: Rotation, keyId: number): boolean =>
  rotation.olds.some((old) => old.keyId === keyId);

/** The successor was deleted externally after the cutover, so the cutover is undone and another successor is due. */
const withoutSuccessor = (rotation: Rotation, generation: number): Rotation => {
  const {
    cutover: _cutover,
    cutoverAtGateway: _atGateway,
    reloadedAt: _reloadedAt,
    ...rest
  } = state(rotation, generation, 'gone');
  return { ...rest, olds: [], quota: [] };
};

const gone = (
  rotation: Rotation,
  event: { readonly keyId: number; readonly generation: number },
): Rotation => {
  if (isOld(rotation, event.keyId)) return withOld(rotation, event.keyId, { state: 'over' });
  const isCurrent = rotation.attempts.some(
    (attempt) => attempt.state === 'current' && attempt.keyId === event.keyId,
  );
  return isCurrent ? withoutSuccessor(rotation, event.generation) : state(rotation, event.generation, 'gone');
};

const applied = (rotation: Rotation, event: KeyEvent): Rotation => {
  switch (event.what) {
    case 'creating':
      return {
        ...rotation,
        attempts: [
          ...rotation.attempts,
          {
            generation: event.generation,
            name: event.name,
            askedAt: event.at,
            spec: event.spec,
            state: 'asked',
            places: noPlaces,
          },
        ],
      };
    case 'created':
      return withAttempt(rotation, event.generation, () => ({
        state: 'made',
        keyId: event.keyId,
        fingerprint: event.fingerprint,
        madeAt: event.at,
      }));
    case 'create-lost':
      return event.refused === true
        ? withoutAttempt(rotation, event.generation)
        : state(rotation, event.generation, 'lost');
    case 'retained':
      return withAttempt(rotation, event.generation, () => ({
        state: 'retained',
        ...(event.keyId === undefined ? {} : { keyId: event.keyId }),
      }));
    case 'verified':
      return withAttempt(rotation, event.generation, ({ fingerprint }) => ({
        state: 'verified',
        ...(event.fingerprint === undefined && fingerprint === undefined
          ? {}
          : { fingerprint: event.fingerprint ?? fingerprint }),
      }));
    case 'delivering':
    case 'doubted':
      return place(rotation, event, false);
    case 'delivered':
    case 'confirmed':
      return place(rotation, event, true);
    case 'read-back':
      return withAttempt(rotation, event.generation, ({ places }) => ({
        state: 'read-back',
        places: {
          ...places,
          ...Object.fromEntries(event.places.map((name) => [name, { ...places[name], done: true }])),
        },
      }));
    case 'current':
      return {
        ...state(rotation, event.generation, 'current'),
        cutover: event.at,
        ...(event.gateway === undefined ? {} : { cutoverAtGateway: event.gateway }),
        olds: event.olds.map(({ remain, doubtful, ...old }) => ({
          ...old,
          ...(doubtful === undefined ? {} : { doubtful }),
          ...(remain === undefined ? {} : { remain }),
          state: 'working',
          idle: false,
        })),
      };
    case 'reloaded':
      return { ...rotation, reloadedAt: event.at };
    case 'superseded':
      return state(rotation, event.generation, 'superseded');
    case 'expiring':
      return withOld(rotation, event.keyId, { expiry: { at: event.expiredTime, set: false } });
    case 'expiry-set':
      return withOld(rotation, event.keyId, { expiry: { at: event.expiredTime, set: true } });
    case 'held':
    case 'escalated':
      // A key whose deletion began stays as well, because a consumer uses it again.
      return withOld(rotation, event.keyId, {
        retained: {
          reason: event.reason,
          message: event.words,
          escalated: event.what === 'escalated',
          ...(event.use?.lastCall === undefined ? {} : { usedAt: event.use.lastCall }),
        },
        state: 'working',
        idle: false,
        ...unsettled(rotation, event.keyId),
      });
    case 'hold-ended':
      return withOld(rotation, event.keyId, { retained: undefined, heldUntil: event.at });
    case 'expiry-restored':
      return withoutExpiry(rotation, event.keyId);
    case 'quiet':
      return withOld(rotation, event.keyId, {
        idle: true,
        idleAt: event.at,
        ...(event.names === undefined ? {} : { idleNames: event.names }),
        idleRemain: event.remain,
        ...unsettled(rotation, event.keyId),
      });
    case 'retiring':
      return withOld(rotation, event.keyId, { state: 'retiring' });
    case 'quota-adjusting':
      return {
        ...rotation,
        quota: [
          ...rotation.quota.filter(({ keyId, done }) => done || keyId !== event.keyId),
          {
            keyId: event.keyId,
            before: event.before,
            wanted: event.wanted,
            done: false,
            ...(event.settles === undefined ? {} : { settles: event.settles }),
          },
        ],
      };
    case 'quota-adjusted':
      return withSettled(
        {
          ...withRemain(rotation, event),
          quota: rotation.quota.map((change) =>
            change.keyId === event.keyId ? { ...change, done: true } : change,
          ),
        },
        event.settles,
      );
    case 'deleting':
      return isOld(rotation, event.keyId)
        ? withOld(rotation, event.keyId, { state: 'deleting', deletingAt: event.at })
        : withAttempt(rotation, event.generation, () => ({
            state: 'clearing',
            keyId: event.keyId,
            clearingAt: event.at,
          }));
    case 'deleted':
    case 'vanished':
      return gone(rotation, event);
    case 'retired':
      return withOld(rotation, event.keyId, { state: 'over' });
    case 'failed':
      return {
        ...rotation,
        tries: event.tries,
        lastFailure: { at: event.at, step: event.step, message: event.message },
      };
    case 'waiting':
      return { ...rotation, waiting: event.message, waitingSince: event.at };
    case 'resumed': {
      const { waiting: _waiting, waitingSince: _since, lastFailure: _failure, ...rest } = rotation;
      return { ...rest, tries: 0 };
    }
    case 'given-up':
    case 'done':
      return { ...rotation, over: event.what };
    default:
      return rotation;
  }
};

/** Steps that reset the failure count; those that a lost plaintext undoes must not, or a failing sink would receive key after key. */
const lasting: readonly KeyEvent['what'][] = ['read-back', 'current', 'reloaded', 'expiry-set', 'retired'];

const quotaSteps: readonly string[] = ['settle-quota', 'share-quota'];

/** Whether the step resets the count of failures. A quota is settled before each attempt to end a key, so settling resets only its own failures. */
const isLasting = ({ lastFailure }: Rotation, { what }: KeyEvent): boolean =>
  lasting.includes(what) ||
  (what === 'quota-adjusted' && lastFailure !== undefined && quotaSteps.includes(lastFailure.step));

/** Steps that do not advance the rotation. */
const standing: readonly KeyEvent['what'][] = [
  'failed',
  'waiting',
  'held',
  'escalated',
  'hold-ended',
  'places-forgotten',
];

/** Applies one step to a rotation; undefined before its `planned` event and for steps outside rotations. */
export const afterEvent = (rotation: Rotation | undefined, event: KeyEvent): Rotation | undefined => {
  if (event.what === 'planned')
    return {
      id: event.rotation,
      account: event.account,
      service: event.service,
      why: event.why,
      who: event.who,
      terms: event.terms,
      ...(event.old === undefined ? {} : { old: event.old }),
      ...(event.fresh === undefined ? {} : { fresh: event.fresh }),
      attempts: [],
      olds: [],
      quota: [],
      tries: 0,
      beganAt: event.at,
      changedAt: event.at,
    };
  if (rotation === undefined) return undefined;
  const next = applied(rotation, event);
  return {
    ...next,
    ...(isLasting(rotation, event) ? { tries: 0 } : {}),
    ...(standing.includes(event.what)
      ? {}
      : { changedAt: unixMillis(Math.max(event.at, rotation.changedAt)) }),
  };
};
