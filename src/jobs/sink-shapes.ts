import { z } from 'zod';
import { httpsUrl, openUrl, positiveDuration, secret } from '../config/index.ts';

const text = z.string().min(1).max(1000);
const path = text
  .refine((value) => !value.includes('\0'), { error: 'must be a path' })
  .describe('Relative ones count from the working directory.');

const fill = '{service} and {account} stand for the names of whose key it is.';

export const argv = z
  .array(z.string().min(1))
  .min(1)
  .describe(`The program and its arguments, each for itself; there is no shell. ${fill}`);

export const variables = z
  .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of a variable' }))
  .default([])
  .describe('Variables of the environment that it is given beside PATH, HOME and the like.');

export const timeout = positiveDuration.prefault('1m').describe('How long it may take.');

/** 0600 unless it is said otherwise; never open to everybody. */
const mode = z
  .string()
  .regex(/^0?[4-7][0-7]0$/, { error: 'must be permissions such as "0600" or "0640", none for everybody' })
  .transform((value) => Number.parseInt(value, 8))
  .meta({ examples: ['0600', '0640'] });

const file = z
  .strictObject({
    path: path.describe(`The file. ${fill} Relative paths count from the working directory.`),
    variable: text.optional().describe('The variable of a dotenv file.'),
    pointer: text
      .regex(/^\//, { error: 'must be a JSON pointer such as /gateway/api_key' })
      .optional()
      .describe('The place in a JSON file, as a JSON pointer such as /gateway/api_key.'),
    raw: z.literal(true).optional().describe('The whole file is the key.'),
    mode: mode.optional().describe('Permissions of the file; "0600" when left out.'),
  })
  .refine(
    (value) => [value.variable, value.pointer, value.raw].filter((one) => one !== undefined).length === 1,
    {
      error: 'must have exactly one of variable, pointer, raw',
    },
  );

const command = z.strictObject({
  run: argv.describe(
    `Takes the key on standard input and prints the SHA-256 of what it stored, in hex, as its last line. ${fill}`,
  ),
  read: argv
    .optional()
    .describe(`Prints the SHA-256 of what is stored now, in hex, as its last line. ${fill}`),
  env: variables,
  timeout,
});

const webhook = z.strictObject({
  url: openUrl.describe(`Where the key is posted, https but for loopback. ${fill}`),
  secret: secret.describe('Signs what is posted (HMAC-SHA256), by reference.'),
});

const tokenRule = { error: 'must have exactly one of token, token_file' };
const oneToken = (value: { token?: unknown; token_file?: unknown }): boolean =>
  (value.token === undefined) !== (value.token_file === undefined);

const tokenFields = {
  token: secret.optional().describe('The token, by reference.'),
  token_file: path.optional().describe('A file with the token, read again at each use.'),
};

const issuer = path.optional().describe('PEM file of an issuer to trust besides the usual ones.');

const vault = z
  .strictObject({
    address: httpsUrl.describe('Such as https://vault.example.com:8200.'),
    mount: text.default('secret').describe('Where the kv engine, version 2, is mounted.'),
    path: text.describe(`Path of the secret below the mount. ${fill}`),
    field: text.describe(`The field of the secret that is the key; the others stay. ${fill}`),
    ...tokenFields,
    namespace: text.optional().describe('Namespace of Vault Enterprise.'),
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
  key: text.describe(`The key of its data; the others stay. ${fill}`),
  namespace: text.optional().describe('That of the pod when left out.'),
  cluster: cluster
    .optional()
    .describe('A cluster reached from outside; the service account of the pod is taken when left out.'),
  rollout: z.array(workload).default([]).describe('What is restarted when the Secret holds another key.'),
});

const aws = z
  .strictObject({
    secret: text.describe(`Name or ARN of a secret that is there. ${fill}`),
    field: text.optional().describe(`The field of a secret that is a JSON object. ${fill}`),
    region: text.optional().describe('That of the environment when left out.'),
    endpoint: httpsUrl.optional().describe('Another address of the service, such as that of a VPC endpoint.'),
    access_key_id: secret.optional().describe('By reference; the usual chain of the SDK when left out.'),
    secret_access_key: secret.optional().describe('By reference; goes with access_key_id.'),
    session_token: secret.optional().describe('By reference; goes with temporary credentials.'),
  })
  .refine((value) => (value.access_key_id === undefined) === (value.secret_access_key === undefined), {
    error: 'must have both of access_key_id and secret_access_key, or none',
  });

const age = z.strictObject({
  path: path.describe(`The file, one a service. ${fill}`),
  recipients: z
    .array(z.string().regex(/^age1[a-z0-9]+$/, { error: 'must be a recipient such as age1…' }))
    .min(1)
    .describe('Public keys of the people who may open it.'),
});

const kinds = ['file', 'command', 'webhook', 'vault', 'kubernetes', 'aws', 'age'] as const;

export const sink = z
  .strictObject({
    file: file.optional().describe('A variable of a dotenv file, a value of a JSON file, or a whole file.'),
    command: command.optional().describe('A program of your own.'),
    webhook: webhook.optional().describe('A web address of your own.'),
    vault: vault.optional().describe('HashiCorp Vault, KV version 2.'),
    kubernetes: kubernetes.optional().describe('A Secret of Kubernetes.'),
    aws: aws.optional().describe('AWS Secrets Manager; its package is optional.'),
    age: age
      .optional()
      .describe('A file sealed for people, who confirm the key with `tollkeeper keys confirm`.'),
  })
  .refine((value) => kinds.filter((kind) => value[kind] !== undefined).length === 1, {
    error: `must have exactly one of ${kinds.join(', ')}`,
  });

export type WrittenSink = z.output<typeof sink>;
