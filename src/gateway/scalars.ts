import { z } from 'zod';
import { money, unixSeconds, type Money, type UnixSeconds } from '../core/index.ts';
import { numberText } from './json.ts';

const numberAsText = z
  .unknown()
  .optional()
  .transform((value, context): string => {
    const text = numberText(value);
    if (text !== undefined) return text;
    context.addIssue({ code: 'custom', message: 'expected a number' });
    return z.NEVER;
  });

/** A whole number that a JavaScript number represents exactly. */
export const wholeNumber = numberAsText.transform((text, context): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  context.addIssue({
    code: 'custom',
    message: `expected a whole number below 2^53, got ${text.slice(0, 40)}`,
  });
  return z.NEVER;
});

/**
 * A decimal as a string or a number, kept exactly: some amounts are strings (docs/gateway.md G4.1, G8.1), some numbers
 * (G5.2).
 */
export const decimal = z
  .unknown()
  .optional()
  .transform((value, context): Money => {
    const text = typeof value === 'string' ? value : numberText(value);
    try {
      if (text !== undefined) return money(text);
    } catch {
      // Reported below, like any other value that is no decimal.
    }
    context.addIssue({ code: 'custom', message: 'expected a decimal' });
    return z.NEVER;
  });

/** The last second of the year 9999: no key lives longer, and a `Date` holds no time that is much later. */
const latestSecond = 253_402_300_799;

/** A number of the gateway that cannot be what its field says, as text. The rest of its record stays usable. */
export type OutOfRange = { readonly outOfRange: string };

export const isOutOfRange = (value: unknown): value is OutOfRange =>
  typeof value === 'object' && value !== null && 'outOfRange' in value;

const secondsIn = (text: string, least: number): UnixSeconds | OutOfRange => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= least && value <= latestSecond
    ? unixSeconds(value)
    : { outOfRange: text.slice(0, 40) };
};

/** Unix seconds from 1970 to the year 9999. */
export const timeInRange = numberAsText.transform((text) => secondsIn(text, 0));

/** A whole number that a JavaScript number holds exactly. */
export const countInRange = numberAsText.transform((text): number | OutOfRange => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : { outOfRange: text.slice(0, 40) };
});

/** An amount with up to 20 digits before the decimal point and 18 after it, as the warehouse stores it. */
export const amountInRange = decimal.transform((amount): Money | OutOfRange => {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  return whole.length <= 20 && fraction.length <= 18 ? amount : { outOfRange: amount.slice(0, 40) };
});

/** Characters of a name that is shown whole. */
const longestText = 1000;

export const nameInRange = z
  .string()
  .transform((name): string | OutOfRange =>
    name.length <= longestText ? name : { outOfRange: `${name.slice(0, 40)}… (${name.length} characters)` },
  );

/** Unix seconds, or -1 for a key that never expires (docs/gateway.md G8.11). */
export type Expiry = UnixSeconds | 'never';

export const expiry = numberAsText.transform((text): Expiry | OutOfRange => {
  const second = secondsIn(text, -1);
  return second === -1 ? 'never' : second;
});

/** Omitted, or null: unknown. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional()).optional();
