const millisOf: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
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
