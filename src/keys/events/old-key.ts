import { z } from 'zod';
import { formatMoment, formatSlot } from '../../core/index.ts';
import {
  decimal,
  expiry,
  holdFacts,
  moment,
  ofKey,
  retainedReason,
  seconds,
  settles,
  use,
  type KeyUse,
} from '../model/event-fields.ts';
import type { KeyStateMaps } from '../model/key-state.ts';
import type { Rotation } from '../model/rotation.ts';
import {
  endCurrent,
  foundRequest,
  isOld,
  leave,
  place,
  unsettled,
  withAttempt,
  withOld,
  withSettled,
} from './changes.ts';
import { eventKind, type EventOf } from './define.ts';
import { describeUse } from './describe.ts';
import { oldUnusedText, oldUseText } from './notices.ts';

const holdFields = {
  ...ofKey,
  reason: retainedReason,
  /** Missing in events of earlier versions. */
  why: holdFacts.optional(),
  words: z.string(),
  use: use.optional(),
};

const describeHold = (
  { name, words, use: used }: { name: string; words: string; use?: KeyUse | undefined },
  zone: string,
): string => `${name} is retained: ${words}${used === undefined ? '' : ` (${describeUse(used, zone)})`}`;

/** A key whose deletion began stays as well, because a consumer uses it again. */
const held = (
  rotation: Rotation,
  { keyId, reason, words, use: used }: EventOf<typeof holdFields>,
  escalated: boolean,
): Rotation =>
  withOld(rotation, keyId, {
    retained: {
      reason,
      message: words,
      escalated,
      ...(used?.lastCall === undefined ? {} : { usedAt: used.lastCall }),
    },
    state: 'working',
    idle: false,
    ...unsettled(rotation, keyId),
  });

const whyDeleted = {
  orphan: 'no sink can hold it',
  retired: 'it is no longer used',
  leaked: 'it is compromised',
  expired: 'it has expired',
  probe: 'it was a probe key',
} as const;

type OfKey = EventOf<typeof ofKey>;

/** A successor that was deleted externally after the cutover undoes the cutover: another successor is due. */
const gone = (rotation: Rotation, { keyId, generation }: OfKey): Rotation => {
  if (isOld(rotation, keyId)) return withOld(rotation, keyId, { state: 'over' });
  const next = withAttempt(rotation, generation, { state: 'gone' });
  if (!rotation.attempts.some(({ state, keyId: id }) => state === 'current' && id === keyId)) return next;
  const { cutover: _cutover, cutoverAtGateway: _atGateway, reloadedAt: _reloadedAt, ...rest } = next;
  return { ...rest, olds: [], quota: [] };
};

const forget = (state: KeyStateMaps, event: OfKey): void => {
  state.retained.delete(event.keyId);
  state.leaving.delete(event.keyId);
  endCurrent(state, event.service, event.keyId);
  leave(state, event);
};

