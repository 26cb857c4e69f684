import type { UnixMillis } from '../core/index.ts';
import type { AlertStatusContent } from '../monitoring/index.ts';
import type { AlertAcknowledgement, AlertMute, StoredAlert } from '../warehouse/index.ts';

/**
 * `forecast`: only the forecast has reached a threshold. `low`: a balance or quota lasts for too few days. `unknown`: the
 * reason is in the texts.
 */
export type AlertState = 'ok' | 'exceeded' | 'forecast' | 'low' | 'unknown' | 'not-evaluated';

/** An alert as commands and the page show it. Times are milliseconds UTC unless stated otherwise. */
export type AlertView = {
  readonly account: string;
  readonly alert: string;
  readonly state: AlertState;
  /** Time zone of its times. */
  readonly zone: string;
  /** The team whose budget it is. */
  readonly team?: string;
  readonly texts: {
    readonly reason?: string | undefined;
    /** The next step where the state is unknown. */
    readonly hint?: string | undefined;
    readonly spend?: string | undefined;
    readonly amount?: string | undefined;
    readonly forecast?: string | undefined;
    /** `$40.10 to $52.30` */
    readonly forecastRange?: string | undefined;
    readonly lasts?: string | undefined;
  };
  readonly status?: AlertStatusContent | undefined;
  readonly evaluatedAt?: UnixMillis | undefined;
  readonly firing: readonly StoredAlert[];
  readonly mute?: AlertMute | undefined;
  /** Set when all firing alerts are acknowledged. */
  readonly acknowledged?: AlertAcknowledgement | undefined;
};
