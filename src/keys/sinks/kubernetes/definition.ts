import { resolve } from 'node:path';
import { trimEndOf } from '../../../core/index.ts';
import { defineSink } from '../definition.ts';
import { fillName, type SinkNames } from '../fill.ts';
import { fieldPlace } from '../place.ts';
import { tokenFrom } from '../token.ts';
import { createKubernetesSink } from './kubernetes-sink.ts';
import { kubernetesSettings, kubernetesSpecOf, type ClusterSpec, type KubernetesSpec } from './settings.ts';

const objectName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const namespaceName = /^(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const dataKey = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,253}$/;

const clusterOf = (cluster: ClusterSpec, cwd: string): ClusterSpec => ({
  ...cluster,
  token: tokenFrom(cluster.token, cwd),
  ...(cluster.ca === undefined ? {} : { ca: resolve(cwd, cluster.ca) }),
});

const fill = (spec: KubernetesSpec, names: SinkNames, cwd: string): KubernetesSpec => ({
  ...spec,
  ...(spec.cluster === undefined ? {} : { cluster: clusterOf(spec.cluster, cwd) }),
  ...(spec.namespace === undefined
    ? {}
    : { namespace: fillName(spec.namespace, names, namespaceName, 'namespace of Kubernetes') }),
  secret: fillName(spec.secret, names, objectName, 'name of a Kubernetes Secret'),
  key: fillName(spec.key, names, dataKey, 'key of a Kubernetes Secret'),
  rollout: spec.rollout.map(({ kind, name }) => ({
    kind,
    name: fillName(name, names, objectName, `name of a ${kind}`),
  })),
});

export const kubernetesSink = defineSink({
  kind: 'kubernetes',
  description: 'Kubernetes sink: a Secret.',
  settings: kubernetesSettings,
  spec: kubernetesSpecOf,
  fill,
  place: ({ cluster, namespace, secret, key }) =>
    fieldPlace(`kubernetes:${trimEndOf(cluster?.server ?? '', '/')}/${namespace ?? ''}/${secret}`, key),
  create: createKubernetesSink,
});
