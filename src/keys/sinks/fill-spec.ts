import { resolve } from 'node:path';
import type { Secret } from '../../core/index.ts';
import { fillArgument, fillName, fillPath, fillPointer, fillUrl, fitting } from './fill.ts';
import type {
  ClusterSpec,
  FileHolds,
  KubernetesSpec,
  SinkNames,
  SinkSpec,
  TokenSource,
} from './sink-spec.ts';

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const objectName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const namespaceName = /^(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const dataKey = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,253}$/;
const secretId = /^[A-Za-z0-9/_+=.@:!-]{1,2048}$/;
const anything = /^[^\p{Cc}]+$/u;

const holdsOf = (holds: FileHolds, names: SinkNames): FileHolds => {
  switch (holds.kind) {
    case 'variable':
      return { ...holds, name: fillName(holds.name, names, variableName, 'name of a variable') };
    case 'pointer':
      return { ...holds, pointer: fillPointer(holds.pointer, names) };
    default:
      return holds;
  }
};

const filledSecret = (secret: Secret, names: SinkNames): Secret => {
  const value = fillUrl(secret.reveal(), names);
  return { ...secret, reveal: () => value };
};

const tokenOf = (source: TokenSource, cwd: string): TokenSource =>
  'token' in source ? source : { tokenFile: resolve(cwd, source.tokenFile) };

const clusterOf = (cluster: ClusterSpec, cwd: string): ClusterSpec => ({
  ...cluster,
  token: tokenOf(cluster.token, cwd),
  ...(cluster.ca === undefined ? {} : { ca: resolve(cwd, cluster.ca) }),
});

const kubernetesOf = (spec: KubernetesSpec, names: SinkNames, cwd: string): KubernetesSpec => ({
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

/** The spec with names filled in and paths made absolute. @throws Fault sink-refused */
export const fillSpec = (spec: SinkSpec, names: SinkNames, cwd: string): SinkSpec => {
  switch (spec.kind) {
    case 'file':
      return { ...spec, path: resolve(cwd, fillPath(spec.path, names)), holds: holdsOf(spec.holds, names) };
    case 'command': {
      const argvOf = (argv: readonly string[]) => argv.map((one) => fillArgument(one, names));
      return {
        ...spec,
        argv: argvOf(spec.argv),
        ...(spec.read === undefined ? {} : { read: argvOf(spec.read) }),
      };
    }
    case 'webhook':
      return { ...spec, url: filledSecret(spec.url, names) };
    case 'vault':
      return {
        ...spec,
        mount: spec.mount.replaceAll(/^\/+|\/+$/g, ''),
        path: fillPath(spec.path, names).replaceAll(/^\/+|\/+$/g, ''),
        field: fillName(spec.field, names, anything, 'name of a field'),
        token: tokenOf(spec.token, cwd),
        ...(spec.ca === undefined ? {} : { ca: resolve(cwd, spec.ca) }),
      };
    case 'kubernetes':
      return kubernetesOf(spec, names, cwd);
    case 'aws':
      return {
        ...spec,
        secret: fitting(fillPath(spec.secret, names), secretId, 'name of a secret of AWS'),
        ...(spec.field === undefined
          ? {}
          : { field: fillName(spec.field, names, anything, 'name of a field') }),
      };
    default:
      return { ...spec, path: resolve(cwd, fillPath(spec.path, names)) };
  }
};
