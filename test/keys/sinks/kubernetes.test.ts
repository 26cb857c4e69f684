import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Http } from '../../../src/http/index.ts';
import type { KubernetesSpec } from '../../../src/keys/sinks/kubernetes/settings.ts';
import type { Asked } from '../../notify/support/web-server.ts';
import {
  delivery,
  key,
  never,
  older,
  openSinkFixture,
  plaintext,
  secretOf,
  sha,
  thrownBy,
  serve,
  type Fake,
  type Reply,
} from './support.ts';

const token = 'eyJhbGciOiJSUzI1NiJ9.c2VydmljZS1hY2NvdW50';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Secrets = Map<string, Record<string, string>>;

const failure = (code: number, reason: string, message: string): Reply => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code },
});

/** Answers as the API of Kubernetes is documented: merge patches (RFC 7386), Status on refusal. */
const openCluster = async (
  secrets: Secrets,
  allowed: (verb: string, resource: string) => boolean = () => true,
  more: Readonly<Record<string, unknown>> = {},
) => {
  const annotations: Record<string, string>[] = [];
  const made = (data: unknown, status = 200): Reply => ({
    status,
    body: { kind: 'Secret', apiVersion: 'v1', data, ...more },
  });
  const onSecrets = ({ method, path, headers, body }: Asked): Reply => {
    const [, namespace, name = ''] = /^\/api\/v1\/namespaces\/([^/]+)\/secrets(?:\/(.+))?$/.exec(path) ?? [];
    if (namespace !== 'apps') return failure(403, 'Forbidden', `secrets "${name}" is forbidden`);
    const data = secrets.get(name);
    if (method === 'POST') {
      const { metadata, data: given } = JSON.parse(body);
      if (secrets.has(metadata.name)) return failure(409, 'AlreadyExists', 'it is there');
      secrets.set(metadata.name, given);
      return made(given, 201);
    }
    if (data === undefined) return failure(404, 'NotFound', `secrets "${name}" not found`);
    if (method === 'GET') return made(data);
    if (headers['content-type'] !== 'application/merge-patch+json')
      return failure(415, 'UnsupportedMediaType', 'no');
    secrets.set(name, { ...data, ...JSON.parse(body).data });
    return made(secrets.get(name));
  };
  const fake = await serve((seen) => {
    if (seen.headers.authorization !== `Bearer ${token}`) return failure(401, 'Unauthorized', 'Unauthorized');
    if (seen.path.startsWith('/api/v1/')) return onSecrets(seen);
    if (seen.path.endsWith('/selfsubjectaccessreviews')) {
      const { verb, resource } = JSON.parse(seen.body).spec.resourceAttributes;
      return {
        status: 201,
        body: { kind: 'SelfSubjectAccessReview', status: { allowed: allowed(verb, resource) } },
      };
    }
    if (seen.method === 'PATCH' && seen.path === '/apis/apps/v1/namespaces/apps/deployments/billing') {
      annotations.push(JSON.parse(seen.body).spec.template.metadata.annotations);
      return { status: 200, body: { kind: 'Deployment' } };
    }
    return failure(404, 'NotFound', `${seen.path} not found`);
  });
  return { fake, annotations };
};

const spec = ({ url }: Fake, change: Partial<KubernetesSpec> = {}): KubernetesSpec => ({
  kind: 'kubernetes',
  cluster: { server: url, token: { token: secretOf(token) } },
  namespace: 'apps',
  secret: '{service}-keys',
  key: 'API_KEY',
  rollout: [],
  ...change,
});

