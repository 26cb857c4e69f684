import { z } from 'zod';
import type { Secret } from '../../core/index.ts';
import type { CommandRequest, SinkSpec } from '../../keys/index.ts';
import { argv, sink, timeout, variables } from './sink-shapes.ts';
import type { WrittenSink } from './sink-shapes.ts';

type Written<Kind extends keyof WrittenSink> = NonNullable<WrittenSink[Kind]>;

type Token = { readonly token: Secret } | { readonly tokenFile: string };

/** The shape has seen to it that one of them is there. */
const tokenOf = (written: { token?: Secret | undefined; token_file?: string | undefined }): Token =>
  written.token === undefined ? { tokenFile: written.token_file ?? '' } : { token: written.token };

const fileSpec = ({ path, variable, pointer, mode }: Written<'file'>): SinkSpec => ({
  kind: 'file',
  path,
  holds:
    variable === undefined
      ? pointer === undefined
        ? { kind: 'raw' }
        : { kind: 'pointer', pointer }
      : { kind: 'variable', name: variable },
  mode,
});

const vaultSpec = (written: Written<'vault'>): SinkSpec => ({
  kind: 'vault',
  address: written.address,
  mount: written.mount,
  path: written.path,
  field: written.field,
  token: tokenOf(written),
  namespace: written.namespace,
  ca: written.ca,
});

const workloadOf = (text: string) => {
  const [kind, ...name] = text.split('/');
  return { kind: kind as 'deployment' | 'statefulset' | 'daemonset', name: name.join('/') };
};

const kubernetesSpec = ({ secret, key, namespace, cluster, rollout }: Written<'kubernetes'>): SinkSpec => ({
  kind: 'kubernetes',
  secret,
  key,
  rollout: rollout.map(workloadOf),
  namespace,
  ...(cluster === undefined
    ? {}
    : {
        cluster: {
          server: cluster.server,
          token: tokenOf(cluster),
          ca: cluster.ca,
        },
      }),
});

const awsSpec = (written: Written<'aws'>): SinkSpec => {
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

const commandSpec = ({ run, read, env, timeout }: Written<'command'>): SinkSpec => ({
  kind: 'command',
  argv: run,
  env,
  timeout,
  read,
});

const specOf = (written: WrittenSink): SinkSpec => {
  if (written.file !== undefined) return fileSpec(written.file);
  if (written.command !== undefined) return commandSpec(written.command);
  if (written.webhook !== undefined) return { kind: 'webhook', ...written.webhook };
  if (written.vault !== undefined) return vaultSpec(written.vault);
  if (written.kubernetes !== undefined) return kubernetesSpec(written.kubernetes);
  if (written.aws !== undefined) return awsSpec(written.aws);
  if (written.age !== undefined) return { kind: 'age', ...written.age };
  throw new RangeError('the shape lets no sink through that is of no kind');
};

/** `deliver` of a job: where a key goes, each sink in its own place. */
export const deliverShape = z.array(sink.transform(specOf)).min(1);

/** `then` of a job: tells the consumer that it has another key; the program gets no secret. */
export const thenShape = z
  .strictObject({ command: argv, env: variables, timeout })
  .transform(({ command, env, timeout }): CommandRequest => ({ argv: command, env, timeout }));
