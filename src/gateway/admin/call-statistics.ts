import { z } from 'zod';
import type { UnixSeconds } from '../../core/index.ts';
import type { CallDeps, CallOptions } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { callForData } from '../envelope.ts';
import { unknownFields } from '../json.ts';
import { decimal, optional } from '../scalars.ts';

const named = { quota: decimal, rpm: optional(decimal), tpm: optional(decimal), mpm: optional(decimal) };

/** docs/gateway.md G5.2: the amount spent in the time range, in a unit that is open (G5.3), and throughput figures. */
export const callStatistics = z.looseObject(named).transform(({ quota, rpm, tpm, mpm, ...others }) => ({
  quota,
  rpm,
  tpm,
  mpm,
  rest: unknownFields(others, Object.keys(named)),
}));

export type CallStatistics = Readonly<z.output<typeof callStatistics>>;

export type StatisticsQuery = {
  /** Whether a call at either end counts is open (docs/gateway.md G5.6). */
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  readonly modelName?: string;
  /** Name of a key; how it is matched is open (docs/gateway.md G5.5). */
  readonly tokenName?: string;
  readonly vendorId?: number;
};

const endpoint: Endpoint = { method: 'GET', path: '/api/log/self/stat', scope: 'logs:read' };

export const statisticsEndpoint = (deps: CallDeps) => ({
  statistics: (query: StatisticsQuery, options?: CallOptions): Promise<CallStatistics> =>
    callForData(
      deps,
      {
        ...options,
        endpoint,
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
});
