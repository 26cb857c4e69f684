import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mergeValues, readChart, renderChart, type Values } from './support/chart.ts';
import { faultsOf, plant } from './support/faults.ts';
import { objectsOf, parseManifest, type Manifest } from './support/manifest.ts';
import { podOf } from './support/pod.ts';

const folder = new URL('../../config/deploy/', import.meta.url);
const plain = await readFile(new URL('kubernetes.yaml', folder), 'utf8');
const chart = await readChart(new URL('chart/', folder));

const metricsValues: Values = {
  config: chart.values.config.replaceAll('#~ ', ''),
  secret: { values: { metrics_token: 'REPLACE-ME-REPLACE-ME' } },
  metrics: { enabled: true },
};

const secretOutside = 'from-vault';
const claimOutside = 'shared-reports';
const outside = [secretOutside, claimOutside];

/** Each option of the chart with a value other than its default. */
const options = {
  name: { name: 'billing' },
  tag: { image: { repository: 'registry.example.com/tollkeeper', tag: '0.1.0' } },
  digest: { image: { tag: '0.1.0', digest: `sha256:${'a1'.repeat(32)}` } },
  pullSecrets: { image: { pullSecrets: ['registry', 'mirror'] } },
  jobs: { jobs: { 'spend.yaml': null, 'keys-1.yml': 'jobs: {}\n' } },
  existing: { secret: { existing: secretOutside } },
  database: {
    database: {
      enabled: true,
      replicas: 3,
      cidrs: ['203.0.113.0/24'],
      ports: [6432],
      reportsClaim: claimOutside,
    },
  },
  storage: { storage: { size: '1Ti', class: 'fast' } },
  resources: { resources: { requests: { cpu: 2, memory: '2Gi' }, limits: { memory: '4Gi' } } },
  serviceAccount: { serviceAccount: 'keys' },
  noPolicy: { networkPolicy: { enabled: false } },
  addresses: {
    networkPolicy: {
      gateway: { cidrs: ['192.0.2.0/24', '2001:db8::/32'], ports: [8443] },
      mail: { cidrs: ['198.51.100.25/32'], ports: [25] },
    },
  },
  metrics: metricsValues,
  prometheus: mergeValues(metricsValues, { metrics: { namespace: 'observability' } }),
} satisfies Readonly<Record<string, Values>>;

const rendered = (changes: Values = {}): Manifest => parseManifest(renderChart(chart, changes));

const schema = JSON.parse(await readFile(new URL('chart/values.schema.json', folder), 'utf8')) as object;
const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema);

