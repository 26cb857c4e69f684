/** Seconds stay below this until the year 5138; milliseconds have been above it since 1973. */
const firstMillis = 100_000_000_000;

/** The last moment that a `Date` holds, in milliseconds. */
const latest = 8.64e15;

/**
 * A time of a task, in UTC: gateways count in seconds or in milliseconds (docs/gateway.md G10.6, G11.2). Undefined for 0, which
 * stands for a time that has not come, and for what is no time.
 */
export const taskTime = (value: unknown): string | undefined => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) return undefined;
  const millis = value < firstMillis ? value * 1000 : value;
  return millis > latest ? undefined : new Date(millis).toISOString().replace('.000Z', 'Z');
};
