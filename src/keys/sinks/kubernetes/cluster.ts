import { join } from 'node:path';
import { z } from 'zod';
import { trimEndOf } from '../../../core/index.ts';
import type { Http, HttpRequest } from '../../../http/index.ts';
import { ask, secureUrl, type Answer } from '../http-answer.ts';
import { refused } from '../sink-faults.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { KubernetesSpec } from './settings.ts';
import { readSetting, readToken } from '../token.ts';

/** The mount point of a pod's service account ("Accessing the Kubernetes API from a Pod"). */
const defaultFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

export type Cluster = {
  readonly who: string;
  readonly namespace: string;
  readonly send: (
    method: HttpRequest['method'],
    path: string,
    signal: AbortSignal,
    body?: { readonly type: string; readonly value: unknown },
  ) => Promise<Answer>;
};

const status = z.looseObject({ kind: z.literal('Status'), message: z.string() });

/** Quotes only the message of a refusal, because other answers contain Secrets. */
const quote = (text: string): string => {
  try {
    return status.parse(JSON.parse(text)).message;
  } catch {
    return '';
  }
};

type Way = {
  readonly server: string;
  readonly namespace: string;
  readonly token: () => Promise<string>;
  readonly ca: string | undefined;
};

const ownWay = async (spec: KubernetesSpec, deps: SinkDeps): Promise<Way> => {
  const { env, secrets } = deps;
  const folder = deps.serviceAccount ?? defaultFolder;
  const host = env['KUBERNETES_SERVICE_HOST'];
  if (host === undefined || host === '')
    throw refused('Tollkeeper does not run in a Kubernetes pod: KUBERNETES_SERVICE_HOST is not set', {
      advice: 'run it in the cluster, or set server and token under cluster of the sink',
    });
  const port = env['KUBERNETES_SERVICE_PORT_HTTPS'] ?? env['KUBERNETES_SERVICE_PORT'] ?? '443';
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace:
      spec.namespace ?? (await readSetting(join(folder, 'namespace'), 'namespace of the pod')).trim(),
    token: () => readToken({ tokenFile: join(folder, 'token') }, secrets),
    ca: await readSetting(join(folder, 'ca.crt'), 'issuer of the cluster'),
  };
};

const givenWay = async (spec: KubernetesSpec, deps: SinkDeps): Promise<Way> => {
  const { cluster } = spec;
  if (cluster === undefined) return ownWay(spec, deps);
  return {
    server: cluster.server,
    namespace: spec.namespace ?? 'default',
    token: () => readToken(cluster.token, deps.secrets),
    ca: cluster.ca === undefined ? undefined : await readSetting(cluster.ca, 'issuer of the cluster'),
  };
};

/** Reads token and certificate authority each time, because they are renewed at run time. @throws Fault sink-refused, sink-failed */
export const reachCluster = async (spec: KubernetesSpec, deps: SinkDeps): Promise<Cluster> => {
  const { clock, secrets } = deps;
  const way = await givenWay(spec, deps);
  const base = secureUrl(way.server, 'the server of the cluster');
  const who = `Kubernetes at ${base.host}`;
  return {
    who,
    namespace: way.namespace,
    send: async (method, path, signal, body) => {
      const request = {
        method,
        url: new URL(trimEndOf(base.href, '/') + path),
        headers: {
          authorization: `Bearer ${await way.token()}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': body.type }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body.value) }),
        signal,
      };
      const through = (http: Http): Promise<Answer> => ask({ http, clock, secrets, who }, request, quote);
      if (way.ca === undefined) return through(deps.http);
      await using http = deps.openHttp([way.ca]);
      return await through(http);
    },
  };
};
