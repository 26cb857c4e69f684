import { z } from 'zod';
import { isFault, unixMillis, type ComparisonName, type Fault } from '../../core/index.ts';
import { periodForms, periodNames, resolvePeriod, type PeriodRequest } from './period.ts';

const written = /^(\d{4}-(0[1-9]|1[0-2])|\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2})$/;

/** Why the period is invalid, or does not fit the comparison. */
export const comparisonFault = (period: PeriodRequest, comparison?: ComparisonName): Fault | undefined => {
  try {
    resolvePeriod(period, unixMillis(0), 'UTC', 'en', comparison);
    return undefined;
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
};

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
      const message = comparisonFault(period)?.message;
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
