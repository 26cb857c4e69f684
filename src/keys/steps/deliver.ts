import type { Secret } from '../../core/index.ts';
import { generationKeyOf, note, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import type { Delivery } from '../model/sink.ts';
import { consumerOf, neverCalled, type OfAttempt, type Step } from './step.ts';

export const deliveryOf = ({ account, service }: Rotation, { generation, name }: Attempt): Delivery => ({
  account,
  service,
  generation,
  keyName: name,
});

/** @throws RangeError when it is not in memory */
export const plaintext = (cycle: Cycle, rotation: Rotation, attempt: Attempt): Secret => {
  const plaintext = cycle.deps.plaintexts.get(plaintextOf(rotation, attempt));
  if (plaintext === undefined) throw new RangeError(`the plaintext of ${attempt.name} is not in memory`);
  return plaintext;
};

const undelivered = ({ attempt, places }: OfAttempt): string | undefined =>
  places.find(({ place }) => attempt.places[place]?.done !== true)?.place;

/** @throws Fault sink-failed, sink-refused */
export const deliver: Step<OfAttempt> = {
  name: 'deliver',
  rereadsSinks: true,
  writesSink: true,
  due: (situation) => undelivered(situation) !== undefined,
  run: async (work, situation) => {
    const { rotation, attempt } = situation;
    const { cycle } = work;
    const wanted = undelivered(situation);
    const sink =
      consumerOf(work, rotation).sinks.find(({ place }) => place === wanted) ?? neverCalled(String(wanted));
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
  },
};
