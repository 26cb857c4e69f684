import type { UnixMillis } from '../core/index.ts';

const httpDate = (text: string | undefined): number | undefined => {
  if (text === undefined || !text.trim().endsWith(' GMT')) return undefined;
  const millis = Date.parse(text);
  return Number.isNaN(millis) ? undefined : millis;
};

/** Milliseconds: a longer wait is taken for this one, so that no date of the next millennium comes of it. */
const longest = 7 * 86_400_000;

/**
 * Milliseconds that `Retry-After` (RFC 9110, 10.2.3) asks to wait: seconds, or a date. A date is compared with the
 * answer's own `Date` if present, so that a wrong clock on either side does no harm.
 */
export const retryAfter = (
  headers: Readonly<Record<string, string>>,
  now: UnixMillis,
): number | undefined => {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Math.min(longest, Number(text) * 1000);
  const until = httpDate(text);
  return until === undefined
    ? undefined
    : Math.min(longest, Math.max(0, until - (httpDate(headers['date']) ?? now)));
};
