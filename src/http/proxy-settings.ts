import { isIP } from 'node:net';
import { addressesIn, fault, isAddressRange } from '../core/index.ts';

export type ProxySettings = {
  /** Empty when none is set. */
  readonly http: string;
  readonly https: string;
  /** Entries of NO_PROXY. */
  readonly except: readonly string[];
};

const read = (env: NodeJS.ProcessEnv, name: string): string =>
  (env[name.toLowerCase()] ?? env[name] ?? '').trim();

const proxyUrl = (env: NodeJS.ProcessEnv, name: string): string => {
  const text = read(env, name);
  if (text === '') return '';
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  // The value may contain a password: it is not quoted.
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
    throw fault('config-invalid', `${name} is not a proxy address`, {
      advice: `set ${name} to http://host:port, or unset it`,
    });
  return url;
};

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, the lower-case forms first. @throws Fault `config-invalid` */
export const proxySettings = (env: NodeJS.ProcessEnv): ProxySettings => ({
  http: proxyUrl(env, 'HTTP_PROXY'),
  https: proxyUrl(env, 'HTTPS_PROXY'),
  except: [
    ...read(env, 'NO_PROXY')
      .split(/[,\s]/)
      .filter((entry) => entry !== ''),
    // In a pod the API server is in the cluster, and no proxy outside of it reaches it.
    ...[(env['KUBERNETES_SERVICE_HOST'] ?? '').trim()].filter((host) => host !== ''),
  ],
});

const addressOf = (text: string): string => text.replace(/^\[(.*)\]$/, '$1');

/** `example.com`, `.example.com:8443`, `10.0.0.1`, `::1`, `[::1]:443`, `10.96.0.0/12`, `*`. */
const exempts = (entry: string, url: URL): boolean => {
  if (entry === '*') return true;
  const host = addressOf(url.hostname).replace(/\.$/, '');
  const isAddress = isIP(addressOf(entry)) !== 0;
  const [, name = entry, port] = isAddress ? [] : (/^(.+):(\d+)$/.exec(entry) ?? []);
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const range = addressOf(name);
  if (isAddressRange(range)) return addressesIn([range])(host);
  if (name.includes('/')) return false;
  const domain = name
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return host === domain || host.endsWith(`.${domain}`);
};

/**
 * The proxy (`name:port`) that the settings select for the address. NO_PROXY is read as curl and Go read it: with names,
 * addresses, ranges and ports.
 */
export const proxyFor = (url: URL, settings: ProxySettings): string | undefined => {
  const proxy = url.protocol === 'https:' ? settings.https || settings.http : settings.http;
  if (proxy === '') return undefined;
  return settings.except.some((entry) => exempts(entry, url)) ? undefined : new URL(proxy).host;
};
