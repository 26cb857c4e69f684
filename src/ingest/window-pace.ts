import { isFault, type FaultCode } from '../core/index.ts';

/** How long a window may be, by the gateway's answers so far; in the unit of the windows. */
export type Pace = {
  /** The maximum length for the rest of the pull: longer windows were not answered. */
  readonly longest: number;
  /** The same for windows that looked capped; it grows again while there are few rows. */
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

/**
 * From a month to ten minutes, from six months to one hour: windows still refused are not refused because of their
 * length.
 */
const maxHalvings = 12;

/** The pace after an unanswered window; undefined when a shorter one would not help. */
export const afterRefusal = (pace: Pace, length: number): Pace | undefined =>
  pace.halvings >= maxHalvings
    ? undefined
    : { ...pace, longest: Math.min(pace.longest, Math.ceil(length / 2)), halvings: pace.halvings + 1 };

export const afterCap = (pace: Pace, length: number): Pace => ({ ...pace, dense: Math.ceil(length / 2) });

/** Hidden caps are round numbers (docs/gateway.md G6.14): 10,000 or 50,000 rows, without notice. */
const smallestCap = 10_000;

export const looksCapped = (served: number): boolean => served >= smallestCap && served % smallestCap === 0;

export const afterAnswer = (pace: Pace, length: number, served: number, rowCap = smallestCap): Pace => {
  const sparse = served * 4 < rowCap && length * 2 > pace.dense;
  return { ...pace, halvings: 0, dense: sparse ? pace.dense * 2 : pace.dense };
};

/** A connection that breaks off: once by chance, repeatedly when the request takes too long. */
const brokenOff: ReadonlySet<FaultCode> = new Set([
  'gateway-connection-lost',
  'export-truncated',
  'export-emptied',
]);

/** Observed answers of gateways and their proxies to a range that is too long, or takes too long. */
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

/** Whether a shorter window may succeed. */
export const mayBeTooLong = (error: unknown): boolean => isFault(error) && tooLong.has(error.code);
