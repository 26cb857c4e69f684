import { z } from 'zod';
import { httpsUrl, secret } from '../../../config/index.ts';
import type { Secret } from '../../../core/index.ts';
import { fillNote, text } from '../setting-fields.ts';

export const awsSettings = z
  .strictObject({
    secret: text.describe(`Name or ARN of an existing secret. ${fillNote}`),
    field: text.optional().describe(`Field that holds the key, if the secret is a JSON object. ${fillNote}`),
    region: text.optional().describe('AWS region. Defaults to the region of the environment.'),
    endpoint: httpsUrl.optional().describe('Alternative address of the service, such as a VPC endpoint.'),
    access_key_id: secret
      .optional()
      .describe('Secret reference of the access key ID. Defaults to the credential chain of the SDK.'),
    secret_access_key: secret
      .optional()
      .describe('Secret reference of the secret access key; required with access_key_id.'),
    session_token: secret
      .optional()
      .describe('Secret reference of the session token, for temporary credentials.'),
  })
  .refine((value) => (value.access_key_id === undefined) === (value.secret_access_key === undefined), {
    error: 'must have both of access_key_id and secret_access_key, or none',
  });

export type AwsSpec = {
  readonly kind: 'aws';
  /** Name or ARN. */
  readonly secret: string;
  /** The field of a secret that is a JSON object; if omitted, the whole secret is the key. */
  readonly field?: string | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  /** If omitted, the SDK's own credential chain (environment, shared files, roles). */
  readonly credentials?: {
    readonly accessKeyId: Secret;
    readonly secretAccessKey: Secret;
    readonly sessionToken?: Secret | undefined;
  };
};

export const awsSpecOf = (written: z.output<typeof awsSettings>): AwsSpec => {
  const { access_key_id: id, secret_access_key: key, session_token: token } = written;
  return {
    kind: 'aws',
    secret: written.secret,
    field: written.field,
    region: written.region,
    endpoint: written.endpoint,
    ...(id === undefined || key === undefined
      ? {}
      : {
          credentials: {
            accessKeyId: id,
            secretAccessKey: key,
            sessionToken: token,
          },
        }),
  };
};
