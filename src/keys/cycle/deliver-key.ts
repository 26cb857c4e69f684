import { fault, shellWord, type Secret } from '../../core/index.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import type { Delivery, Sink } from '../model/sink.ts';
import { fingerprintOf } from '../sinks/fingerprint.ts';
import type { Consumer } from './engine-deps.ts';
import { generationKeyOf, note, plaintextOf, type Cycle } from './cycle.ts';

const deliveryOf = ({ account, service }: Rotation, { generation, name }: Attempt): Delivery => ({
  account,
  service,
  generation,
  keyName: name,
});

const plaintext = (cycle: Cycle, rotation: Rotation, attempt: Attempt): Secret => {
  const plaintext = cycle.deps.plaintexts.get(plaintextOf(rotation, attempt));
  if (plaintext === undefined) throw new RangeError(`the plaintext of ${attempt.name} is not in memory`);
  return plaintext;
};

/** Verifies the new key with a real call before anybody else has it. @throws Fault key-verify-refused, key-verify-unclear */
export const verifyAttempt = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  consumer: Consumer,
): Promise<void> => {
  const key = generationKeyOf(attempt);
  await note(cycle, rotation, { what: 'verifying', ...key });
  const made = plaintext(cycle, rotation, attempt);
  const { evidence, key: accepted = made } = await consumer.verify(made, cycle.signal);
  if (accepted === made) {
    await note(cycle, rotation, { what: 'verified', ...key, evidence });
    return;
  }
  // Sinks receive the form of the key that model calls accept.
  cycle.deps.plaintexts.set(plaintextOf(rotation, attempt), accepted);
  const fingerprint = fingerprintOf(accepted.reveal());
  await note(cycle, rotation, { what: 'verified', ...key, evidence, fingerprint });
};

/** @throws Fault sink-failed, sink-refused */
export const deliverTo = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  sink: Sink,
): Promise<void> => {
  const key = generationKeyOf(attempt);
  const { place } = sink;
  await note(cycle, rotation, { what: 'delivering', ...key, place });
  const { fingerprint: proof } = await sink.deliver(
    plaintext(cycle, rotation, attempt),
    deliveryOf(rotation, attempt),
    cycle.signal,
  );
  await note(cycle, rotation, {
    what: 'delivered',
    ...key,
    place,
    ...(proof === undefined ? {} : { proof }),
  });
};

/** Why a sink does not prove that it holds the key; undefined when it does. */
const doubtOf = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  sink: Sink,
): Promise<string | undefined> => {
  const proof = attempt.places[sink.place]?.proof;
  const reading = await sink.fingerprint(deliveryOf(rotation, attempt), cycle.signal);
  if (reading.state === 'holds')
    return reading.fingerprint === attempt.fingerprint ? undefined : `${sink.describe()} holds another key`;
  if (reading.state === 'empty') return `${sink.describe()} holds no key`;
  if (proof === attempt.fingerprint) return undefined;
  return proof === undefined
    ? `${sink.describe()} cannot be read back: ${reading.why}`
    : `${sink.describe()} returned the SHA-256 of a different value`;
};

/** Reads each sink back. @throws Fault sink-failed when a sink does not prove that it holds the key */
export const readBack = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  sinks: readonly Sink[],
): Promise<void> => {
  const doubts: string[] = [];
  for (const sink of sinks) {
    const doubt = await doubtOf(cycle, rotation, attempt, sink);
    if (doubt === undefined) continue;
    doubts.push(doubt);
    // Only this place is delivered again, so that a person who confirmed another place need not confirm it twice.
    await note(cycle, rotation, { what: 'doubted', ...generationKeyOf(attempt), place: sink.place });
  }
  if (doubts.length > 0)
    throw fault('sink-failed', `${doubts.join('; ')} after the delivery of ${attempt.name}`, {
      advice:
        'the old key remains valid and the new key is delivered again; find out which other program writes there',
    });
  await note(cycle, rotation, {
    what: 'read-back',
    ...generationKeyOf(attempt),
    places: sinks.map(({ place }) => place),
  });
};

/**
 * After the loss of the plaintext: a key that every sink proves to hold is kept. Otherwise it becomes an old key that a sink may hold, and another
 * key is created. @throws Fault sink-failed when a sink cannot be read now
 */
export const proveOrSupersede = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  sinks: readonly Sink[],
): Promise<void> => {
  const key = generationKeyOf(attempt);
  for (const sink of sinks) {
    const begun = attempt.places[sink.place];
    const doubt = begun === undefined ? 'never begun' : await doubtOf(cycle, rotation, attempt, sink);
    if (doubt !== undefined) {
      await note(cycle, rotation, { what: 'superseded', ...key });
      return;
    }
    // What a crash interrupted after the write, such as a restart of the consumer, needs no plaintext.
    if (begun?.done === false && attempt.fingerprint !== undefined)
      await sink.settle?.(attempt.fingerprint, deliveryOf(rotation, attempt), cycle.signal);
  }
  await note(cycle, rotation, { what: 'read-back', ...key, places: sinks.map(({ place }) => place) });
};

/** What a sink holds instead of the delivered key; undefined if it holds that key or cannot tell. @throws Fault sink-failed */
export const instead = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  sink: Sink,
): Promise<string | undefined> => {
  const reading = await sink.fingerprint(deliveryOf(rotation, attempt), cycle.signal);
  if (reading.state === 'holds' && reading.fingerprint !== attempt.fingerprint) return 'it holds another key';
  // A place that was declared after the delivery is empty and has lost nothing.
  const isEmptied = reading.state === 'empty' && attempt.places[sink.place]?.done === true;
  return isEmptied ? 'it is empty' : undefined;
};

/**
 * A sink that holds another key than the delivered one may hold the very key that is about to end, because other programs write there and restore old
 * contents. @throws Fault sink-failed
 */
export const checkStillKept = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  sinks: readonly Sink[],
): Promise<void> => {
  const { service } = rotation;
  for (const sink of sinks) {
    const other = await instead(cycle, rotation, attempt, sink);
    if (other !== undefined)
      throw fault('sink-failed', `${sink.describe()} no longer holds ${attempt.name}: ${other}`, {
        advice: `find out which other program writes there; if an old value was restored on purpose, end this rotation with \`tollkeeper keys give-up ${shellWord(service)}\` once it is paused, then run \`tollkeeper keys rotate ${shellWord(service)}\` to deliver another key`,
      });
  }
};
