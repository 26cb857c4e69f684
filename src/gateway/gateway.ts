import { fault, withRetry } from '../core/index.ts';
import type { RetryDeps, RetryPolicy } from '../core/index.ts';
import { accountProfile } from './admin/account-profile.ts';
import type { AccountProfile } from './admin/account-profile.ts';
import { parseBaseUrl } from './base-url.ts';
import type { CallDeps, CallOptions } from './call.ts';
import { callStatistics } from './admin/call-statistics.ts';
import type { CallStatistics, StatisticsQuery } from './admin/call-statistics.ts';
import { endpoints } from './endpoints.ts';
import { callForData } from './envelope.ts';
import type { ExportBody } from './admin/export-body.ts';
import { exportLogs, exportUsage } from './admin/exports.ts';
import type { LogExportQuery, UsageExportQuery } from './admin/exports.ts';
import { createKeyEndpoints } from './admin/keys.ts';
import type { KeyEndpoints } from './admin/keys.ts';

export type GatewayOptions = Omit<CallDeps, 'base' | 'retry'> & {
  /** https, or http on loopback; a path in it stands before every endpoint's. */
  readonly baseUrl: string;
  /** For GETs; writes are never tried twice. */
  readonly retry?: RetryPolicy;
};

/**
 * The admin endpoints (docs/gateway.md G2.3). Every method throws catalogue errors, or the reason of its signal.
 * Reads are tried again while that may help; writes never, and where their outcome is not known the error says so.
 */
export type Gateway = KeyEndpoints & {
  readonly profile: (options?: CallOptions) => Promise<AccountProfile>;
  readonly statistics: (query: StatisticsQuery, options?: CallOptions) => Promise<CallStatistics>;
  /**
   * Runs a read again while that may help, with this client's own waits: for bodies of exports, which may break off after
   * their request was answered.
   */
  readonly retryRead: <T>(
    read: () => Promise<T>,
    options?: {
      readonly signal?: AbortSignal | undefined;
      readonly onRetry?: RetryDeps['onRetry'] | undefined;
    },
  ) => Promise<T>;
  /** Resolves when the first bytes have shown that it is CSV; from then on nothing is tried again but by `retryRead`. */
  readonly exportLogs: (query: LogExportQuery, options?: CallOptions) => Promise<ExportBody>;
  /** As `exportLogs`, but in milliseconds. */
  readonly exportUsage: (query: UsageExportQuery, options?: CallOptions) => Promise<ExportBody>;
};

const defaultRetry: RetryPolicy = { attempts: 4, initial: 500, max: 30_000, longestRetryAfter: 300_000 };

/** @throws Fault `config-invalid`, `gateway-url-insecure`, `gateway-key-refused` (a key that no header can carry) */
export const createGateway = (options: GatewayOptions): Gateway => {
  const { baseUrl, retry = defaultRetry, ...others } = options;
  const deps: CallDeps = { ...others, base: parseBaseUrl(baseUrl), retry };
  if (!/^[\x21-\x7e]+$/.test(options.adminKey.reveal()))
    throw fault(
      'gateway-key-refused',
      'admin_key is empty or holds a space, a line break or a sign beyond ASCII',
    );
  return {
    profile: (call) => callForData(deps, { ...call, endpoint: endpoints.profile }, accountProfile),
    statistics: (query, call) =>
      callForData(
        deps,
        {
          ...call,
          endpoint: endpoints.statistics,
          query: {
            start_timestamp: query.start,
            end_timestamp: query.end,
            model_name: query.modelName,
            token_name: query.tokenName,
            vendor_id: query.vendorId,
          },
        },
        callStatistics,
      ),
    retryRead: (read, { signal, onRetry } = {}) =>
      withRetry(read, retry, {
        clock: deps.clock,
        random: deps.random,
        signal,
        onRetry,
      }),
    exportLogs: (query, call) => exportLogs(deps, query, call),
    exportUsage: (query, call) => exportUsage(deps, query, call),
    ...createKeyEndpoints(deps),
  };
};