/** Paths of the values that the schema of the chart refuses. */
const valueFaults = (values: Values): readonly string[] => {
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe('the Helm chart', () => {
  it('has the version of the program', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
    const text = await readFile(new URL('chart/Chart.yaml', folder), 'utf8');
    expect(text).toContain(`\nversion: ${version}\nappVersion: "${version}"\n`);
  });

  it.each([
    ['by default', plain, {}],
    ['with metrics', plain.replaceAll('#~ ', ''), metricsValues],
  ])(
    'renders the objects of kubernetes.yaml %s, with a volume that uninstalling keeps',
    (_, text, changes) => {
      const expected = parseManifest(
        plant(
          text,
          'kind: PersistentVolumeClaim\nmetadata:\n',
          'kind: PersistentVolumeClaim\nmetadata:\n  annotations: { helm.sh/resource-policy: keep }\n',
        ),
      );
      const manifest = rendered(changes);
      expect([...manifest.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [name, object] of manifest) expect(object, name).toEqual(expected.get(name));
    },
  );

  it.each(Object.entries(options))(
    'renders objects that Kubernetes accepts with another %s',
    (_, changes) => {
      expect(valueFaults(mergeValues(chart.values, changes))).toEqual([]);
      expect(faultsOf(rendered(changes), outside)).toEqual([]);
      expect([...rendered(changes)]).not.toEqual([...rendered()]);
    },
  );

  it('renders objects that Kubernetes accepts with each two options', () => {
    for (const [one, first] of Object.entries(options))
      for (const [other, second] of Object.entries(options))
        expect(faultsOf(rendered(mergeValues(first, second)), outside), `${one}, ${other}`).toEqual([]);
  });

  it('renders what each option asks for', () => {
    const podWith = (changes: Values) => podOf(objectsOf(rendered(changes)));
    expect(podWith(options.tag).container.image).toBe('registry.example.com/tollkeeper:0.1.0');
    expect(podWith(options.digest).container.image).toBe(`tollkeeper@sha256:${'a1'.repeat(32)}`);
    expect(podWith(options.pullSecrets).spec.imagePullSecrets).toEqual([
      { name: 'registry' },
      { name: 'mirror' },
    ]);
    expect(podWith(options.resources).container.resources).toEqual({
      requests: { cpu: '2', memory: '2Gi' },
      limits: { memory: '4Gi' },
    });
    expect(podWith(options.serviceAccount).spec.serviceAccountName).toBe('keys');
    expect(podWith(options.existing).spec.volumes).toContainEqual({
      name: 'secrets',
      secret: { secretName: secretOutside, defaultMode: 0o440 },
    });
    expect(objectsOf(rendered(options.existing)).secrets).toEqual([]);
    const shared = objectsOf(rendered(options.database));
    expect(shared.deployments[0]?.spec?.replicas).toBe(3);
    expect(shared.budgets[0]?.spec?.maxUnavailable).toBe(1);
    const { container, spec } = podWith(options.database);
    expect(container.volumeMounts).toContainEqual({ name: 'reports', mountPath: '/reports' });
    expect(spec.volumes).toContainEqual({
      name: 'reports',
      persistentVolumeClaim: { claimName: claimOutside },
    });
    expect(shared.policies[0]?.spec?.egress?.at(-1)).toEqual({
      to: [{ ipBlock: { cidr: '203.0.113.0/24' } }],
      ports: [{ port: 6432, protocol: 'TCP' }],
    });
    expect(objectsOf(rendered(options.jobs)).configMaps[1]?.data).toEqual({ 'keys-1.yml': 'jobs: {}\n' });
    expect(objectsOf(rendered(options.storage)).claims[0]?.spec).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '1Ti' } },
    });
    expect(objectsOf(rendered(options.noPolicy)).policies).toEqual([]);
    expect(objectsOf(rendered(options.addresses)).policies[0]?.spec?.egress?.slice(1)).toEqual([
      {
        to: [{ ipBlock: { cidr: '192.0.2.0/24' } }, { ipBlock: { cidr: '2001:db8::/32' } }],
        ports: [{ port: 8443, protocol: 'TCP' }],
      },
      { to: [{ ipBlock: { cidr: '198.51.100.25/32' } }], ports: [{ port: 25, protocol: 'TCP' }] },
    ]);
    expect([...rendered(options.name).keys()]).toEqual(
      [...rendered().keys()].map((key) => key.replace('tollkeeper', 'billing')),
    );
  });

  it('has default values that its schema accepts and describes', () => {
    expect(valueFaults(chart.values)).toEqual([]);
    type Node = { readonly properties?: Readonly<Record<string, Node & { readonly description?: string }>> };
    const undescribed = ({ properties = {} }: Node, path: string): readonly string[] =>
      Object.entries(properties).flatMap(([key, node]) => [
        ...(node.description === undefined ? [`${path}.${key}`] : []),
        ...undescribed(node, `${path}.${key}`),
      ]);
    expect(undescribed(schema, '')).toEqual([]);
  });
});

it('the documentation shows values that the chart accepts', async () => {
  const [, text = ''] =
    /^```yaml\n(# production\.yaml.*?)^```$/ms.exec(await readFile('docs/operations.md', 'utf8')) ?? [];
  const values = parse(plant(text, 'sha256:…', `sha256:${'a1'.repeat(32)}`)) as Values;
  expect(valueFaults(mergeValues(chart.values, values))).toEqual([]);
  expect(faultsOf(rendered(values), ['tollkeeper-secrets'])).toEqual([]);
});

describe('the checks of the chart', () => {
  it('find a mistake in a template', () => {
    const planted = (from: string, to: string): Manifest => {
      const text = plant(chart.templates.get('deployment.yaml') ?? '', from, to);
      const templates = new Map([...chart.templates, ['deployment.yaml', text]]);
      return parseManifest(renderChart({ ...chart, templates }));
    };
    expect(faultsOf(planted('mountPath: /tmp', 'mountpath: /tmp')).join('\n')).toContain(
      'mountpath is not a field',
    );
    expect(() => planted('.Values.image.tag', '.Values.image.tga')).toThrow(
      '.Values.image.tga does not exist',
    );
    expect(() => planted('.Values.image.repository | quote', 'include "image" .')).toThrow(
      'outside of the subset',
    );
  });

  it.each([
    ['a name', { images: {} }, 'additional properties'],
    ['a name below another', { storage: { klass: 'fast' } }, '/storage must NOT have additional properties'],
    ['a type', { metrics: { enabled: 'yes' } }, '/metrics/enabled must be boolean'],
    ['a digest', { image: { digest: 'sha256:1' } }, '/image/digest must match pattern'],
    [
      'a quantity',
      { resources: { limits: { memory: '1 GB' } } },
      '/resources/limits/memory must match pattern',
    ],
    ['a file name', { jobs: { 'jobs/spend.yaml': '' } }, '/jobs'],
    [
      'a list that would allow every address',
      { networkPolicy: { mail: { cidrs: [] } } },
      '/networkPolicy/mail/cidrs',
    ],
  ] satisfies [string, Values, string][])('find a mistake of the values in %s', (_, changes, fault) => {
    expect(valueFaults(mergeValues(chart.values, changes)).join('\n')).toContain(fault);
  });
});
