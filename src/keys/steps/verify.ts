import { hasCode } from '../../core/index.ts';
import { generationKeyOf, note, plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { cachesHold } from '../cycle/seek-key.ts';
import type { Consumer } from '../cycle/engine-deps.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import { clearKey } from '../retirement/clear-key.ts';
import { fingerprintOf } from '../sinks/fingerprint.ts';
import { plaintext } from './deliver.ts';
import { consumerOf, type OfAttempt, type Step } from './step.ts';

const verifyKey = async (
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

/** Verifies the new key with a real call before a sink gets it. @throws Fault key-verify-refused, key-verify-unclear */
export const verify: Step<OfAttempt> = {
  name: 'verify',
  due: ({ attempt }) => attempt.state === 'made',
  run: async (work, { rotation, attempt }) => {
    const { cycle } = work;
    try {
      await verifyKey(cycle, rotation, attempt, consumerOf(work, rotation));
    } catch (error) {
      const { madeAt = 0, keyId = 0 } = attempt;
      if (hasCode(error, 'key-verify-refused') && cycle.deps.clock.now() - madeAt >= cachesHold)
        await clearKey(cycle, rotation, attempt, keyId);
      throw error;
    }
  },
};
