import { objectsOf, schemaFaults, type Manifest, type Objects } from './manifest.ts';
import { podOf, type Labels } from './pod.ts';

/** Names that refer to nothing. Secrets and claims may exist outside of the manifest: their names are in `outside`. */
const referenceFaults = (objects: Objects, outside: readonly string[]): readonly string[] => {
  const { labels, spec, container } = podOf(objects);
  const namesOf = (named: readonly { readonly metadata?: { readonly name?: string } }[]): readonly string[] =>
    named.map(({ metadata }) => metadata?.name ?? '');
  const known = {
    volumes: (spec.volumes ?? []).map(({ name }) => name),
    mounts: (container.volumeMounts ?? []).map(({ name }) => name),
    ports: (container.ports ?? []).map(({ name }) => name ?? ''),
    ConfigMaps: namesOf(objects.configMaps),
    Secrets: [...namesOf(objects.secrets), ...outside],
    claims: [...namesOf(objects.claims), ...outside],
  };
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  const used: readonly (readonly [keyof typeof known, readonly (string | number | undefined)[]])[] = [
    ['volumes', known.mounts],
    ['mounts', known.volumes],
    ['ConfigMaps', (spec.volumes ?? []).map(({ configMap }) => configMap?.name)],
    ['Secrets', (spec.volumes ?? []).map(({ secret }) => secret?.secretName)],
    ['claims', (spec.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName)],
    ['ports', probes.map((probe) => probe?.httpGet?.port ?? 'of a probe')],
    [
      'ports',
      objects.services.flatMap((service) => (service.spec?.ports ?? []).map((port) => port.targetPort)),
    ],
    [
      'ports',
      objects.policies.flatMap(({ spec }) =>
        (spec?.ingress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => port)),
      ),
    ],
  ];
  const selectors: readonly (Labels | undefined)[] = [
    ...objects.deployments.map(({ spec }) => spec?.selector.matchLabels),
    ...objects.policies.map(({ spec }) => spec?.podSelector.matchLabels),
    ...objects.services.map(({ spec }) => spec?.selector),
    ...objects.budgets.map(({ spec }) => spec?.selector?.matchLabels),
  ];
  return [
    ...used.flatMap(([list, names]) =>
      names
        .filter((name) => name !== undefined && !known[list].includes(String(name)))
        .map((name) => `${name} is not among the ${list} (${known[list].join(', ')})`),
    ),
    ...selectors
      .filter((selector = {}) => {
        const pairs = Object.entries(selector);
        return pairs.length === 0 || pairs.some(([label, value]) => labels[label] !== value);
      })
      .map((selector) => `a selector does not match the pod: ${JSON.stringify(selector)}`),
  ];
};

/** Settings that the security model and the database rely on and that the manifest does not have. */
const settingFaults = (objects: Objects): readonly string[] => {
  const { spec, container } = podOf(objects);
  const [deployment] = objects.deployments;
  const wanted: Readonly<Record<string, readonly [unknown, unknown]>> = {
    ...(objects.budgets.length > 0
      ? {
          'several replicas': [(deployment?.spec?.replicas ?? 0) > 1, true],
          'strategy RollingUpdate': [deployment?.spec?.strategy?.type, 'RollingUpdate'],
          'readiness of a standby': [container.readinessProbe?.httpGet?.path, '/readyz'],
          'no volume that replicas share': [objects.claims.length, 0],
        }
      : {
          'one replica': [deployment?.spec?.replicas, 1],
          'strategy Recreate': [deployment?.spec?.strategy?.type, 'Recreate'],
          'a volume of one node': [JSON.stringify(objects.claims[0]?.spec?.accessModes), '["ReadWriteOnce"]'],
        }),
    'not root': [spec.securityContext?.runAsNonRoot, true],
    'user 1000': [spec.securityContext?.runAsUser, 1000],
    'group 1000': [spec.securityContext?.runAsGroup, 1000],
    'volume of group 1000': [spec.securityContext?.fsGroup, 1000],
    'seccomp profile': [spec.securityContext?.seccompProfile?.type, 'RuntimeDefault'],
    'no service links': [spec.enableServiceLinks, false],
    'token of the service account only with a name': [
      spec.automountServiceAccountToken,
      spec.serviceAccountName !== undefined,
    ],
    'no escalation of privileges': [container.securityContext?.allowPrivilegeEscalation, false],
    'read-only root file system': [container.securityContext?.readOnlyRootFilesystem, true],
    'no privileged container': [container.securityContext?.privileged, undefined],
    'no capabilities': [JSON.stringify(container.securityContext?.capabilities), '{"drop":["ALL"]}'],
    'no namespaces of the host': [spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC, undefined],
    'command of the image': [container.command ?? container.args, undefined],
  };
  return Object.entries(wanted)
    .filter(([, [value, expected]]) => value !== expected)
    .map(([name, [value]]) => `${name}: ${JSON.stringify(value)}`);
};

/**
 * All that is wrong with a manifest: values and fields that Kubernetes does not accept, names that refer to nothing, and
 * settings that the pod must have.
 * @param outside names of Secrets that exist without the manifest
 */
export const faultsOf = (manifest: Manifest, outside: readonly string[] = []): readonly string[] => {
  const faults = schemaFaults(manifest);
  if (faults.length > 0) return faults;
  const objects = objectsOf(manifest);
  return [...referenceFaults(objects, outside), ...settingFaults(objects)];
};

/** The text with a mistake planted in it. @throws Error for a text that does not contain `from` */
export const plant = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`the text does not contain ${JSON.stringify(from)}`);
  return text.replace(from, to);
};
