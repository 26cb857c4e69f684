import { hasCode, isFault, type Fault, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import { callWithRetry, type CallDeps, type CallOptions } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { openExportBody, type ExportBody } from './export-body.ts';

/** Seconds, as sent: whether either end is inclusive is open (docs/gateway.md G6.6). */
export type LogExportQuery = {
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  /** Empty exports all columns. */
  readonly columns: readonly string[];
  readonly currency: 'USD' | 'CNY';
  readonly modelName?: string;
  readonly vendorId?: number;
  readonly status?: string | undefined;
};

/** Milliseconds, as sent; at most about six months (docs/gateway.md G7.3). */
export type UsageExportQuery = {
  readonly start: UnixMillis;
  readonly end: UnixMillis;
  readonly groupBy: string;
  readonly metric: string;
  readonly granularity: 'hour' | 'day' | 'week';
  readonly topN: number;
  readonly modelName?: string;
};

/**
 * A busy gateway and one that refuses the key may both answer JSON under HTTP 200, and no code distinguishes them: the
 * request is repeated once, and the second answer decides.
 */
const openExport = async (
  deps: CallDeps,
  endpoint: Endpoint,
  query: Readonly<Record<string, string | number | undefined>>,
  options: CallOptions & { readonly limit?: number },
): Promise<ExportBody> => {
  const call = { ...options, endpoint, query, accept: 'text/csv, */*;q=0.1' };
  let refused = 0;
  const opened = await callWithRetry<ExportBody | Fault>(deps, call, async (answer) => {
    try {
      return await openExportBody(answer, endpoint, deps.secrets.redact);
    } catch (error) {
      if (!hasCode(error, 'export-not-csv') && !hasCode(error, 'gateway-refused')) throw error;
      refused += 1;
      if (refused === 1) throw error;
      return error;
    }
  });
  if (isFault(opened)) throw opened;
  return opened;
};

const logs: Endpoint = { method: 'GET', path: '/api/log/self/stream-export', scope: 'logs:read' };
const usage: Endpoint = { method: 'GET', path: '/api/data/self/pivot/stream-export', scope: 'usage:read' };

/** docs/gateway.md G6.1. */
const exportLogs = (deps: CallDeps, query: LogExportQuery, options: CallOptions = {}): Promise<ExportBody> =>
  openExport(
    deps,
    logs,
    {
      start_timestamp: query.start,
      end_timestamp: query.end,
      model_name: query.modelName,
      vendor_id: query.vendorId,
      status: query.status,
      columns: query.columns.join(','),
      currency: query.currency,
    },
    options,
  );

/** Bytes: a usage export has sums alone. */
const usageLimit = 64 * 1024 * 1024;

/** docs/gateway.md G7.1. */
const exportUsage = (
  deps: CallDeps,
  query: UsageExportQuery,
  options: CallOptions = {},
): Promise<ExportBody> =>
  openExport(
    deps,
    usage,
    {
      start_timestamp: query.start,
      end_timestamp: query.end,
      group_by: query.groupBy,
      metric: query.metric,
      granularity: query.granularity,
      top_n: query.topN,
      model_name: query.modelName,
    },
    { ...options, limit: usageLimit },
  );

export const exportEndpoints = (deps: CallDeps) => ({
  /** Resolves when the first bytes have shown that it is CSV; after that only `retryRead` repeats the request. */
  exportLogs: (query: LogExportQuery, options?: CallOptions) => exportLogs(deps, query, options),
  /** As `exportLogs`, but in milliseconds. */
  exportUsage: (query: UsageExportQuery, options?: CallOptions) => exportUsage(deps, query, options),
});
