import { isFault, type Progress, type Secret } from '../core/index.ts';
import { keyByMask } from './plan/current-candidates.ts';
import type { Refusal, SurveyedKey } from './model/service-types.ts';
import type { Consumer, EngineDeps } from './cycle/engine-deps.ts';
import { cachesHold } from './cycle/seek-key.ts';
import { fingerprintOf } from './sinks/fingerprint.ts';

type Deps = Pick<EngineDeps, 'account' | 'journal' | 'consumerOf' | 'deliveredBy' | 'clock'>;

const firstPause = 2000;
const longestPause = 60_000;

type Holding = { readonly plaintext: Secret; readonly consumer: Consumer };

/** The plaintext of the key, if a sink of its service shows it and fingerprint or mask prove that it is this key. */
const plaintextFromSinks = async (
  { account, journal, consumerOf, deliveredBy = () => [] }: Deps,
  found: SurveyedKey,
  all: readonly SurveyedKey[],
  signal: AbortSignal,
): Promise<Holding | undefined> => {
  const fingerprint = journal.state(account).fingerprints.get(found.key.id);
  for (const job of deliveredBy(found)) {
    try {
      const consumer = consumerOf(job, found.service);
      for (const sink of consumer?.sinks ?? []) {
        const plaintext = await sink.read?.(signal);
        if (plaintext === undefined || consumer === undefined) continue;
        const text = plaintext.reveal().trim();
        const isIt =
          fingerprint === undefined
            ? keyByMask(
                all.map(({ key }) => key),
                text,
              )?.id === found.key.id
            : fingerprintOf(text) === fingerprint;
        if (isIt) return { plaintext, consumer };
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isFault(error)) throw error;
    }
  }
  return undefined;
};

/**
 * Calls with an expired key until the gateway refuses it, for as long as its caches may accept it. Undefined if no sink shows the plaintext: then
 * only the key list shows that the key has ended.
 */
export const awaitRefusal = async (
  deps: Deps,
  found: SurveyedKey,
  all: readonly SurveyedKey[],
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: Progress },
): Promise<Refusal | undefined> => {
  const held = await plaintextFromSinks(deps, found, all, signal);
  if (held?.consumer.refuses === undefined) return undefined;
  const { clock } = deps;
  const start = clock.now();
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    const isRefused = await held.consumer.refuses(held.plaintext, signal);
    const calledAt = clock.now();
    if (isRefused) return { refusedAt: calledAt, calledAt };
    const left = start + cachesHold - calledAt;
    if (left <= 0) return { calledAt };
    progress({
      step: `waiting until the gateway refuses ${found.key.name}`,
      detail: `it is expired, and the last call was still accepted`,
      done: Math.round((calledAt - start) / 1000),
      total: cachesHold / 1000,
    });
    await clock.wait(Math.min(pause, left), signal);
  }
};
