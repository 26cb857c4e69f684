import type { GatewayProfile, Money, UnixSeconds } from '../core/index.ts';
import type { PullContext } from '../ingest/index.ts';

/** What a reconciliation uses of the run that it is part of. */
export type ReconcileContext = PullContext & {
  readonly account: {
    readonly name: string;
    readonly currency: 'USD' | 'CNY';
    readonly profile: GatewayProfile;
    readonly gateway: {
      /** The amount spent between two moments, in seconds UTC (docs/gateway.md G5.2). */
      readonly statistics: (
        query: { readonly start: UnixSeconds; readonly end: UnixSeconds },
        options: { readonly signal: AbortSignal; readonly impatient?: AbortSignal | undefined },
      ) => Promise<{ readonly quota: Money }>;
    };
  };
  /** IANA zone in which moments are shown. */
  readonly zone: string;
  /** Aborted once nothing but the comparison is waited for: an unreachable gateway is not called again. */
  readonly impatient?: AbortSignal | undefined;
};
