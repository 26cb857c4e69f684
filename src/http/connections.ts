import type { Dispatcher } from 'undici';
import { trustedIssuers } from './certificates.ts';
import { isLoopback } from './loopback.ts';
import { proxyFor, proxySettings } from './proxy-settings.ts';

export type ConnectionOptions = {
  readonly env: NodeJS.ProcessEnv;
  readonly ca?: readonly string[] | undefined;
  /** Milliseconds. */
  readonly connectTimeout: number;
};

export type OpenConnections = {
  /** The pool for the address, and the proxy (`name:port`) that may stand before it. */
  readonly to: (url: URL) => { readonly dispatcher: Dispatcher; readonly proxy?: string };
};

export type Connections = {
  /** Loads the transport; needed once, before the first request. */
  readonly open: () => Promise<OpenConnections>;
  /** Nothing before the first request. */
  readonly opened: () => OpenConnections | undefined;
  readonly destroy: () => Promise<void>;
};

/** More at once to one host than any run needs; the rest waits its turn. */
const connectionsPerHost = 16;

/** Keep-alive pools, straight and through the environment's proxies. Loopback is never proxied: a proxy's loopback is another machine. */
export const openConnections = (options: ConnectionOptions): Connections => {
  const issuers = trustedIssuers(options.ca, options.env);
  // Set outright, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch verification off.
  const tls = {
    timeout: options.connectTimeout,
    rejectUnauthorized: true,
    ca: issuers,
  };
  const pool = { connections: connectionsPerHost, connect: tls };
  const proxies = proxySettings(options.env);
  const openPools = async () => {
    const { Agent, EnvHttpProxyAgent } = await import('undici');
    const straight = new Agent(pool);
    const proxied =
      proxies.http === '' && proxies.https === ''
        ? undefined
        : new EnvHttpProxyAgent({
            ...pool,
            // undici fills what is left out from the environment itself; an empty text is "none".
            httpProxy: proxies.http,
            httpsProxy: proxies.https,
            noProxy: proxies.except,
            requestTls: tls,
            proxyTls: tls,
          });
    opened = {
      to: (url) => {
        const proxy = isLoopback(url.hostname) ? undefined : proxyFor(url, proxies);
        return proxied === undefined || proxy === undefined
          ? { dispatcher: straight }
          : { dispatcher: proxied, proxy };
      },
      destroy: async () => {
        await Promise.all([straight.destroy(), proxied?.destroy()]);
      },
    };
    return opened;
  };
  let opened: (OpenConnections & { readonly destroy: () => Promise<void> }) | undefined;
  let opening: ReturnType<typeof openPools> | undefined;
  return {
    open: () => (opening ??= openPools()),
    opened: () => opened,
    destroy: async () => {
      const pools = await opening;
      await pools?.destroy();
    },
  };
};
