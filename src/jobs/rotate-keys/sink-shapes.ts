import { z } from 'zod';
import { httpsUrl, openUrl, positiveDuration, secret } from '../../config/index.ts';

const text = z.string().min(1).max(1000);
const path = text
  .refine((value) => !value.includes('\0'), { error: 'must be a path' })
  .describe('Relative paths start at the working directory.');

const fill = '{service} and {account} are replaced by the service and account of the key.';

export const argv = z
  .array(z.string().min(1))
  .min(1)
  .describe(`Program and arguments as a list, run without a shell. ${fill}`);

export const variables = z
  .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of a variable' }))
  .default([])
  .describe(
    'Environment variables that are passed to the program, in addition to PATH, HOME and similar ones.',
  );

export const timeout = positiveDuration.prefault('1m').describe('Maximum duration of the program.');

/** 0600 unless it is said otherwise; never open to everybody. */
const mode = z
  .string()
  .regex(/^0?[4-7][0-7]0$/, { error: 'must be permissions such as "0600" or "0640", none for everybody' })
  .transform((value) => Number.parseInt(value, 8))
  .meta({ examples: ['0600', '0640'] });

const file = z
  .strictObject({
    path: path.describe(`Path of the file. ${fill} Relative paths start at the working directory.`),
    variable: text.optional().describe('Name of a variable in a dotenv file.'),
    pointer: text
      .regex(/^\//, { error: 'must be a JSON pointer such as /gateway/api_key' })
      .optional()
      .describe('JSON pointer to the value in a JSON file, such as /gateway/api_key.'),
    raw: z.literal(true).optional().describe('The whole file consists of the key.'),
    mode: mode.optional().describe('Permissions of the file, in quotes; "0600" if omitted.'),
  })
  .refine(
    (value) => [value.variable, value.pointer, value.raw].filter((one) => one !== undefined).length === 1,
    {
      error: 'must have exactly one of variable, pointer, raw',
    },
  );

const command = z.strictObject({
  run: argv.describe(
    `Program that receives the key on standard input, and prints the SHA-256 of the stored key in hex as its last line. ${fill}`,
  ),
  read: argv
    .optional()
    .describe(`Program that prints the SHA-256 of the currently stored key in hex as its last line. ${fill}`),
  env: variables,
  timeout,
});

const webhook = z.strictObject({
  url: openUrl.describe(`URL that the key is posted to; https, except on loopback. ${fill}`),
  secret: secret.describe('Secret reference of the key that signs each request (HMAC-SHA256).'),
});

const tokenRule = { error: 'must have exactly one of token, token_file' };
const oneToken = (value: { token?: unknown; token_file?: unknown }): boolean =>
  (value.token === undefined) !== (value.token_file === undefined);

const tokenFields = {
  token: secret.optional().describe('Secret reference of the token.'),
  token_file: path
    .optional()
    .describe(
      'Path of a file with the token, read on each use. Relative paths start at the working directory.',
    ),
};

const issuer = path.optional().describe('PEM file with an additional certificate authority to trust.');

const vault = z
  .strictObject({
    address: httpsUrl.describe('Address of the server, such as https://vault.example.com:8200.'),
    mount: text.default('secret').describe('Mount path of the KV version 2 engine.'),
    path: text.describe(`Path of the secret below the mount. ${fill}`),
    field: text.describe(`Field of the secret that holds the key; other fields are kept. ${fill}`),
    ...tokenFields,
    namespace: text.optional().describe('Namespace (Vault Enterprise).'),
    ca: issuer,
  })
  .refine(oneToken, tokenRule);

const cluster = z
  .strictObject({
    server: httpsUrl.describe('Address of the API server.'),
    ...tokenFields,
    ca: issuer,
  })
  .refine(oneToken, tokenRule);

const workload = z
  .string()
  .regex(/^(deployment|statefulset|daemonset)\/.+$/, {
    error: 'must be such as deployment/billing, statefulset/billing or daemonset/billing',
  })
  .meta({ examples: ['deployment/billing'] });

const kubernetes = z.strictObject({
  secret: text.describe(`Name of the Secret. ${fill}`),
  key: text.describe(`Entry of the data of the Secret; other entries are kept. ${fill}`),
  namespace: text.optional().describe('Namespace of the Secret. Defaults to the namespace of the pod.'),
  cluster: cluster
    .optional()
    .describe('Access to a cluster from outside. Defaults to the service account of the pod.'),
  rollout: z
    .array(workload)
    .default([])
    .describe('Workloads that are restarted after the key in the Secret changes.'),
});

const aws = z
  .strictObject({
    secret: text.describe(`Name or ARN of an existing secret. ${fill}`),
    field: text.optional().describe(`Field that holds the key, if the secret is a JSON object. ${fill}`),
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

const age = z.strictObject({
  path: path.describe(`Path of the file, one per service. ${fill}`),
  recipients: z
    .array(z.string().regex(/^age1[a-z0-9]+$/, { error: 'must be a recipient such as age1…' }))
    .min(1)
    .describe('age public keys of the people who may decrypt the file.'),
});

const kinds = ['file', 'command', 'webhook', 'vault', 'kubernetes', 'aws', 'age'] as const;

export const sink = z
  .strictObject({
    file: file
      .optional()
      .describe('File sink: a variable of a dotenv file, a value of a JSON file, or a whole file.'),
    command: command.optional().describe('Command sink: a program that stores the key.'),
    webhook: webhook.optional().describe('Webhook sink: an HTTP endpoint that stores the key.'),
    vault: vault.optional().describe('Vault sink: HashiCorp Vault, KV version 2.'),
    kubernetes: kubernetes.optional().describe('Kubernetes sink: a Secret.'),
    aws: aws
      .optional()
      .describe('AWS sink: AWS Secrets Manager. Needs the optional package @aws-sdk/client-secrets-manager.'),
    age: age
      .optional()
      .describe('age sink: a file encrypted for people, who confirm the key with `tollkeeper keys confirm`.'),
  })
  .refine((value) => kinds.filter((kind) => value[kind] !== undefined).length === 1, {
    error: `must have exactly one of ${kinds.join(', ')}`,
  });

export type WrittenSink = z.output<typeof sink>;
