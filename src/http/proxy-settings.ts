import { fault } from '../core/index.ts';

export type ProxySettings = {
  /** Empty when none is set. */
  readonly http: string;
  readonly https: string;
  readonly except: string;
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

/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY, the lower-case forms first, as curl and undici read them. @throws Fault `config-invalid` */
export const proxySettings = (env: NodeJS.ProcessEnv): ProxySettings => ({
  http: proxyUrl(env, 'HTTP_PROXY'),
  https: proxyUrl(env, 'HTTPS_PROXY'),
  except: read(env, 'NO_PROXY'),
});

const exempts = (entry: string, url: URL): boolean => {
  const [, name = entry, port] = /^(.+):(\d+)$/.exec(entry) ?? [];
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const domain = name.replace(/^\*?\./, '').toLowerCase();
  return url.hostname === domain || url.hostname.endsWith(`.${domain}`);
};

/** The proxy (`name:port`) that the settings select for the address, by undici's interpretation of NO_PROXY. */
export const proxyFor = (url: URL, settings: ProxySettings): string | undefined => {
  const proxy = url.protocol === 'https:' ? settings.https || settings.http : settings.http;
  if (proxy === '' || settings.except === '*') return undefined;
  const entries = settings.except.split(/[,\s]/).filter((entry) => entry !== '');
  return entries.some((entry) => exempts(entry, url)) ? undefined : new URL(proxy).host;
};
