import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Secret } from '../../../core/index.ts';
import type { Delivered, Fingerprint, Sink, SinkReading, SinkProblem } from '../../model/sink.ts';
import { reachCluster, type Cluster } from './cluster.ts';
import { problemOf } from '../file-target.ts';
import { fingerprintOf, readingOf } from '../fingerprint.ts';
import { failed } from '../sink-faults.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { KubernetesSpec } from './settings.ts';

const mergePatch = 'application/merge-patch+json';
const json = 'application/json';

const secretShape = z.looseObject({ data: z.record(z.string(), z.string()).nullish() });
const heldShape = z.looseObject({
  immutable: z.boolean().nullish(),
  metadata: z
    .looseObject({
      ownerReferences: z
        .array(z.looseObject({ kind: z.string(), name: z.string(), controller: z.boolean().nullish() }))
        .nullish(),
    })
    .nullish(),
});
const reviewShape = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });

const resources = {
  deployment: 'deployments',
  statefulset: 'statefulsets',
  daemonset: 'daemonsets',
} as const;

/** Why a Secret that exists cannot hold a key of ours for long. */
const problemsOfHeld = (text: string, secret: string, who: string): readonly SinkProblem[] => {
  const held = heldShape.safeParse(JSON.parse(text));
  if (!held.success)
    return [
      {
        message: `${who} returned something other than a Secret`,
        advice: 'check the server and the namespace of the sink',
      },
    ];
  const { immutable, metadata } = held.data;
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  return [
    ...(immutable === true
      ? [
          {
            message: `the Secret ${secret} of ${who} is immutable, so no key can be written to it`,
            advice: 'delete it and create it again without `immutable: true`, or name another Secret',
          },
        ]
      : []),
    ...(owner === undefined
      ? []
      : [
          {
            message: `the Secret ${secret} of ${who} is controlled by ${owner.kind} ${owner.name}, which replaces what is written to it`,
            advice: 'deliver the key to the store that this controller reads, or name another Secret',
          },
        ]),
  ];
};

const keyIn = (text: string, key: string, who: string): string | undefined => {
  let data: Readonly<Record<string, string>>;
  try {
    data = secretShape.parse(JSON.parse(text)).data ?? {};
  } catch {
    throw failed(`${who} returned something other than a Secret`);
  }
  const value = Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  return value === '' ? undefined : value;
};

