import { generationKeyOf, note } from '../cycle/cycle.ts';
import { deliveryOf } from './deliver.ts';
import { doubtOf, unconfirmed } from './read-back.ts';
import { consumerOf, type OfAttempt, type Step } from './step.ts';

/**
 * After the loss of the plaintext: a key that every sink proves to hold is kept. Otherwise it becomes an old key that a sink may hold, and another
 * key is created. @throws Fault sink-failed when a sink cannot be read now
 */
export const prove: Step<OfAttempt> = {
  name: 'prove',
  due: (situation) => !situation.view.holds(situation.attempt) && (unconfirmed(situation) ?? true),
  run: async (work, { rotation, attempt }) => {
    const { cycle } = work;
    const { sinks } = consumerOf(work, rotation);
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
  },
};
