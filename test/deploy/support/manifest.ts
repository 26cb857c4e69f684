import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { parseAllDocuments } from 'yaml';

/** What the API server of Kubernetes accepts, as generated from its OpenAPI description. */
const models = [
  ConfigMap,
  Secret,
  PersistentVolumeClaim,
  Deployment,
  NetworkPolicy,
  Service,
  PodDisruptionBudget,
] as const;

type Model = InstanceType<(typeof models)[number]>;

/** The objects of a manifest, by kind and name. */
export type Manifest = ReadonlyMap<string, unknown>;

/**
 * Reads YAML as kubectl and Helm do, which follow YAML 1.1.
 * @throws Error for invalid YAML, a document without kind or name, and two objects of the same kind and name
 */
export const parseManifest = (text: string): Manifest => {
  const found = new Map<string, unknown>();
  for (const document of parseAllDocuments(text, { version: '1.1' })) {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object = document.toJS() as Model | null;
    if (object === null) continue;
    const key = `${object.kind}/${object.metadata?.name}`;
    if (object.kind === undefined || object.metadata?.name === undefined)
      throw new Error(`${key} has no kind or no name`);
    if (found.has(key)) throw new Error(`${key} is declared twice`);
    found.set(key, object);
  }
  return found;
};

/** Notes the path of each property that is read. */
const recording = (value: unknown, path: string, read: Set<string>): unknown =>
  typeof value !== 'object' || value === null
    ? value
    : new Proxy(value, {
        get: (target, key) => {
          const inner: unknown = Reflect.get(target, key);
          if (typeof key !== 'string' || !Object.hasOwn(target, key)) return inner;
          read.add(`${path}.${key}`);
          return recording(inner, `${path}.${key}`, read);
        },
      });

const unreadOf = (value: unknown, path: string, read: ReadonlySet<string>): readonly string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
        read.has(`${path}.${key}`)
          ? unreadOf(inner, `${path}.${key}`, read)
          : [`${path}.${key} is not a field of Kubernetes`],
      );

/** Values that Kubernetes would reject, and fields that it does not know. */
export const schemaFaults = (manifest: Manifest): readonly string[] =>
  [...manifest].flatMap(([name, object]) => {
    const model = models.find(({ is }) => is(object));
    if (model === undefined) return [`${name} has a kind or apiVersion that the tests do not know`];
    const read = new Set<string>();
    const faults: string[] = [];
    try {
      // The models accept unknown fields. They read each field that they know.
      model.prototype.validate.call(recording(object, name, read));
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    return [...faults, ...unreadOf(object, name, read)];
  });

/** The objects by kind. Call it with a manifest without schema faults. */
export const objectsOf = (manifest: Manifest) => {
  const all = [...manifest.values()];
  return {
    configMaps: all.filter((object) => ConfigMap.is(object)) as ConfigMap[],
    secrets: all.filter((object) => Secret.is(object)) as Secret[],
    claims: all.filter((object) => PersistentVolumeClaim.is(object)) as PersistentVolumeClaim[],
    deployments: all.filter((object) => Deployment.is(object)) as Deployment[],
    policies: all.filter((object) => NetworkPolicy.is(object)) as NetworkPolicy[],
    services: all.filter((object) => Service.is(object)) as Service[],
    budgets: all.filter((object) => PodDisruptionBudget.is(object)) as PodDisruptionBudget[],
  };
};

export type Objects = ReturnType<typeof objectsOf>;
