import { z } from 'zod';
import { isFault, unixMillis } from '../../core/index.ts';
import { periodForms, periodNames, resolvePeriod } from './period.ts';

const written = /^(\d{4}-(0[1-9]|1[0-2])|\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2})$/;

/** A period in YAML: in each form that `--period` accepts, or as a map with dates. */
export const periodShape = (date: z.ZodType<string, string>) =>
  z
    .union(
      [
        z.enum(periodNames),
        z
          .string()
          .regex(written)
          .meta({ examples: ['2026-10', '2026-10-01..2026-10-15'] }),
        z.strictObject({
          from: date.describe('First day of the period.'),
          to: date.describe('First day after the period.'),
        }),
      ],
      { error: (issue) => (typeof issue.input === 'string' ? `must be ${periodForms}` : undefined) },
    )
    .superRefine((period, context) => {
      // An invalid date has already been reported.
      if (context.issues.length > 0) return;
      try {
        resolvePeriod(period, unixMillis(0), 'UTC');
      } catch (error) {
        if (!isFault(error)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
      }
    });
