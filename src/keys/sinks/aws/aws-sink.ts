import { createHash } from 'node:crypto';
import type * as SecretsManager from '@aws-sdk/client-secrets-manager';
import { isFault, type Secret } from '../../../core/index.ts';
import type { Sink } from '../../model/sink.ts';
import { awsFault, openClient, type AwsModule } from './aws-client.ts';
import { problemOf } from '../file-target.ts';
import { fingerprintOf, readingOf } from '../fingerprint.ts';
import { readField, writeField } from '../json-text.ts';
import { refused } from '../sink-faults.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { AwsSpec } from './settings.ts';

type Version = { readonly id: string; readonly text: string };

type Session = {
  readonly aws: AwsModule;
  readonly client: SecretsManager.SecretsManagerClient;
  readonly abortSignal: AbortSignal;
};

/** A secret of AWS Secrets Manager, or a field of a secret that is a JSON object. */
export const createAwsSink = (spec: AwsSpec, place: string, deps: SinkDeps): Sink => {
  const { field } = spec;
  const who = `AWS secret ${spec.secret}`;

  const within = async <T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> => {
    // The SDK is large and rarely needed.
    const aws: AwsModule = await import('@aws-sdk/client-secrets-manager');
    const client = openClient(aws, spec);
    try {
      return await work({ aws, client, abortSignal: signal });
    } catch (error) {
      signal.throwIfAborted();
      throw isFault(error) ? error : awsFault(error, who, deps.secrets);
    } finally {
      client.destroy();
    }
  };

  /** The version labelled AWSCURRENT; a secret that was created without a value has none. */
  const current = async ({ aws, client, abortSignal }: Session): Promise<Version | undefined> => {
    try {
      const answer = await client.send(new aws.GetSecretValueCommand({ SecretId: spec.secret }), {
        abortSignal,
      });
      if (answer.SecretString === undefined)
        throw refused(`${who} contains binary data, not text`, {
          advice: 'specify a secret with a text value',
        });
      return { id: answer.VersionId ?? '', text: answer.SecretString };
    } catch (error) {
      const valueless =
        error instanceof Error &&
        error.name === 'ResourceNotFoundException' &&
        error.message.includes('staging label');
      if (valueless) return undefined;
      throw error;
    }
  };

  const keyIn = (version: Version | undefined): string | undefined => {
    if (version === undefined) return undefined;
    return (field === undefined ? version.text : readField(version.text, [field], who)) || undefined;
  };

  const put = async (session: Session, key: string): Promise<void> => {
    const before = await current(session);
    if (keyIn(before) === key) return;
    const text = field === undefined ? key : writeField(before?.text ?? '', [field], key, who);
    // Idempotency: AWS uses the token as version id, so a retry of the same step creates no second version.
    const token = createHash('sha256')
      .update(JSON.stringify([fingerprintOf(key), fingerprintOf(text), before?.id ?? '']))
      .digest('hex');
    const { aws, client, abortSignal } = session;
    const command = new aws.PutSecretValueCommand({
      SecretId: spec.secret,
      SecretString: text,
      ClientRequestToken: token,
    });
    await client.send(command, { abortSignal });
  };

  const deliver = (key: Secret, signal: AbortSignal): Promise<void> =>
    deps.gates(`aws:${spec.endpoint ?? spec.region ?? ''}/${spec.secret}`, () =>
      within(signal, (session) => put(session, key.reveal())),
    );

  const read = async (signal: AbortSignal): Promise<string | undefined> =>
    keyIn(await within(signal, current));

  return {
    place,
    describe: () => (field === undefined ? who : `field ${field} of ${who}`),
    confirmedByPerson: false,
    deliver: async (key, _delivery, signal) => {
      await deliver(key, signal);
      return {};
    },
    fingerprint: async (_delivery, signal) => readingOf(await read(signal)),
    read: async (signal) => {
      const held = await read(signal);
      return held === undefined ? undefined : deps.secrets.register(held);
    },
    problems: async (signal) => {
      try {
        keyIn(await within(signal, current));
        return [];
      } catch (error) {
        return [problemOf(error)];
      }
    },
  };
};
