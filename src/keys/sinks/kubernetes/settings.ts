import { z } from 'zod';
import { httpsUrl } from '../../../config/index.ts';
import {
  fillNote,
  issuer,
  oneToken,
  text,
  tokenFields,
  tokenOf,
  type TokenSource,
} from '../setting-fields.ts';

const cluster = z
  .strictObject({
    server: httpsUrl.describe('Address of the API server.'),
    ...tokenFields,
    ca: issuer,
  })
  .refine(...oneToken);

const workload = z
  .string()
  .regex(/^(deployment|statefulset|daemonset)\/.+$/, {
    error: 'must be such as deployment/billing, statefulset/billing or daemonset/billing',
  })
  .meta({ examples: ['deployment/billing'] });

export const kubernetesSettings = z.strictObject({
  secret: text.describe(`Name of the Secret. ${fillNote}`),
  key: text.describe(`Entry of the data of the Secret; other entries are kept. ${fillNote}`),
  namespace: text.optional().describe('Namespace of the Secret. Defaults to the namespace of the pod.'),
  cluster: cluster
    .optional()
    .describe('Access to a cluster from outside. Defaults to the service account of the pod.'),
  rollout: z
    .array(workload)
    .default([])
    .describe('Workloads that are restarted after the key in the Secret changes.'),
});

/** Access from outside the cluster; if omitted, the service account of the pod is used. */
export type ClusterSpec = {
  readonly server: string;
  readonly token: TokenSource;
  readonly ca?: string | undefined;
};

export type WorkloadKind = 'deployment' | 'statefulset' | 'daemonset';

export type KubernetesSpec = {
  readonly kind: 'kubernetes';
  readonly cluster?: ClusterSpec;
  /** The namespace of the pod if omitted. */
  readonly namespace?: string | undefined;
  readonly secret: string;
  readonly key: string;
  /** Workloads that an annotation restarts after the key in the Secret changes. */
  readonly rollout: readonly { readonly kind: WorkloadKind; readonly name: string }[];
};

const workloadOf = (text: string) => {
  const [kind, ...name] = text.split('/');
  return { kind: kind as WorkloadKind, name: name.join('/') };
};

export const kubernetesSpecOf = ({
  secret,
  key,
  namespace,
  cluster,
  rollout,
}: z.output<typeof kubernetesSettings>): KubernetesSpec => ({
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
