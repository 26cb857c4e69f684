import { z } from 'zod';
import { money } from '../../core/index.ts';

const amount = z.string().transform(money);

/** A notification with all content of its mail, stored before it enters the outbox. */
export const alertMessage = z.object({
  title: z.string(),
  to: z.array(z.string()).readonly(),
  blocks: z
    .array(
      z.object({
        heading: z.string().exactOptional(),
        tone: z.enum(['bad', 'good']),
        lines: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
        meter: z
          .object({
            value: amount,
            of: amount,
            forecast: amount.exactOptional(),
          })
          .exactOptional(),
      }),
    )
    .readonly(),
  closing: z.array(z.string()).readonly(),
});

export type AlertMessage = z.output<typeof alertMessage>;
