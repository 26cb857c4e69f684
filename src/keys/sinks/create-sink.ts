import { isFault, messageOf, type Secret } from '../../core/index.ts';
import type { Delivered, Delivery, Fingerprint, Sink } from '../model/sink.ts';
import type { SinkNames } from './fill.ts';
import { fingerprintOf } from './fingerprint.ts';
import { locate, placeName } from './places.ts';
import { definitionOf, type SinkSpec } from './registry.ts';
import { failed, errorText } from './sink-faults.ts';
import type { SinkDeps } from './sink-deps.ts';

/** @throws Fault sink-failed when the sink reports another value than the delivered key */
const proven = (answer: Delivered, key: Secret, sink: Sink): Delivered => {
  if (answer.fingerprint === undefined || answer.fingerprint === fingerprintOf(key.reveal())) return answer;
  throw failed(`${sink.describe()} accepted the key but returned the SHA-256 of a different value`, {
    advice: 'check its contents: its consumers do not get the new key; the old key remains valid',
  });
};

/** A sink for one service. @throws Fault sink-refused when the sink cannot use the names of the service */
export const createSink = (spec: SinkSpec, of: SinkNames, deps: SinkDeps): Sink => {
  const { filled, place } = locate(spec, of, deps.cwd);
  const sink = definitionOf(spec).create(filled, placeName(place), deps);
  /** Converts errors to faults and redacts secrets in them. */
  const guarded = async <T>(doing: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (isFault(error)) throw error;
      throw failed(`${sink.describe()} ${doing}: ${errorText(messageOf(error), deps.secrets)}`);
    }
  };
  return {
    ...sink,
    deliver: (key, delivery, signal) => {
      deps.secrets.register(key.reveal());
      const work = async (): Promise<Delivered> =>
        proven(await sink.deliver(key, delivery, signal), key, sink);
      return guarded('did not accept the key', work, signal);
    },
    fingerprint: (delivery, signal) =>
      guarded('cannot be read', () => sink.fingerprint(delivery, signal), signal),
    ...(sink.read === undefined
      ? {}
      : {
          read: (signal: AbortSignal) => guarded('cannot be read', async () => sink.read?.(signal), signal),
        }),
    ...(sink.settle === undefined
      ? {}
      : {
          settle: (fingerprint: Fingerprint, delivery: Delivery, signal: AbortSignal) =>
            guarded(
              'did not complete the delivery',
              async () => sink.settle?.(fingerprint, delivery, signal),
              signal,
            ),
        }),
    problems: (signal) => guarded('cannot be checked', () => sink.problems(signal), signal),
  };
};
