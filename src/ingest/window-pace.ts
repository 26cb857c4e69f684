import { isFault } from '../core/index.ts';
import type { FaultCode } from '../core/index.ts';

/** How long a window may be, by what the gateway was seen to answer; in the unit of the windows. */
export type Pace = {
  /** No longer one is asked for, for the rest of the pull: longer ones were not answered. */
  readonly longest: number;
  /** The same for windows that looked capped; it grows again where there are few rows. */
  readonly dense: number;
  /** How often a window was halved since the last answer. */
  readonly halvings: number;
};

export const freshPace: Pace = {
  longest: Number.POSITIVE_INFINITY,
  dense: Number.POSITIVE_INFINITY,
  halvings: 0,
};

export const lengthAllowed = ({ longest, dense }: Pace): number => Math.min(longest, dense);

/** From a month to ten minutes, from six months to one hour: what is refused still is not refused for its length. */
const maxHalvings = 12;

/** The pace after a window that was not answered; nothing when there is no sense in asking for less. */
export const afterRefusal = (pace: Pace, length: number): Pace | undefined =>
  pace.halvings >= maxHalvings
    ? undefined
    : { ...pace, longest: Math.min(pace.longest, Math.ceil(length / 2)), halvings: pace.halvings + 1 };

export const afterCap = (pace: Pace, length: number): Pace => ({ ...pace, dense: Math.ceil(length / 2) });

/** Hidden caps are round (docs/gateway.md G6.14): 10,000 or 50,000 rows and no word of it. */
const smallestCap = 10_000;

export const looksCapped = (served: number): boolean => served >= smallestCap && served % smallestCap === 0;

export const afterAnswer = (pace: Pace, length: number, served: number, rowCap = smallestCap): Pace => {
  const sparse = served * 4 < rowCap && length * 2 > pace.dense;
  return { ...pace, halvings: 0, dense: sparse ? pace.dense * 2 : pace.dense };
};

/** It broke off: that happens once by chance, and again where it takes too long. */
const brokenOff: ReadonlySet<FaultCode> = new Set(['gateway-connection-lost', 'export-truncated']);

/** What gateways and the proxies before them are seen to answer to a span that is too long, or takes too long. */
const tooLong: ReadonlySet<FaultCode> = new Set([
  ...brokenOff,
  'gateway-timeout',
  'gateway-refused',
  'gateway-http-error',
  'gateway-server-error',
  'gateway-answer-too-large',
  'export-not-csv',
]);

export const breaksOff = (error: unknown): boolean => isFault(error) && brokenOff.has(error.code);

/** Whether a shorter window may fare better. */
export const mayBeTooLong = (error: unknown): boolean => isFault(error) && tooLong.has(error.code);
