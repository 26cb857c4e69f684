export const hourSeconds = 3600;
export const daySeconds = 24 * hourSeconds;

export const minuteMillis = 60_000;
export const hourMillis = 60 * minuteMillis;
export const dayMillis = 24 * hourMillis;
export const weekMillis = 7 * dayMillis;

const millisOf: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: minuteMillis,
  h: hourMillis,
  d: dayMillis,
  w: weekMillis,
};

/**
 * Parses `90s`, `10m`, `1h30m`, `2d`, `1w` as milliseconds; undefined when the text is no duration. A day is 24 hours.
 */
export const parseDuration = (text: string): number | undefined => {
  if (!/^(\d{1,15}(ms|s|m|h|d|w))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d{1,15})(ms|s|m|h|d|w)/g))
    total += Number(count) * (millisOf[unit ?? ''] ?? 0);
  return Number.isSafeInteger(total) ? total : undefined;
};
