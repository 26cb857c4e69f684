import { isFault, messageOf } from '../../core/index.ts';
import type { Secret } from '../../core/index.ts';
import type { Delivered, Sink } from '../sink.ts';
import { createAgeSink } from './age/age-sink.ts';
import { createAwsSink } from './aws/aws-sink.ts';
import { createCommandSink } from './command/command-sink.ts';
import { createFileSink } from './file/file-sink.ts';
import { fillSpec } from './fill-spec.ts';
import { fingerprintOf } from './fingerprint.ts';
import { createKubernetesSink } from './kubernetes/kubernetes-sink.ts';
import { placeOf } from './places.ts';
import { failed, errorText } from './sink-faults.ts';
import type { SinkDeps } from './sink-deps.ts';
import type { SinkNames, SinkSpec } from './sink-spec.ts';
import { createVaultSink } from './vault/vault-sink.ts';
import { createWebhookSink } from './webhook/webhook-sink.ts';

const sinkOf = (spec: SinkSpec, names: SinkNames, deps: SinkDeps): Sink => {
  const place = placeOf(spec, names);
  switch (spec.kind) {
    case 'file':
      return createFileSink(spec, place, deps);
    case 'command':
      return createCommandSink(spec, place, deps);
    case 'webhook':
      return createWebhookSink(spec, place, deps);
    case 'vault':
      return createVaultSink(spec, place, deps);
    case 'kubernetes':
      return createKubernetesSink(spec, place, deps);
    case 'aws':
      return createAwsSink(spec, place, deps);
    default:
      return createAgeSink(spec, place, deps);
  }
};

/** What a sink answered must be the key that it was given. */
const proven = (answer: Delivered, key: Secret, sink: Sink): Delivered => {
  if (answer.fingerprint === undefined || answer.fingerprint === fingerprintOf(key.reveal())) return answer;
  throw failed(`${sink.describe()} took the key and answers with the SHA-256 of something else`, {
    advice: 'look at what it holds: whoever reads it does not get the new key; the old one works on',
  });
};

/** A sink of the spec for one service. @throws Fault sink-refused when the names of the service cannot stand in it */
export const createSink = (spec: SinkSpec, of: SinkNames, deps: SinkDeps): Sink => {
  const sink = sinkOf(fillSpec(spec, of, deps.cwd), of, deps);
  /** Nothing but faults comes out, and no secret within them. */
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
      return guarded('did not take the key', work, signal);
    },
    fingerprint: (delivery, signal) =>
      guarded('cannot be read', () => sink.fingerprint(delivery, signal), signal),
    problems: (signal) => guarded('cannot be tried', () => sink.problems(signal), signal),
  };
};