/** The retirement of an old key, up to its deletion. */
export const oldKeyEvents = {
  /** Recorded before the expiry is set; `before`: the previous expiry. */
  expiring: eventKind({
    fields: { ...ofKey, expiredTime: seconds, before: expiry.optional() },
    sentence: ({ name, expiredTime }, zone) =>
      `${name} is being set to expire ${formatMoment(expiredTime, zone)}`,
    rotation: (rotation, { keyId, expiredTime }) =>
      withOld(rotation, keyId, { expiry: { at: expiredTime, set: false } }),
  }),
  'expiry-set': eventKind({
    fields: { ...ofKey, expiredTime: seconds, measured: z.string() },
    sentence: ({ name, expiredTime, measured }, zone) =>
      `${name} expires ${formatMoment(expiredTime, zone)}${measured === '' ? '' : `; ${measured}`}`,
    resetsTries: true,
    rotation: (rotation, { keyId, expiredTime }) =>
      withOld(rotation, keyId, { expiry: { at: expiredTime, set: true } }),
  }),
  /** An old key may be in use after all: the expiry from before the rotation is restored. */
  'expiry-restored': eventKind({
    fields: { ...ofKey, expiredTime: expiry },
    sentence: ({ name, expiredTime }, zone) =>
      `the expiry of ${name} is put back: ${expiredTime === 'never' ? 'it does not expire' : formatMoment(expiredTime, zone)}`,
    rotation: (rotation, { keyId }) => ({
      ...rotation,
      olds: rotation.olds.map(({ expiry: set, ...old }) =>
        old.keyId === keyId || set === undefined ? old : { ...old, expiry: set },
      ),
    }),
  }),
  held: eventKind({
    fields: holdFields,
    sentence: describeHold,
    stands: true,
    rotation: (rotation, event) => held(rotation, event, false),
  }),
  escalated: eventKind({
    fields: holdFields,
    sentence: describeHold,
    tone: 'bad',
    stands: true,
    rotation: (rotation, event) => held(rotation, event, true),
  }),
  /** No undeclared place may hold the old key any more, and no sink holds another key than the successor. */
  'hold-ended': eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) => `no place that may hold ${name} is left unread`,
    stands: true,
    rotation: (rotation, { keyId, at }) => withOld(rotation, keyId, { retained: undefined, heldUntil: at }),
  }),
  /** The evidence that the key may end: the interval (milliseconds UTC) in which the complete log shows no call by it. */
  quiet: eventKind({
    fields: {
      ...ofKey,
      from: moment,
      to: moment,
      evidence: z.string(),
      /** The names that the key had since the cutover; the log was searched for each. */
      names: z.array(z.string()).optional(),
      /** What a limited key had left then, as served. */
      remain: decimal.optional(),
    },
    sentence: ({ name, from, to, evidence }, zone) =>
      `no call by ${name} from ${formatSlot(from, zone)} to ${formatSlot(to, zone)}: ${evidence}`,
    rotation: (rotation, { keyId, at, names, remain }) =>
      withOld(rotation, keyId, {
        idle: true,
        idleAt: at,
        ...(names === undefined ? {} : { idleNames: names }),
        idleRemain: remain,
        ...unsettled(rotation, keyId),
      }),
  }),
  /** The calls by the old key beside its successor in an interval (seconds UTC), of which its owner was notified. */
  'use-noted': eventKind({
    fields: { ...ofKey, from: seconds, to: seconds, use, hours: z.array(seconds) },
    sentence: (event, zone) => `the owner was notified: ${oldUseText(event, zone)}`,
    stands: true,
    rotation: (rotation, { keyId, from, to, use: noted, hours }) =>
      withOld(rotation, keyId, { noted: { from, to, use: noted, hours } }),
  }),
  /** No call by it in an interval of the complete log, after one of which its owner was notified. */
  'use-ended': eventKind({
    fields: { ...ofKey, from: seconds, to: seconds, lastCall: seconds.optional() },
    sentence: (event, zone) => `the owner was notified: ${oldUnusedText(event, zone)}`,
    tone: 'good',
    stands: true,
    rotation: (rotation, { keyId, from, to, lastCall }) =>
      withOld(rotation, keyId, {
        noted: {
          from,
          to,
          use: { calls: 0, models: [], ...(lastCall === undefined ? {} : { lastCall }) },
          hours: [],
        },
      }),
  }),
  retiring: eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) => `${name} is being retired`,
    rotation: (rotation, { keyId }) => withOld(rotation, keyId, { state: 'retiring' }),
  }),
  'quota-adjusting': eventKind({
    fields: { ...ofKey, before: decimal, wanted: decimal, settles: settles.optional() },
    sentence: ({ name, before, wanted }) => `the quota of ${name} is changed from ${before} to ${wanted}`,
    rotation: (rotation, { keyId, before, wanted, settles: settled }) => ({
      ...rotation,
      quota: [
        ...rotation.quota.filter((change) => change.done || change.keyId !== keyId),
        { keyId, before, wanted, done: false, ...(settled === undefined ? {} : { settles: settled }) },
      ],
    }),
  }),
  'quota-adjusted': eventKind({
    fields: { ...ofKey, remain: decimal, measured: z.string(), settles: settles.optional() },
    sentence: ({ name, remain, measured }) =>
      `${name} has ${remain} left${measured === '' ? '' : `; ${measured}`}`,
    // A quota is settled before each attempt to end a key, so settling resets only its own failures.
    resetsTries: ({ lastFailure }) =>
      lastFailure !== undefined && ['settle-quota', 'share-quota'].includes(lastFailure.step),
    rotation: (rotation, { keyId, remain, settles: settled }) => {
      const quota = rotation.quota.map((change) =>
        change.keyId === keyId ? { ...change, done: true } : change,
      );
      // Our own change of an old key's quota must not look like a use of the key.
      const isIdle = rotation.olds.some((old) => old.keyId === keyId && old.idleRemain !== undefined);
      const next = isIdle ? withOld(rotation, keyId, { idleRemain: remain }) : rotation;
      return withSettled({ ...next, quota }, settled);
    },
  }),
  /** `unread`: places that may hold it and that no declared sink reads; only for a compromised key. */
  deleting: eventKind({
    fields: {
      ...ofKey,
      why: z.enum(['orphan', 'retired', 'leaked', 'expired', 'probe']),
      unread: z.array(z.string()).optional(),
    },
    sentence: ({ name, why, unread }) =>
      `${name} is being deleted: ${whyDeleted[why]}${unread === undefined ? '' : `; not read, since no job declares it: ${unread.join(' and ')}`}`,
    rotation: (rotation, { keyId, generation, at }) =>
      isOld(rotation, keyId)
        ? withOld(rotation, keyId, { state: 'deleting', deletingAt: at })
        : withAttempt(rotation, generation, { state: 'clearing', keyId, clearingAt: at }),
    account: (state, event) => {
      const { keyId, rotation, service, generation, name, why, at } = event;
      foundRequest(state, name);
      // An orphan without an answer enters the lineage here.
      if (!state.lineage.has(keyId)) place(state, event, at);
      if (why !== 'orphan' && why !== 'probe') return;
      const since = state.leaving.get(keyId)?.since ?? at;
      state.leaving.set(keyId, { rotation, service, generation, name, why, since });
    },
  }),
  deleted: eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) => `${name} is deleted and no longer listed`,
    rotation: gone,
    account: forget,
  }),
  /** The key was deleted externally. */
  vanished: eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) => `${name} was deleted externally`,
    tone: 'bad',
    rotation: gone,
    account: forget,
  }),
  /** The key ended by expiry instead of deletion. */
  retired: eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) => `${name} has expired and remains listed`,
    resetsTries: true,
    rotation: (rotation, { keyId }) => withOld(rotation, keyId, { state: 'over' }),
    account: (state, event) => {
      leave(state, event);
      endCurrent(state, event.service, event.keyId);
    },
  }),
  /** A warning to the owner of the key, and its stage. */
  warned: eventKind({
    fields: { ...ofKey, stage: z.string() },
    sentence: ({ name, stage }) => `the owner of ${name} was notified: ${stage}`,
  }),
};