describe('a key of a Kubernetes Secret', () => {
  it('is patched in, the other keys stay, and workloads are restarted once for each key', async () => {
    await using fixture = await openSinkFixture();
    const secrets: Secrets = new Map([['billing-keys', { API_KEY: base64(older), OTHER: 'b3RoZXI=' }]]);
    const { fake, annotations } = await openCluster(secrets);
    const sink = fixture.sink(spec(fake, { rollout: [{ kind: 'deployment', name: '{service}' }] }));
    expect(await sink.problems(never)).toEqual([]);
    expect(await sink.deliver(key, delivery, never)).toEqual({ fingerprint: sha(plaintext) });
    expect(secrets.get('billing-keys')).toEqual({ API_KEY: base64(plaintext), OTHER: 'b3RoZXI=' });
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'holds', fingerprint: sha(plaintext) });
    await sink.deliver(key, delivery, never);
    await sink.deliver(secretOf(older), delivery, never);
    // A restart that was interrupted is completed without the plaintext.
    await sink.settle?.(sha(older), delivery, never);
    // A patch that changes nothing restarts nothing.
    expect(annotations[0]).toEqual(annotations[1]);
    expect(annotations[2]).not.toEqual(annotations[0]);
    expect(annotations[3]).toEqual(annotations[2]);
    expect(Object.keys(annotations[0] ?? {})[0]).toMatch(/^tollkeeper\/key-[0-9a-f]{12}$/);
  });

  it('fails as a sink, with its secrets redacted, when completing it throws any other error', async () => {
    await using fixture = await openSinkFixture();
    const { fake } = await openCluster(new Map());
    fixture.deps.secrets.register(plaintext);
    const send = (): never => {
      throw new Error(`${plaintext} is no header`);
    };
    const rollout = [{ kind: 'deployment' as const, name: 'billing' }];
    const sink = fixture.sink(spec(fake, { rollout }), { http: { ...fixture.deps.http, send } });
    const error = await thrownBy(sink.settle?.(sha(plaintext), delivery, never) ?? Promise.resolve());
    expect(error).toMatchObject({ code: 'sink-failed' });
    expect(String(error)).not.toContain(plaintext);
  });

  it('is created with its Secret if there is none', async () => {
    await using fixture = await openSinkFixture();
    const secrets: Secrets = new Map();
    const { fake } = await openCluster(secrets);
    const sink = fixture.sink(spec(fake));
    expect(await sink.fingerprint(delivery, never)).toEqual({ state: 'empty' });
    expect(await sink.deliver(key, delivery, never)).toEqual({ fingerprint: sha(plaintext) });
    expect(secrets.get('billing-keys')).toEqual({ API_KEY: base64(plaintext) });
  });

  it('is patched into a Secret that another client creates at the same moment', async () => {
    await using fixture = await openSinkFixture();
    const secrets: Secrets = new Map([['billing-keys', { OTHER: 'b3RoZXI=' }]]);
    const found = secrets.get.bind(secrets);
    let reads = 0;
    secrets.get = (name) => {
      reads += 1;
      return reads === 1 ? undefined : found(name);
    };
    const { fake } = await openCluster(secrets);
    expect(await fixture.sink(spec(fake)).deliver(key, delivery, never)).toEqual({
      fingerprint: sha(plaintext),
    });
    expect(found('billing-keys')).toEqual({ API_KEY: base64(plaintext), OTHER: 'b3RoZXI=' });
  });

  it('is delivered with the access of the pod, with the token read again; outside of a pod it is rejected', async () => {
    const serviceAccount = 'account';
    await using fixture = await openSinkFixture();
    const { fake } = await openCluster(new Map());
    const inPod: KubernetesSpec = { kind: 'kubernetes', secret: 'billing-keys', key: 'API_KEY', rollout: [] };
    expect(await fixture.sink(inPod).problems(never)).toMatchObject([
      { message: expect.stringContaining('a Kubernetes pod') },
    ]);
    const folder = join(fixture.folder, serviceAccount);
    await mkdir(folder);
    await writeFile(join(folder, 'namespace'), 'apps');
    await writeFile(join(folder, 'ca.crt'), 'the issuer');
    const asked: string[] = [];
    /** Stands for the TLS of the API server: what is asked for by https comes to the fake. */
    const openHttp = (ca: readonly string[]): Http => ({
      send: (request) => {
        asked.push(`${ca.join()} ${request.url.origin}`);
        return fixture.deps.http.send({ ...request, url: new URL(request.url.pathname, fake.url) });
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT_HTTPS: '6443' };
    const sink = fixture.sink(inPod, { env, openHttp, serviceAccount: folder });
    expect(await thrownBy(sink.deliver(key, delivery, never))).toMatchObject({
      message: expect.stringContaining('ENOENT'),
    });
    await writeFile(join(folder, 'token'), 'eyJ.of-yesterday\n');
    expect(await thrownBy(sink.deliver(key, delivery, never))).toMatchObject({ code: 'sink-refused' });
    await writeFile(join(folder, 'token'), token);
    await sink.deliver(key, delivery, never);
    expect(new Set(asked)).toEqual(new Set(['the issuer https://[fd00::1]:6443']));
  });

  it('has its permissions checked in advance without any change', async () => {
    await using fixture = await openSinkFixture();
    const secrets: Secrets = new Map();
    const { fake } = await openCluster(secrets, (verb, resource) => verb === 'get' && resource === 'secrets');
    const sink = fixture.sink(spec(fake, { rollout: [{ kind: 'daemonset', name: 'agent' }] }));
    const messages = (await sink.problems(never)).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining('patch secrets billing-keys in apps'),
      // The Secret is missing: it has to be created.
      expect.stringContaining('create secrets in apps'),
      expect.stringContaining('patch daemonsets agent in apps'),
    ]);
    expect(
      fake.seen.every(({ method, path }) => method === 'GET' || path.includes('selfsubjectaccessreviews')),
    ).toBe(true);
  });

  it('needs no permission to create a Secret that exists', async () => {
    await using fixture = await openSinkFixture();
    const secrets: Secrets = new Map([['billing-keys', {}]]);
    const { fake } = await openCluster(secrets, (verb) => verb !== 'create');
    expect(await fixture.sink(spec(fake)).problems(never)).toEqual([]);
  });

  const ownerReferences = [
    { kind: 'Namespace', name: 'apps' },
    { kind: 'ExternalSecret', name: 'billing', controller: true },
  ];
  it.each([
    [{ immutable: true }, /billing-keys of .* is immutable/],
    [{ metadata: { ownerReferences } }, /billing-keys of .* controlled by ExternalSecret billing/],
  ])('is refused in advance if the Secret has %j', async (more, message) => {
    await using fixture = await openSinkFixture();
    const { fake } = await openCluster(new Map([['billing-keys', {}]]), () => true, more);
    expect(await fixture.sink(spec(fake)).problems(never)).toMatchObject([
      { message: expect.stringMatching(message) as string },
    ]);
    expect(fake.seen.some(({ method }) => method === 'PATCH')).toBe(false);
  });

  it.each<[Reply, string]>([
    [failure(403, 'Forbidden', 'secrets "billing-keys" is forbidden'), 'sink-refused'],
    [failure(422, 'Invalid', 'data: Forbidden: field is immutable when `immutable` is set'), 'sink-refused'],
    [failure(429, 'TooManyRequests', 'later'), 'sink-failed'],
    [{ status: 500, body: { data: { OTHER: 'UExBSU4tT1RIRVI=' } } }, 'sink-failed'],
    [{ status: 200, body: { kind: 'Secret', data: { API_KEY: base64(older) } } }, 'sink-failed'],
    [{ status: 200, body: '[]' }, 'sink-failed'],
  ])('fails with %j, and no Secret is quoted', async (reply, code) => {
    await using fixture = await openSinkFixture();
    const fake = await serve(() => reply);
    const error = await thrownBy(fixture.sink(spec(fake)).deliver(key, delivery, never));
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toMatch(/UExBSU4|AAAAold/);
  });
});