/** An entry of a Kubernetes Secret; other entries are kept. An annotation with the fingerprint restarts the workloads. */
export const createKubernetesSink = (spec: KubernetesSpec, place: string, deps: SinkDeps): Sink => {
  const pathOf = (cluster: Cluster): string =>
    `/api/v1/namespaces/${encodeURIComponent(cluster.namespace)}/secrets`;
  const own = (cluster: Cluster): string => `${pathOf(cluster)}/${encodeURIComponent(spec.secret)}`;

  const put = async (cluster: Cluster, key: Secret, signal: AbortSignal): Promise<SinkReading> => {
    const data = { [spec.key]: Buffer.from(key.reveal()).toString('base64') };
    const patch = () => cluster.send('PATCH', own(cluster), signal, { type: mergePatch, value: { data } });
    let answer = await patch();
    if (answer.status === 404) {
      const labels = { 'app.kubernetes.io/managed-by': 'tollkeeper' };
      const value = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: spec.secret, labels },
        type: 'Opaque',
        data,
      };
      answer = await cluster.send('POST', pathOf(cluster), signal, { type: json, value });
      // Another client created the Secret in the meantime.
      if (answer.status === 409) answer = await patch();
    }
    if (answer.status < 200 || answer.status >= 300) throw answer.fault();
    return readingOf(keyIn(answer.text, spec.key, cluster.who));
  };

  /** The annotation identifies the key, so a second delivery of the same key restarts nothing. */
  const restart = async (cluster: Cluster, fingerprint: Fingerprint, signal: AbortSignal): Promise<void> => {
    const name = `tollkeeper/key-${createHash('sha256').update(place).digest('hex').slice(0, 12)}`;
    const annotations = { [name]: fingerprint.slice(0, 16) };
    const value = { spec: { template: { metadata: { annotations } } } };
    for (const { kind, name: workload } of spec.rollout) {
      const path = `/apis/apps/v1/namespaces/${encodeURIComponent(cluster.namespace)}/${resources[kind]}/${encodeURIComponent(workload)}`;
      const answer = await cluster.send('PATCH', path, signal, { type: mergePatch, value });
      if (answer.status < 200 || answer.status >= 300) throw answer.fault();
    }
  };

  const deliver = async (key: Secret, signal: AbortSignal): Promise<Delivered> => {
    const cluster = await reachCluster(spec, deps);
    const reading = await put(cluster, key, signal);
    if (reading.state !== 'holds') return {};
    if (reading.fingerprint === fingerprintOf(key.reveal()))
      await restart(cluster, reading.fingerprint, signal);
    return { fingerprint: reading.fingerprint };
  };

  /** Asks the cluster for a permission of the account (SelfSubjectAccessReview, which stores nothing). */
  const refusalOf = async (
    cluster: Cluster,
    one: { readonly verb: string; readonly group: string; readonly resource: string; readonly name?: string },
    signal: AbortSignal,
  ): Promise<SinkProblem | undefined> => {
    const { namespace } = cluster;
    const value = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { namespace, ...one } },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const answer = await cluster.send('POST', path, signal, { type: json, value });
    if (answer.status < 200 || answer.status >= 300) throw answer.fault();
    const review = reviewShape.safeParse(JSON.parse(answer.text));
    if (!review.success || review.data.status.allowed) return undefined;
    const { verb, resource, name } = one;
    return {
      message: `the service account may not ${verb} ${resource}${name === undefined ? '' : ` ${name}`} in ${namespace} of ${cluster.who}`,
      advice: `bind it to a Role that allows ${verb} on ${resource}${name === undefined ? ', without a resource name' : ' of that name'}`,
    };
  };

  /** The Secret itself, where the account may read it. One that is missing has to be created, for which a Role knows no name. */
  const problemsOfSecret = async (
    cluster: Cluster,
    signal: AbortSignal,
  ): Promise<readonly (SinkProblem | undefined)[]> => {
    const answer = await cluster.send('GET', own(cluster), signal);
    if (answer.status === 404)
      return [await refusalOf(cluster, { verb: 'create', group: '', resource: 'secrets' }, signal)];
    if (answer.status !== 200) throw answer.fault();
    return problemsOfHeld(answer.text, spec.secret, cluster.who);
  };

  const lookForProblems = async (signal: AbortSignal): Promise<readonly SinkProblem[]> => {
    const cluster = await reachCluster(spec, deps);
    const secret = { group: '', resource: 'secrets', name: spec.secret };
    const unreadable = await refusalOf(cluster, { verb: 'get', ...secret }, signal);
    const found = [
      unreadable,
      await refusalOf(cluster, { verb: 'patch', ...secret }, signal),
      ...(unreadable === undefined ? await problemsOfSecret(cluster, signal) : []),
    ];
    for (const { kind, name } of spec.rollout)
      found.push(
        await refusalOf(cluster, { verb: 'patch', group: 'apps', resource: resources[kind], name }, signal),
      );
    return found.filter((one) => one !== undefined);
  };

  const read = async (signal: AbortSignal): Promise<string | undefined> => {
    const cluster = await reachCluster(spec, deps);
    const answer = await cluster.send('GET', own(cluster), signal);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw answer.fault();
    return keyIn(answer.text, spec.key, cluster.who);
  };

  return {
    place,
    describe: () => `key ${spec.key} of the Kubernetes Secret ${spec.secret}`,
    confirmedByPerson: false,
    deliver: (key, _delivery, signal) => deliver(key, signal),
    settle: async (fingerprint, _delivery, signal) =>
      restart(await reachCluster(spec, deps), fingerprint, signal),
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
