import type * as SecretsManager from '@aws-sdk/client-secrets-manager';
import { messageOf, systemCode, type Fault, type SecretRegistry } from '../../../core/index.ts';
import { secureUrl } from '../http-answer.ts';
import { failed, refused, errorText } from '../sink-faults.ts';
import type { AwsSpec } from './settings.ts';

export type AwsModule = Pick<
  typeof SecretsManager,
  'SecretsManagerClient' | 'GetSecretValueCommand' | 'PutSecretValueCommand'
>;

/** Milliseconds. */
const timeouts = { connectionTimeout: 10_000, requestTimeout: 30_000 };

export const openClient = (aws: AwsModule, spec: AwsSpec): SecretsManager.SecretsManagerClient => {
  const { region, endpoint, credentials } = spec;
  const shown = endpoint === undefined ? undefined : secureUrl(endpoint, 'the endpoint of AWS').href;
  return new aws.SecretsManagerClient({
    ...(region === undefined ? {} : { region }),
    ...(shown === undefined ? {} : { endpoint: shown }),
    ...(credentials === undefined
      ? {}
      : {
          credentials: {
            accessKeyId: credentials.accessKeyId.reveal(),
            secretAccessKey: credentials.secretAccessKey.reveal(),
            ...(credentials.sessionToken === undefined
              ? {}
              : { sessionToken: credentials.sessionToken.reveal() }),
          },
        }),
    maxAttempts: 3,
    requestHandler: timeouts,
  });
};

const adviceFor: Readonly<Record<string, string>> = {
  ResourceNotFoundException:
    'create the secret first, or fix its name and region; Tollkeeper does not create it',
  AccessDeniedException:
    'allow secretsmanager:GetSecretValue and secretsmanager:PutSecretValue on it, and its KMS key',
  CredentialsProviderError: 'give Tollkeeper a role, or configure credentials of the sink',
  InvalidRequestException: 'check the secret in AWS: it may be scheduled for deletion',
};

const lasting =
  /^(ResourceNotFound|AccessDenied|CredentialsProvider|InvalidRequest|InvalidParameter|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|ExpiredToken|InvalidClientTokenId|IncompleteSignature|MalformedPolicy|Decryption|Encryption|ResourceExists|Validation)/;

/** Classifies an SDK error by its name in the API reference. */
export const awsFault = (error: unknown, who: string, secrets: SecretRegistry): Fault => {
  const name = error instanceof Error ? error.name : '';
  const text = errorText(messageOf(error), secrets) || (systemCode(error) ?? name);
  const message = `${who}: ${name === 'Error' || name === '' ? '' : `${name}: `}${text}`;
  const advice = adviceFor[name];
  const options = advice === undefined ? {} : { advice };
  return lasting.test(name) || /region is missing/i.test(text)
    ? refused(message, options)
    : failed(message, options);
};
