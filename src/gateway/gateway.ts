import { fault, withRetry, type RetryDeps, type RetryPolicy } from '../core/index.ts';
import { parseBaseUrl } from './base-url.ts';
import type { CallDeps } from './call.ts';
import { createEndpoints, type Endpoints } from './endpoints.ts';

export type GatewayOptions = Omit<CallDeps, 'base' | 'retry'> & {
  /** https, or http on loopback; its path is the prefix of every endpoint. */
  readonly baseUrl: string;
  /** For GETs; writes are never retried. */
  readonly retry?: RetryPolicy;
};

/**
 * The admin endpoints (docs/gateway.md G2.3). Every method throws catalogue errors, or the reason of its signal. Reads
 * are retried while that may help; writes never, and if their outcome is unknown the error states it.
 */
export type Gateway = Endpoints & {
  /**
   * Repeats a read while that may help, with this client's own backoff: for bodies of exports, which may break off
   * after the answer began.
   */
  readonly retryRead: <T>(
    read: () => Promise<T>,
    options?: {
      readonly signal?: AbortSignal | undefined;
      readonly onRetry?: RetryDeps['onRetry'] | undefined;
    },
  ) => Promise<T>;
};

const defaultRetry: RetryPolicy = { attempts: 4, initial: 500, max: 30_000, longestRetryAfter: 300_000 };

/** @throws Fault `config-invalid`, `gateway-url-insecure`, `gateway-key-refused` (a key that is invalid in a header) */
export const createGateway = (options: GatewayOptions): Gateway => {
  const { baseUrl, retry = defaultRetry, ...others } = options;
  const deps: CallDeps = { ...others, base: parseBaseUrl(baseUrl), retry };
  if (!/^[\x21-\x7e]+$/.test(options.adminKey.reveal()))
    throw fault(
      'gateway-key-refused',
      'admin_key is empty or contains a space, a line break or a non-ASCII character',
    );
  return {
    ...createEndpoints(deps),
    retryRead: (read, { signal, onRetry } = {}) =>
      withRetry(read, retry, {
        clock: deps.clock,
        random: deps.random,
        signal,
        onRetry,
      }),
  };
};
