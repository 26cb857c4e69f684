import { z } from 'zod';
import { money, unixSeconds } from '../core/index.ts';
import type { Money, UnixSeconds } from '../core/index.ts';
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

export const seconds = wholeNumber.transform((value): UnixSeconds => unixSeconds(value));

/** Unix seconds, or -1 for a key that never expires (docs/gateway.md G8.11). */
export type Expiry = UnixSeconds | 'never';

export const expiry = wholeNumber.transform((value): Expiry => (value === -1 ? 'never' : unixSeconds(value)));

/** Omitted, or null: unknown. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional()).optional();
