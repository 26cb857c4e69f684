declare const unit: unique symbol;

/** Whole seconds since 1970-01-01T00:00:00Z. The unit of the log, statistics and key endpoints (docs/gateway.md G1.6). */
export type UnixSeconds = number & { readonly [unit]: 'seconds' };

/**
 * Whole milliseconds since 1970-01-01T00:00:00Z. The unit of the usage export (docs/gateway.md G7.2) and of the local
 * clock.
 */
export type UnixMillis = number & { readonly [unit]: 'milliseconds' };

/** Half-open: includes `start`, excludes `end`. Empty when they are equal. */
export type Interval<T extends UnixSeconds | UnixMillis> = { readonly start: T; readonly end: T };

const whole = (value: number, name: string): number => {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be a whole number, got ${value}`);
  return value;
};

/** @throws RangeError when the value is not a whole number. */
export const unixSeconds = (value: number): UnixSeconds => whole(value, 'Unix seconds') as UnixSeconds;

/** @throws RangeError when the value is not a whole number. */
export const unixMillis = (value: number): UnixMillis => whole(value, 'Unix milliseconds') as UnixMillis;

/** Rounds down, so that a second is never reported before it has begun. */
export const toSeconds = (millis: UnixMillis): UnixSeconds => unixSeconds(Math.floor(millis / 1000));

export const toMillis = (seconds: UnixSeconds): UnixMillis => unixMillis(seconds * 1000);

/** @throws RangeError when the end is before the start. */
export const interval = <T extends UnixSeconds | UnixMillis>(start: T, end: T): Interval<T> => {
  if (end < start) throw new RangeError(`an interval cannot end (${end}) before it starts (${start})`);
  return { start, end };
};

export const contains = <T extends UnixSeconds | UnixMillis>(range: Interval<T>, moment: T): boolean =>
  moment >= range.start && moment < range.end;

/** The same interval in milliseconds. */
export const intervalInMillis = (range: Interval<UnixSeconds>): Interval<UnixMillis> =>
  interval(toMillis(range.start), toMillis(range.end));
const steps: Readonly<Record<string, number>> = { B: 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const binarySteps: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** Bytes of a size such as `512MB` or `1.5 GiB`; 0 for other text. */
export const bytesOf = (text: string): number => {
  const [, digits = '0', step = 'B', binary] = /^([\d.]+)\s?([KMGT])(i?)B$/.exec(text) ?? [];
  return Math.round(Number(digits) * ((binary === 'i' ? binarySteps : steps)[step] ?? 1));
};

/** A number of bytes as a size in whole megabytes, rounded down, as the configuration and DuckDB write it: `512MB`. */
export const megabytesText = (bytes: number): string => `${Math.floor(bytes / 1e6)}MB`;
