import { errorFields, isFault, messageOf, shellWord, unixMillis } from '../../base/index.ts';
import type { Fault } from '../../base/index.ts';
import { candidateOf } from '../rotation.ts';
import type { Attempt, Rotation } from '../rotation.ts';
import { clearKey } from './clear-key.ts';
import { decide, isUnsettled } from './decide.ts';
import type { Action, View } from './decide.ts';
import { deleteOld } from './delete-old.ts';
import { checkStillHeld, deliverTo, proveOrSupersede, readBack, verifyAttempt } from './deliver-key.ts';
import { usualSettle } from './engine-means.ts';
import type { Consumer } from './engine-means.ts';
import { expireNow, handOver, setExpiry, settleQuota, shareQuota } from './hand-over.ts';
import { judgeStep } from './judge-step.ts';
import { makeKey } from './make-key.ts';
import { lineKey, note, plaintextOf } from './pass.ts';
import type { Pass } from './pass.ts';
import { seekOld, seekSuccessor } from './seek-key.ts';
import { canComeOf } from './stray.ts';

/** How far a rotation came in a pass. */
export type Moved = {
  readonly rotation: Rotation;
  readonly moved: boolean;
  /** What it rests for. */
  readonly words: string;
  readonly fault?: Fault;
};

/** Milliseconds after which a key that is refused is bad: caches hold on for ten minutes (gateway-field-notes.md, Keys). */
const badAfter = 660_000;

/** More steps than any rotation has. */
const mostSteps = 400;

const viewOf = (pass: Pass, rotation: Rotation, consumer: Consumer | undefined): View => {
  const { means } = pass;
  const lineage = means.journal.lineage(means.account);
  const seen = {
    listedAt: pass.listedAt(),
    settle: means.settle ?? usualSettle,
    strayOf: ({ name, askedAt }: Attempt) =>
      [...pass.keys().values()].find(
        (key) => key.name === name && !lineage.has(key.id) && canComeOf(key, askedAt),
      )?.id,
  };
  return {
    ...seen,
    now: means.clock.now(),
    isListed: (keyId) => pass.keys().has(keyId),
    unsettledElsewhere: () =>
      means.journal
        .openRotations(means.account)
        .find((other) => other.id !== rotation.id && isUnsettled(other, seen))?.service,
    holds: (attempt) => means.plaintexts.has(plaintextOf(rotation, attempt)),
    places: consumer?.sinks.map(({ place, confirmedByPerson }) => ({ place, confirmedByPerson })),
    reloads: consumer?.reload !== undefined,
    resting: (keyId) => pass.resting.get(keyId),
    ordered: pass.ordered,
  };
};

const neverCalled = (what: string): never => {
  throw new RangeError(`${what} is missing`);
};

const perform = async (
  pass: Pass,
  rotation: Rotation,
  action: Exclude<Action, { step: 'rest' }>,
  consumer: Consumer | undefined,
): Promise<void> => {
  const declared = (): Consumer => consumer ?? neverCalled(`the job ${rotation.terms.job}`);
  const successor = (): Attempt =>
    rotation.attempts.find(({ state }) => state === 'current') ?? neverCalled('the successor');
  const { handover = unixMillis(0) } = rotation;
  switch (action.step) {
    case 'note-lost': {
      const { generation, name } = action.attempt;
      const message = 'the program ended before an answer came';
      return note(pass, rotation, { what: 'create-lost', generation, name, code: 'interrupted', message });
    }
    case 'look':
      return pass.look();
    case 'clear':
      return clearKey(pass, rotation, action.attempt, action.keyId);
    case 'seek':
      return seekSuccessor(pass, rotation, action.attempt);
    case 'create':
      return makeKey(pass, rotation);
    case 'verify':
      try {
        return await verifyAttempt(pass, rotation, action.attempt, declared());
      } catch (error) {
        const { madeAt = 0 } = action.attempt;
        const isBad = isFault(error) && error.code === 'key-verify-refused';
        if (isBad && pass.means.clock.now() - madeAt >= badAfter)
          await clearKey(pass, rotation, action.attempt, action.attempt.keyId ?? 0);
        throw error;
      }
    case 'deliver': {
      const sink = declared().sinks.find(({ place }) => place === action.place);
      return deliverTo(pass, rotation, action.attempt, sink ?? neverCalled(action.place));
    }
    case 'read-back':
      return readBack(pass, rotation, action.attempt, declared().sinks);
    case 'prove':
      return proveOrSupersede(pass, rotation, action.attempt, declared().sinks);
    case 'hand-over':
      return handOver(pass, rotation, action.attempt);
    case 'reload':
      await declared().reload?.(rotation.service, pass.signal);
      return note(pass, rotation, { what: 'reloaded', ...lineKey({ keyId: 0, ...action.attempt }) });
    case 'share-quota':
      return shareQuota(pass, rotation, action.attempt, action.old);
    case 'set-expiry':
      return setExpiry(pass, rotation, action.old, action.at);
    case 'judge':
      return judgeStep(pass, rotation, successor(), action.old, handover);
    case 'note-gone':
      return seekOld(pass, rotation, action.old);
    case 'retire':
      // A leaked key waits for nobody.
      if (rotation.terms.retire.when !== 'now')
        await checkStillHeld(pass, rotation, successor(), consumer?.sinks ?? []);
      return note(pass, rotation, { what: 'retiring', ...lineKey(action.old) });
    case 'settle-quota':
      return settleQuota(pass, rotation, action.attempt, action.old);
    case 'delete':
      return deleteOld(pass, rotation, action.old);
    case 'expire':
      return expireNow(pass, rotation, action.old);
    case 'finish':
      return note(pass, rotation, { what: 'done' });
    default:
      return neverCalled('the step');
  }
};

