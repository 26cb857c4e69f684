import { z } from 'zod';
import { money } from '../../../../core/index.ts';
import { describeScope, usedMethods, type Assessment } from '../../../../monitoring/index.ts';

const amount = z.string().transform(money);
const seconds = z.int();

const reason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('no-data') }),
  z.object({ kind: z.literal('stale'), reaches: seconds, needed: seconds }),
  z.object({ kind: z.literal('unit') }),
  z.object({ kind: z.literal('no-calls'), nearest: z.string().optional() }),
  z.object({ kind: z.literal('starts-late'), starts: seconds }),
  z.object({ kind: z.literal('unreadable-rows'), rows: z.int() }),
  z.object({ kind: z.literal('missing-rows'), text: z.string() }),
]);

/** What the last evaluation of a budget found, as it is stored. */
export const budgetStatus = z.object({
  kind: z.literal('budget'),
  /** `account`, `team search`, `model gpt-*`. */
  scope: z.string(),
  amount,
  currency: z.string(),
  zone: z.string(),
  /** Seconds UTC; half-open. */
  start: seconds,
  end: seconds,
  /** End of the data in the period. */
  through: seconds.optional(),
  state: z.enum(['ok', 'exceeded', 'forecast', 'unknown']),
  reason: reason.optional(),
  spend: amount.optional(),
  forecast: amount.optional(),
  forecastLow: amount.optional(),
  forecastHigh: amount.optional(),
  /** What these two are: the interval of 80 % of months, or the paces of the two halves of the range from which the pace is taken. */
  forecastRange: z.enum(['interval', 'paces']).optional(),
  forecastMethod: z.enum(usedMethods).optional(),
  /** How far the latest forecasts at the same point of a month were off, by what it came to. */
  forecastAccuracy: z.object({ mean: amount, most: amount, months: z.int() }).optional(),
  /** Start of that range, seconds UTC; it ends at `through`. */
  paceFrom: seconds.optional(),
  /** The call log covers too few days for a forecast. */
  forecastTooEarly: z.literal(true).optional(),
  levels: z.array(
    z.object({
      on: z.enum(['actual', 'forecast']),
      label: z.string(),
      amount,
      state: z.enum(['exceeded', 'close', 'below', 'unknown']),
    }),
  ),
  /** Start of the oldest period without a final evaluation, seconds UTC. */
  openSince: seconds.optional(),
});

export type BudgetStatus = z.output<typeof budgetStatus>;

export const budgetStatusOf = (
  { budget, period, through, state, reason: why, spend, forecast, isTooEarly, levels }: Assessment,
  openSince: number | undefined,
): BudgetStatus => ({
  kind: 'budget',
  scope: describeScope(budget.scope),
  amount: budget.amount,
  currency: budget.currency,
  zone: budget.zone,
  start: period.start,
  end: period.end,
  ...(through === undefined ? {} : { through }),
  state,
  ...(why === undefined ? {} : { reason: why }),
  ...(spend === undefined ? {} : { spend }),
  ...(forecast === undefined
    ? {}
    : {
        forecast: forecast.amount,
        forecastLow: forecast.low,
        forecastHigh: forecast.high,
        forecastRange: forecast.range,
        forecastMethod: forecast.method,
        ...(forecast.accuracy === undefined ? {} : { forecastAccuracy: forecast.accuracy }),
        paceFrom: forecast.paceFrom,
      }),
  ...(isTooEarly ? { forecastTooEarly: true as const } : {}),
  levels: levels.map(({ on, label, amount: of, state: level }) => ({ on, label, amount: of, state: level })),
  ...(openSince === undefined ? {} : { openSince }),
});
