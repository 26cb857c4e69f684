import { fault, withRetry } from '../core/index.ts';
import type { RetryDeps, RetryPolicy } from '../core/index.ts';
import { accountProfile } from './admin/account-profile.ts';
import type { AccountProfile } from './admin/account-profile.ts';
import type { ApiKey, KeyPage } from './admin/api-key.ts';
import { parseBaseUrl } from './base-url.ts';
import type { CallDeps, CallOptions } from './call.ts';
import { callStatistics } from './admin/call-statistics.ts';
import type { CallStatistics, StatisticsQuery } from './admin/call-statistics.ts';
import { endpoints } from './endpoints.ts';
import { callForData } from './envelope.ts';
import type { ExportBody } from './admin/export-body.ts';
import { exportLogs, exportUsage } from './admin/exports.ts';
import type { LogExportQuery, UsageExportQuery } from './admin/exports.ts';
import { listAllKeys } from './admin/key-listing.ts';
import type { KeyPatch, KeySpec, KeyUpdate } from './admin/key-spec.ts';
import { createKey, deleteKey, readKey, readKeyPage, updateKey } from './admin/keys.ts';
import type { CreatedKey } from './admin/keys.ts';

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
export type Gateway = {
  readonly profile: (options?: CallOptions) => Promise<AccountProfile>;
  readonly statistics: (query: StatisticsQuery, options?: CallOptions) => Promise<CallStatistics>;
  /**
   * Runs a read again while that may help, with this client's own waits: for bodies of exports, which may break off after
   * their request was answered.
   */
  readonly retryRead: <T>(
    read: () => Promise<T>,
    options?: { readonly signal?: AbortSignal | undefined; readonly onRetry?: RetryDeps['onRetry'] },
  ) => Promise<T>;
  /** Resolves when the first bytes have shown that it is CSV; from then on nothing is tried again but by `retryRead`. */
  readonly exportLogs: (query: LogExportQuery, options?: CallOptions) => Promise<ExportBody>;
  /** As `exportLogs`, but in milliseconds. */
  readonly exportUsage: (query: UsageExportQuery, options?: CallOptions) => Promise<ExportBody>;
  /** Every key, each once, though keys come and go while the pages are read. */
  readonly listKeys: (options?: CallOptions) => Promise<ApiKey[]>;
  /** Pages count from 1; the size asked for may be capped: `pageSize` of the answer tells. */
  readonly keyPage: (
    page: { readonly page: number; readonly pageSize: number },
    options?: CallOptions,
  ) => Promise<KeyPage>;
  readonly readKey: (id: number, options?: CallOptions) => Promise<ApiKey>;
  /** The plaintext key comes this once. */
  readonly createKey: (spec: KeySpec, options?: CallOptions) => Promise<CreatedKey>;
  /** Writes the whole key: fields left out could fall back to defaults. */
  readonly updateKey: (update: KeyUpdate, options?: CallOptions) => Promise<void>;
  /** Writes the fields given alone: for a gateway that was found to keep the others, and to find out. */
  readonly patchKey: (patch: KeyPatch, options?: CallOptions) => Promise<void>;
  /** Takes effect at once (docs/gateway.md G8.14); whether the id existed, only a list can tell. */
  readonly deleteKey: (id: number, options?: CallOptions) => Promise<void>;
};

const defaultRetry: RetryPolicy = { attempts: 4, initial: 500, max: 30_000, longestRetryAfter: 300_000 };

/** Larger pages are capped by some gateways without a word. */
const pageSize = 100;

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
        ...(signal === undefined ? {} : { signal }),
        ...(onRetry === undefined ? {} : { onRetry }),
      }),
    exportLogs: (query, call) => exportLogs(deps, query, call),
    exportUsage: (query, call) => exportUsage(deps, query, call),
    listKeys: (call) => listAllKeys((page) => readKeyPage(deps, { page, pageSize }, call)),
    keyPage: (page, call) => readKeyPage(deps, page, call),
    readKey: (id, call) => readKey(deps, id, call),
    createKey: (spec, call) => createKey(deps, spec, call),
    updateKey: (update, call) => updateKey(deps, update, call),
    patchKey: (patch, call) => updateKey(deps, patch, call),
    deleteKey: (id, call) => deleteKey(deps, id, call),
  };
};
