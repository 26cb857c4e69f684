import { z } from 'zod';
import { trimEndOf } from '../../../core/index.ts';
import type { Http, HttpRequest } from '../../../http/index.ts';
import { ask, secureUrl, type Answer } from '../http-answer.ts';
import { rawAt } from '../json-text.ts';
import { failed } from '../sink-faults.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { VaultSpec } from './settings.ts';
import { readSetting, readToken } from '../token.ts';

/** The newest version of a secret: its fields as JSON text, and the number for check-and-set. */
export type VaultVersion = { readonly version: number; readonly fields: string };

export type Vault = {
  readonly who: string;
  /** @throws Fault sink-failed, sink-refused */
  readonly read: (signal: AbortSignal) => Promise<VaultVersion>;
  /** False if another version was written in the meantime. @throws Fault sink-failed, sink-refused */
  readonly write: (next: VaultVersion, signal: AbortSignal) => Promise<boolean>;
  /** The permissions of the token on the secret; undefined if it may not ask. */
  readonly capabilities: (signal: AbortSignal) => Promise<readonly string[] | undefined>;
  /** Type and version of the engine at the mount, from the endpoint that Vault's own CLI uses; undefined if not reported. */
  readonly engine: (signal: AbortSignal) => Promise<string | undefined>;
};

const errors = z.looseObject({ errors: z.array(z.string()) });

/** Quotes only Vault's error texts: other parts of its answers may contain secrets. */
const quote = (text: string): string => {
  try {
    return errors.parse(JSON.parse(text)).errors.join('; ');
  } catch {
    return '';
  }
};

const parsed = <T>(shape: z.ZodType<T>, text: string): T | undefined => {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

const readShape = z.looseObject({ data: z.looseObject({ metadata: z.looseObject({ version: z.int() }) }) });
const writeShape = z.looseObject({ data: z.looseObject({ version: z.int() }) });
const capabilitiesShape = z.looseObject({ capabilities: z.array(z.string()) });
const mountShape = z.looseObject({
  data: z.looseObject({
    type: z.string(),
    options: z.looseObject({ version: z.string().optional() }).nullish(),
  }),
});

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** KV version 2 (developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2). @throws Fault sink-refused for an unsafe address */
export const openVault = (spec: VaultSpec, deps: SinkDeps): Vault => {
  const base = secureUrl(spec.address, 'the address of Vault');
  const who = `Vault at ${base.host}`;
  const { clock, secrets } = deps;
  const dataPath = `${encoded(spec.mount)}/data/${encoded(spec.path)}`;

  const send = async (
    method: HttpRequest['method'],
    path: string,
    signal: AbortSignal,
    body?: string,
  ): Promise<Answer> => {
    const token = await readToken(spec.token, secrets);
    const request = {
      method,
      url: new URL(`${trimEndOf(base.href, '/')}/v1/${path}`),
      headers: {
        'x-vault-token': token,
        'x-vault-request': 'true',
        ...(spec.namespace === undefined ? {} : { 'x-vault-namespace': spec.namespace }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      signal,
    };
    const through = (http: Http): Promise<Answer> => ask({ http, clock, secrets, who }, request, quote);
    if (spec.ca === undefined) return through(deps.http);
    await using http = deps.openHttp([await readSetting(spec.ca, 'issuer of Vault')]);
    return await through(http);
  };

  const unreadable = (): Error =>
    failed(`${who} did not answer like KV version 2`, {
      advice: 'check mount and path: the engine must be KV version 2',
    });

  return {
    who,
    read: async (signal) => {
      const answer = await send('GET', dataPath, signal);
      if (answer.status !== 200 && answer.status !== 404) throw answer.fault();
      const version = parsed(readShape, answer.text)?.data.metadata.version;
      // A deleted version answers 404 and still counts for check-and-set; without any version the number is 0.
      if (answer.status === 404) return { version: version ?? 0, fields: '{}' };
      if (version === undefined) throw unreadable();
      const fields = rawAt(answer.text, ['data', 'data'], who);
      return { version, fields: fields === undefined || fields === 'null' ? '{}' : fields };
    },
    write: async ({ version, fields }, signal) => {
      const body = `{"options":{"cas":${version}},"data":${fields}}`;
      const answer = await send('POST', dataPath, signal, body);
      if (answer.status === 400 && quote(answer.text).includes('check-and-set parameter')) return false;
      if (answer.status !== 200) throw answer.fault();
      if (parsed(writeShape, answer.text) === undefined) throw unreadable();
      return true;
    },
    capabilities: async (signal) => {
      const paths = [`${spec.mount}/data/${spec.path}`];
      const answer = await send('POST', 'sys/capabilities-self', signal, JSON.stringify({ paths }));
      return parsed(capabilitiesShape, answer.text)?.capabilities;
    },
    engine: async (signal) => {
      const answer = await send('GET', `sys/internal/ui/mounts/${encoded(spec.mount)}`, signal);
      const mount = parsed(mountShape, answer.text)?.data;
      return mount === undefined ? undefined : `${mount.type} ${mount.options?.version ?? '1'}`;
    },
  };
};