/** Writes a failed step down and tells it; after too many it waits for a person. */
const fail = async (pass: Pass, rotation: Rotation, step: string, error: unknown): Promise<void> => {
  const { account, tell, log } = pass.means;
  const message = messageOf(error);
  const code = isFault(error) ? error.code : 'error';
  const tries = rotation.tries + 1;
  // One that waits already only had an orphan to be cleared away.
  const isLast = tries >= rotation.terms.tries && rotation.waiting === undefined;
  log.warn('a step on a key failed', {
    rotation: rotation.id,
    service: rotation.service,
    step,
    tries,
    ...errorFields(error),
  });
  await note(
    pass,
    rotation,
    { what: 'failed', step, code, message, tries },
    ...(isLast
      ? [{ what: 'waiting' as const, step, message: `${step} failed ${tries} times: ${message}` }]
      : []),
  );
  const advice = isFault(error) ? ` What to do: ${error.advice}.` : '';
  const { service, id } = rotation;
  const standing =
    rotation.handover === undefined
      ? 'The old key is untouched and works'
      : 'Every sink holds the new key, and the old one is not taken away before this is done';
  await tell({
    kind: isLast ? 'waiting' : 'failed',
    account,
    service,
    rotation: id,
    title: isLast
      ? `the rotation of ${service} waits for you`
      : `a step of the rotation of ${service} failed`,
    words: isLast
      ? `${step} failed ${tries} times: ${message}.${advice} ${standing}. Then: tollkeeper keys resume ${shellWord(service)}`
      : `${step}: ${message}.${advice} ${standing}; it is tried again.`,
    key: isLast
      ? `${id}/waiting/${step}/${rotation.beganAt}/${rotation.attempts.length}`
      : `${id}/failed/${step}/${code}`,
  });
};

/** A rotation that no pass will ever move on without a person's doing, and that no step has failed in. */
const tellStuck = (
  { means: { account, tell } }: Pass,
  { id, service }: Rotation,
  title: string,
  words: string,
) =>
  tell({
    kind: 'waiting',
    account,
    service,
    rotation: id,
    title,
    words,
    key: `${id}/${title}`,
  });

/** One that waits for a person keeps no key meanwhile that nobody can use: others are not to wait for the person. */
const clearLeft = async (pass: Pass, id: string): Promise<void> => {
  const rotation = pass.means.journal.rotation(id);
  const attempt = rotation?.waiting === undefined ? undefined : candidateOf(rotation);
  if (rotation === undefined || attempt?.keyId === undefined) return;
  if (attempt.state !== 'made' && attempt.state !== 'verified') return;
  try {
    await clearKey(pass, rotation, attempt, attempt.keyId);
  } catch (error) {
    pass.signal.throwIfAborted();
    pass.means.log.warn('a key that nobody can use is deleted with the next pass', {
      service: rotation.service,
      ...errorFields(error),
    });
  }
};

/** Takes each step of a rotation that can be taken now. A failed one ends its turn, and is written down and told. */
export const advanceRotation = async (pass: Pass, id: string): Promise<Moved | undefined> => {
  const { journal } = pass.means;
  let moved = false;
  let last = journal.rotation(id);
  if (last === undefined) return undefined;
  for (let steps = 0; steps < mostSteps; steps += 1) {
    pass.signal.throwIfAborted();
    const rotation = journal.rotation(id);
    if (rotation === undefined) return { rotation: { ...last, over: 'done' }, moved, words: 'it is done' };
    last = rotation;
    let action: Action | undefined;
    try {
      const consumer = pass.means.consumerOf(rotation.terms.job, rotation.service);
      action = decide(rotation, viewOf(pass, rotation, consumer));
      if (action.step === 'rest') {
        if (action.blocked === true) pass.blocked.add(id);
        if (action.untold !== undefined) await tellStuck(pass, rotation, action.untold, action.words);
        return { rotation, moved, words: action.words };
      }
      if (action.step === 'create') {
        if (pass.made.has(id)) return { rotation, moved, words: 'another key is made in the next pass' };
        pass.made.add(id);
      }
      pass.onStep(rotation, action.step);
      await perform(pass, rotation, action, consumer);
      // A look at what is there is no step.
      moved ||= journal.rotation(id) !== rotation;
    } catch (error) {
      pass.signal.throwIfAborted();
      // What could not be written down has not been done, and cannot be told of as a step.
      if (
        isFault(error) &&
        (error.code === 'disk-full' || error.code === 'path-unwritable') &&
        action?.step !== 'deliver'
      )
        throw error;
      const now = journal.rotation(id) ?? rotation;
      await fail(pass, now, action?.step ?? 'decide', error);
      await clearLeft(pass, id);
      return {
        rotation: journal.rotation(id) ?? now,
        moved,
        words: messageOf(error),
        ...(isFault(error) ? { fault: error } : {}),
      };
    }
  }
  return { rotation: last, moved, words: 'it goes on with the next pass' };
};
