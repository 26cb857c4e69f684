import { backoff, type RetryPolicy, type Secret } from '../../../core/index.ts';
import type { Sink, SinkProblem } from '../../model/sink.ts';
import { problemOf } from '../file-target.ts';
import { readingOf } from '../fingerprint.ts';
import { readField, writeField } from '../json-text.ts';
import { failed } from '../sink-faults.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { VaultSpec } from './settings.ts';
import { openVault } from './vault-api.ts';

/** Retries of a write that another write preceded; pauses in milliseconds. */
const retries: RetryPolicy = { attempts: 6, initial: 100, max: 2000, longestRetryAfter: 0 };

/** A field of a secret of HashiCorp Vault, KV version 2; check-and-set preserves the other fields. */
export const createVaultSink = (spec: VaultSpec, place: string, deps: SinkDeps): Sink => {
  const vault = openVault(spec, deps);
  const { field } = spec;
  const { clock, random } = deps;

  const put = async (key: Secret, signal: AbortSignal): Promise<boolean> => {
    const { version, fields } = await vault.read(signal);
    if (readField(fields, [field], vault.who) === key.reveal()) return true;
    return await vault.write(
      { version, fields: writeField(fields, [field], key.reveal(), vault.who) },
      signal,
    );
  };

  const lookForProblems = async (signal: AbortSignal): Promise<readonly SinkProblem[]> => {
    const engine = await vault.engine(signal);
    if (engine !== undefined && engine !== 'kv 2')
      return [
        {
          message: `the mount ${spec.mount} of ${vault.who} is ${engine}, not KV version 2`,
          advice: 'use a mount of the KV version 2 engine',
        },
      ];
    const { fields } = await vault.read(signal);
    readField(fields, [field], vault.who);
    const may = await vault.capabilities(signal);
    const missing = ['read', 'create', 'update'].filter((one) => may?.includes(one) === false);
    if (missing.length === 0 || may?.includes('root') === true) return [];
    return [
      {
        message: `the token may not ${missing.join(', ')} ${spec.mount}/data/${spec.path} of ${vault.who}`,
        advice: 'grant read, create and update on that path in its policy',
      },
    ];
  };

  const read = async (signal: AbortSignal): Promise<string | undefined> =>
    readField((await vault.read(signal)).fields, [field], vault.who);

  return {
    place,
    describe: () => `field ${field} of ${spec.mount}/${spec.path} of ${vault.who}`,
    confirmedByPerson: false,
    deliver: async (key, _delivery, signal) => {
      for (let attempt = 1; !(await put(key, signal)); attempt += 1) {
        if (attempt === retries.attempts)
          throw failed(
            `${spec.mount}/${spec.path} of ${vault.who} is changed continuously by another program`,
          );
        await clock.wait(backoff(retries, attempt, random), signal);
      }
      return {};
    },
    fingerprint: async (_delivery, signal) => readingOf(await read(signal)),
    read: async (signal) => {
      const held = await read(signal);
      return held === undefined ? undefined : deps.secrets.register(held);
    },
    problems: async (signal) => {
      try {
        return await lookForProblems(signal);
      } catch (error) {
        return [problemOf(error)];
      }
    },
  };
};
