import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { faultsOf, plant } from './support/faults.ts';
import { objectsOf, parseManifest } from './support/manifest.ts';
import { checkInPod, podOf } from './support/pod.ts';

const plain = await readFile('config/deploy/kubernetes.yaml', 'utf8');

/** The manifest as an operator enables metrics in it. */
const withMetrics = plain.replaceAll('#~ ', '');

describe('kubernetes.yaml', () => {
  it('has objects that Kubernetes accepts, whose references resolve and whose pod is restricted', () => {
    expect([...parseManifest(plain).keys()]).toEqual([
      'ConfigMap/tollkeeper',
      'ConfigMap/tollkeeper-jobs',
      'Secret/tollkeeper',
      'PersistentVolumeClaim/tollkeeper',
      'Deployment/tollkeeper',
      'NetworkPolicy/tollkeeper',
    ]);
    expect(faultsOf(parseManifest(plain))).toEqual([]);
    expect(faultsOf(parseManifest(withMetrics))).toEqual([]);
    expect([...parseManifest(withMetrics).keys()]).toContain('Service/tollkeeper');
  });

  it('has the mark EDIT in each line with a value that only stands for another', () => {
    const placeholders = withMetrics
      .split('\n')
      .filter((line) => /^[^#]*(?:example\.com|REPLACE-ME|image:)/.test(line));
    expect(placeholders).toHaveLength(8);
    for (const line of placeholders) expect(line).toMatch(/ # EDIT/);
  });

  it('gives the daemon more time to stop than its jobs, and sends probes to the health listener', () => {
    const objects = objectsOf(parseManifest(plain));
    const { spec, container } = podOf(objects);
    const settings = objects.configMaps[0]?.data?.['tollkeeper.yaml'] ?? '';
    expect(settings).toMatch(/^health:\n {2}host: 0\.0\.0\.0 /m);
    const grace = Number(/^ {2}grace: (\d+)s/m.exec(settings)?.[1]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(grace);
    expect(container.ports).toEqual([
      { name: 'health', containerPort: Number(/^health:\n.*\n {2}port: (\d+)$/m.exec(settings)?.[1]) },
    ]);
    expect(
      [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
        (probe) => probe?.httpGet,
      ),
    ).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'health' })));
  });

  it('allows no ingress except from Prometheus to metrics, and egress to DNS, gateway and mail server', () => {
    const specOf = (text: string) => objectsOf(parseManifest(text)).policies[0]?.spec;
    expect(specOf(plain)?.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(specOf(plain)?.ingress).toBeUndefined();
    expect(specOf(withMetrics)?.ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: [{ port: 'metrics', protocol: 'TCP' }],
      },
    ]);
    const ports = specOf(plain)?.egress?.map((rule) => rule.ports?.map(({ port }) => port));
    expect(ports).toEqual([[53, 53], [443], [587, 465]]);
  });

  it('keeps the database on the volume', () => {
    const objects = objectsOf(parseManifest(plain));
    const { spec, container } = podOf(objects);
    const path = /^ {2}path: (.*)$/m.exec(objects.configMaps[0]?.data?.['tollkeeper.yaml'] ?? '')?.[1] ?? '';
    const mount = container.volumeMounts?.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
    expect(spec.volumes?.find(({ name }) => name === mount?.name)).toHaveProperty('persistentVolumeClaim');
  });

  it.each([
    ['as it is', plain],
    ['with metrics', withMetrics],
  ])('has a configuration without faults and warnings, %s', async (_, text) => {
    const { code, stdout, stderr } = await checkInPod(parseManifest(text));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^pull-logs .*\n.*\ndaily-spend .*\n.*\nmemory: 1073MB of the container · /);
    expect(stdout).toContain('\nthe configuration is valid\n');
  });
});

describe('the checks of the manifests', () => {
  it.each([
    [
      'a field',
      'readOnlyRootFilesystem: true',
      'readOnlyRootFileSystem: true',
      'readOnlyRootFileSystem is not a field',
    ],
    ['a type', 'replicas: 1 ', 'replicas: "1" ', 'spec/replicas must be integer'],
    ['a kind', 'kind: Deployment', 'kind: Deploiment', 'Deploiment/tollkeeper has a kind'],
    ['a field of a list', '- ipBlock: { cidr:', '- ipBlok: { cidr:', 'ipBlok is not a field'],
    [
      'the name of a ConfigMap',
      'configMap:\n            name: tollkeeper-jobs',
      'configMap:\n            name: jobs',
      'jobs is not among',
    ],
    ['the name of a volume', '- name: data\n', '- name: date\n', 'data is not among'],
    [
      'the port of a probe',
      'path: /readyz, port: health',
      'path: /readyz, port: healthz',
      'healthz is not among',
    ],
    [
      'a label',
      'podSelector:\n    matchLabels:\n',
      'podSelector:\n    matchLabels:\n      tier: data\n',
      'a selector',
    ],
  ])('find a mistake in %s', (_, from, to, fault) => {
    expect(faultsOf(parseManifest(plant(plain, from, to))).join('\n')).toContain(fault);
  });

  it.each([
    ['replicas: 1 ', 'replicas: 2 ', 'one replica: 2'],
    ['type: Recreate', 'type: RollingUpdate', 'strategy Recreate'],
    ['runAsNonRoot: true', 'runAsNonRoot: false', 'not root: false'],
    ['runAsUser: 1000', 'runAsUser: 0', 'user 1000: 0'],
    ['runAsGroup: 1000', 'runAsGroup: 0', 'group 1000: 0'],
    ['        fsGroup: 1000\n', '', 'volume of group 1000'],
    ['type: RuntimeDefault', 'type: Unconfined', 'seccomp profile'],
    ['enableServiceLinks: false', 'enableServiceLinks: true', 'no service links'],
    ['automountServiceAccountToken: false', 'hostNetwork: true', 'no namespaces of the host'],
    ['automountServiceAccountToken: false', 'hostPID: true', 'token of the service account'],
    ['allowPrivilegeEscalation: false', 'privileged: true', 'no escalation'],
    ['allowPrivilegeEscalation: false', 'privileged: true', 'no privileged container'],
    ['readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'read-only root'],
    ['drop: [ALL]', 'drop: [NET_RAW]', 'no capabilities'],
    ['accessModes: [ReadWriteOnce]', 'accessModes: [ReadWriteMany]', 'a volume of one node'],
    ['image: tollkeeper ', 'args: [demo] ', 'command of the image'],
  ])('find the setting that differs after %j becomes %j', (from, to, fault) => {
    expect(faultsOf(parseManifest(plant(plain, from, to))).join('\n')).toContain(fault);
  });

  it.each([
    ['a setting', 'currency: USD', 'curency: USD', 'curency'],
    ['a job', 'kind: pull-logs', 'kind: pull-log', 'pull-log'],
    [
      'the name of a secret',
      'gateway_admin_key: "sk',
      'gateway_admin-key: "sk',
      'gateway_admin_key does not exist',
    ],
    ['the memory limit', 'memory: 1Gi', 'memory: 0.25Gi', 'memory'],
  ])('find a mistake of the configuration in %s', async (_, from, to, fault) => {
    const { code, stdout } = await checkInPod(parseManifest(plant(plain, from, to)));
    expect(code).toBe(1);
    expect(stdout).toContain(fault);
  });
});
