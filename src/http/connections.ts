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

export type Connections = {
  /** The pool for the address, and the proxy (`name:port`) that may stand before it. */
  readonly to: (url: URL) => Promise<{ readonly dispatcher: Dispatcher; readonly proxy?: string }>;
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
  const open = async () => {
    const { Agent, EnvHttpProxyAgent } = await import('undici');
    return {
      straight: new Agent(pool),
      proxied:
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
            }),
    };
  };
  let pools: ReturnType<typeof open> | undefined;
  return {
    to: async (url) => {
      const { straight, proxied } = await (pools ??= open());
      const proxy = isLoopback(url.hostname) ? undefined : proxyFor(url, proxies);
      return proxied === undefined || proxy === undefined
        ? { dispatcher: straight }
        : { dispatcher: proxied, proxy };
    },
    destroy: async () => {
      if (pools === undefined) return;
      const { straight, proxied } = await pools;
      await Promise.all([straight.destroy(), proxied?.destroy()]);
    },
  };
};
