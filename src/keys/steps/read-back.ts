import { fault, shellWord } from '../../core/index.ts';
import { insteadText, unconfirmedText } from '../events/notices.ts';
import { generationKeyOf, note, type Cycle } from '../cycle/cycle.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import type { Sink } from '../model/sink.ts';
import { deliveryOf } from './deliver.ts';
import { consumerOf, type OfAttempt, type Rest, type Step } from './step.ts';

/** Why a sink does not prove that it holds the key; undefined when it does. */
export const doubtOf = async (
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

/** What a sink holds instead of the delivered key; undefined if it holds that key or cannot tell. @throws Fault sink-failed */
export const instead = async (
  cycle: Cycle,
  rotation: Rotation,
  attempt: Attempt,
  sink: Sink,
): Promise<'another' | 'empty' | undefined> => {
  const reading = await sink.fingerprint(deliveryOf(rotation, attempt), cycle.signal);
  if (reading.state === 'holds' && reading.fingerprint !== attempt.fingerprint) return 'another';
  // A place that was declared after the delivery is empty and has lost nothing.
  const isEmptied = reading.state === 'empty' && attempt.places[sink.place]?.done === true;
  return isEmptied ? 'empty' : undefined;
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
      throw fault(
        'sink-failed',
        `${sink.describe()} no longer holds ${attempt.name}: ${insteadText(other)}`,
        {
          advice: `find out which other program writes there; if an old value was restored on purpose, end this rotation with \`tollkeeper keys give-up ${shellWord(service)}\` once it is paused, then run \`tollkeeper keys rotate ${shellWord(service)}\` to deliver another key`,
        },
      );
  }
};
/** Why the rotation rests once the key is in every sink: a person must confirm that a place has it. */
export const unconfirmed = ({ attempt, places }: OfAttempt): Rest | undefined => {
  const { name, askedAt } = attempt;
  if (places.some(({ place }) => attempt.places[place]?.done !== true)) return undefined;
  const awaited = places.find(
    ({ place, confirmedByPerson }) => confirmedByPerson && attempt.places[place]?.proof === undefined,
  );
  if (awaited === undefined) return undefined;
  const { place } = awaited;
  return {
    rest: unconfirmedText({ name, place }),
    pending: {
      about: { event: 'unconfirmed', name, place },
      key: `the key ${name} waits for whoever is to confirm it`,
      since: askedAt,
      atOnce: true,
    },
  };
};

/** Reads each sink back. @throws Fault sink-failed when a sink does not prove that it holds the key */
export const readBack: Step<OfAttempt> = {
  name: 'read-back',
  due: (situation) => unconfirmed(situation) ?? true,
  run: async (work, { rotation, attempt }) => {
    const { cycle } = work;
    const { sinks } = consumerOf(work, rotation);
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
  },
};
