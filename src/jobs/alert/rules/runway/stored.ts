import { z } from 'zod';
import { money } from '../../../../core/index.ts';
import type { Runway } from './runway.ts';

const amount = z.string().transform(money);

/** What the last evaluation of a balance or quota found, as it is stored. */
export const runwayStatus = z.object({
  kind: z.enum(['runway', 'key']),
  state: z.enum(['known', 'unused', 'unknown']),
  /** Why the state is unknown. */
  reason: z.enum(['few-readings', 'old-reading']).optional(),
  /** In the unit of the gateway, like `perDay`. */
  left: amount.optional(),
  perDay: amount.optional(),
  days: z.number().optional(),
  low: z.number().optional(),
  /** Omitted where there is no upper bound. */
  high: z.number().optional(),
  /** Milliseconds UTC. */
  emptyAt: z.int().optional(),
  readAt: z.int().optional(),
});

export type RunwayStatus = z.output<typeof runwayStatus>;

export const runwayStatusOf = (
  kind: RunwayStatus['kind'],
  runway: Runway,
  readAt: number | undefined,
): RunwayStatus => ({
  kind,
  state: runway.state,
  ...(runway.state === 'unknown' ? { reason: runway.reason } : { left: runway.left }),
  ...(runway.state === 'known'
    ? {
        perDay: runway.perDay,
        days: runway.days,
        low: runway.low,
        ...(Number.isFinite(runway.high) ? { high: runway.high } : {}),
        emptyAt: runway.emptyAt,
      }
    : {}),
  ...(readAt === undefined ? {} : { readAt }),
});
