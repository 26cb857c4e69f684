import { interval, toSeconds, unixSeconds } from '../../base/index.ts';
import type { UnixMillis } from '../../base/index.ts';
import type { Attempt, OldKey, Rotation } from '../rotation.ts';
import { judgeRetirement, knownEnd, quietSpan } from './judge-old.ts';
import type { RetireFacts } from './judge-old.ts';
import { lineKey, note } from './pass.ts';
import type { Pass } from './pass.ts';

const gatherFacts = async (
  pass: Pass,
  rotation: Rotation,
  attempt: Attempt,
  old: OldKey,
  handover: UnixMillis,
): Promise<RetireFacts> => {
  const { evidence, account, clock } = pass.means;
  const now = clock.now();
  const from = unixSeconds(Math.ceil(handover / 1000));
  const until = toSeconds(now);
  const complete =
    until > from
      ? await evidence.logComplete(account, interval(from, until))
      : ({ complete: false, why: 'the hand-over was just now' } as const);
  const end = knownEnd(complete, now);
  const span = quietSpan(handover, rotation.terms.retire.quiet, end);
  // Until the quiet time fits behind the hand-over, calls of all of the time since tell who still uses it.
  const looked = span ?? (end === undefined || end <= from ? undefined : interval(from, end));
  const oldUse = looked === undefined ? undefined : await evidence.use(account, old.name, looked);
  const newUse =
    end === undefined || end <= from
      ? undefined
      : await evidence.use(account, attempt.name, interval(from, end));
  const namesakes = new Set<number>();
  for (const [name, own] of [
    [old.name, old.keyId],
    [attempt.name, attempt.keyId],
  ] as const) {
    for (const id of await evidence.idsNamed(account, name, handover)) if (id !== own) namesakes.add(id);
    for (const key of pass.keys().values()) if (key.name === name && key.id !== own) namesakes.add(key.id);
  }
  return {
    now,
    handover,
    retire: rotation.terms.retire,
    oldName: old.name,
    newName: attempt.name,
    complete,
    ...(oldUse === undefined ? {} : { oldUse }),
    ...(newUse === undefined ? {} : { newUse }),
    namesakes: [...namesakes].sort((left, right) => left - right),
  };
};

/** Judges whether an old key may go; writes down and tells why it stays, once for each reason. */
export const judgeStep = async (
  pass: Pass,
  rotation: Rotation,
  attempt: Attempt,
  old: OldKey,
  handover: UnixMillis,
): Promise<void> => {
  const { account, tell } = pass.means;
  const facts = await gatherFacts(pass, rotation, attempt, old, handover);
  const found = judgeRetirement(facts);
  const isTimed = rotation.terms.retire.when === 'after-overlap';
  if (found.verdict === 'go' && !isTimed) {
    const { span, evidence } = found;
    await note(pass, rotation, { what: 'quiet', ...lineKey(old), from: span.start, to: span.end, evidence });
    return;
  }
  if (found.verdict !== 'hold') {
    pass.resting.set(
      old.keyId,
      found.verdict === 'wait' ? found.words : `${old.name} is quiet and ends with the overlap`,
    );
    return;
  }
  const { reason, words, use, escalate } = found;
  pass.resting.set(old.keyId, words);
  // What ends by the clock is held back by nothing, but who still uses it is to know.
  if (isTimed && reason !== 'used') return;
  const { held } = old;
  if (held?.reason === reason && (held.escalated || !escalate)) return;
  await note(pass, rotation, {
    what: escalate ? 'escalated' : 'held',
    ...lineKey(old),
    reason,
    words,
    ...(use === undefined ? {} : { use }),
  });
  // The log is always a little behind: that alone is no news before the end.
  if (
    reason === 'log-incomplete' &&
    !escalate &&
    facts.now < handover + 2 * rotation.terms.retire.quiet + 86_400_000
  )
    return;
  const { service, id } = rotation;
  await tell({
    kind: escalate ? 'escalated' : 'held',
    account,
    service,
    rotation: id,
    title: escalate
      ? `the old key ${old.name} cannot be retired, and its time is up`
      : isTimed
        ? `the old key ${old.name} is still used and ends soon`
        : `the old key ${old.name} is kept for now`,
    words,
    ...(use === undefined ? {} : { use }),
    key: `${id}/${old.keyId}/${reason}/${escalate ? 'escalated' : 'held'}`,
  });
};
