import { isLoopback } from '../core/index.ts';
import type { Dispatcher } from 'undici';
import { trustedContext } from './certificates.ts';
import { guardedConnect, type MayReach } from './guarded-connect.ts';
import { proxyFor, proxySettings } from './proxy-settings.ts';

export type ConnectionOptions = {
  readonly env: NodeJS.ProcessEnv;
  readonly ca?: readonly string[] | undefined;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Addresses that may be connected directly; a proxy decides by itself. Any where it is omitted. */
  readonly mayReach?: MayReach | undefined;
};

export type OpenConnections = {
  /** The pool for the address, and the proxy (`name:port`) in use, if any. */
  readonly to: (url: URL) => { readonly dispatcher: Dispatcher; readonly proxy?: string };
};

export type Connections = {
  /** Loads the transport; call it once, before the first request. */
  readonly open: () => Promise<OpenConnections>;
  /** Undefined before the first request. */
  readonly opened: () => OpenConnections | undefined;
  readonly destroy: () => Promise<void>;
};

/** More concurrent requests to one host than any run needs; further ones wait. */
const connectionsPerHost = 16;

/**
 * Keep-alive pools, direct and through the environment's proxies. Loopback is never proxied: a proxy's loopback is
 * another machine.
 */
export const openConnections = (options: ConnectionOptions): Connections => {
  const trusted = trustedContext(options.ca, options.env);
  const proxies = proxySettings(options.env);
  const openPools = async () => {
    const { Agent, EnvHttpProxyAgent, buildConnector } = await import('undici');
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable verification.
    const tls = {
      timeout: options.connectTimeout,
      rejectUnauthorized: true,
      secureContext: trusted(),
    };
    const pool = { connections: connectionsPerHost, connect: tls };
    const { mayReach } = options;
    const straight = new Agent(
      mayReach === undefined ? pool : { ...pool, connect: guardedConnect(buildConnector, tls, mayReach) },
    );
    const proxied =
      proxies.http === '' && proxies.https === ''
        ? undefined
        : new EnvHttpProxyAgent({
            ...pool,
            // undici takes omitted settings from the environment; an empty text means "none".
            httpProxy: proxies.http,
            httpsProxy: proxies.https,
            // Decided by `proxyFor` alone.
            noProxy: '',
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
