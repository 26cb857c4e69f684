import { z } from 'zod';
import { duration, positiveDuration } from '../config/index.ts';
import { expiryClocks } from '../keys/index.ts';
import type { ExpiryPolicy } from '../keys/index.ts';
import { limitsShape, modeShape, planMailShape, selectionShape } from './key-shapes.ts';

const clock = z.enum(expiryClocks);

export const expireShape = z.strictObject({
  keys: selectionShape,
  by: z
    .union([clock, z.array(clock).min(1)])
    .default('age')
    .describe(
      'What counts the time: age, idle (since the last call in the log), expired (since the key expired), exhausted (idle with no quota left); of several the one that is furthest.',
    )
    .transform((by) => (typeof by === 'string' ? [by] : by)),
  stages: z
    .strictObject({
      warn: duration.optional().describe('Whoever owns the key is told.'),
      expire: duration.optional().describe('It is set to expire now.'),
      delete: duration.optional().describe('It is deleted for good.'),
    })
    .refine((stages) => Object.values(stages).some((at) => at !== undefined), {
      error: 'must have one of warn, expire, delete',
    })
    .describe(
      'When what is done, each after the one before it: { warn: 90d, expire: 100d, delete: 110d } leaves ten days between them however late the first comes.',
    ),
  quiet: positiveDuration
    .prefault('7d')
    .describe('How long the complete call log must show no call by a key before it is ended.'),
  even_if_used: z.boolean().default(false).describe('true ends keys that are in use, too.'),
  even_if_current: z
    .boolean()
    .default(false)
    .describe('true ends keys that a sink holds, too: whoever reads the sink is refused from then on.'),
  notices: z
    .array(positiveDuration)
    .max(10)
    .prefault(['30d', '7d', '1d'])
    .describe(
      'How long before it expires whoever owns a key is told, once each; of every key of the account, in every mode; [] for never.',
    ),
  limits: limitsShape,
  mode: modeShape,
  mail: planMailShape,
});

export type ExpireSettings = z.output<typeof expireShape>;

export const expiryPolicy = (job: string, settings: ExpireSettings): ExpiryPolicy => ({
  job,
  select: settings.keys,
  by: settings.by,
  stages: settings.stages,
  quiet: settings.quiet,
  evenIfUsed: settings.even_if_used,
  evenIfCurrent: settings.even_if_current,
  limits: settings.limits,
});
