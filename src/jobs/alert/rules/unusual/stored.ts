import { z } from 'zod';
import { money, moneyOfDouble, zero, type Money } from '../../../../core/index.ts';
import { judgedStatus } from '../../judged.ts';
import type { FoundUnusual } from './read-unusual.ts';

const amount = z.string().transform(money);

/** Unusual spend as the last evaluation found it. Amounts are in the currency; times in seconds UTC. */
const foundStatus = z.object({
  kind: z.literal('unusual'),
  state: z.literal('unusual'),
  of: z.enum(['account', 'model', 'service']),
  name: z.string(),
  currency: z.string(),
  window: z.enum(['hour', 'day']),
  spend: amount,
  usual: amount,
  calls: z.number(),
  usualCalls: z.number(),
  since: z.int(),
  end: z.int(),
  /** What cost more than a week before, the largest first. */
  contributions: z.array(z.object({ model: z.string(), service: z.string(), more: amount })),
});

export type UnusualStatus = z.output<typeof foundStatus>;

export const unusualStatus = z.union([foundStatus, judgedStatus]);

/** What is shown of a double: far below the last digit. */
const decimals = 6;

const shown = (value: number): Money => moneyOfDouble(value, decimals) ?? zero;

export const unusualStatusOf = (
  { scope, unusual, currency, contributions }: FoundUnusual,
  end: number,
): UnusualStatus => ({
  kind: 'unusual',
  state: 'unusual',
  of: scope.kind,
  name: scope.name,
  currency,
  window: unusual.window,
  spend: shown(unusual.spend),
  usual: shown(unusual.usual),
  calls: unusual.calls,
  usualCalls: unusual.usualCalls,
  since: unusual.since,
  end,
  contributions: contributions.map((one) => ({ ...one })),
});
