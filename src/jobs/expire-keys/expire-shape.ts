import { z } from 'zod';
import { duration, positiveDuration } from '../../config/index.ts';
import { expiryClocks, type ExpiryPolicy } from '../../keys/index.ts';
import { limitsShape, modeShape, planMailShape, selectionShape } from '../keys/key-shapes.ts';

const clock = z.enum(expiryClocks);

export const expireShape = z.strictObject({
  keys: selectionShape,
  by: z
    .union([clock, z.array(clock).min(1)])
    .default('age')
    .describe(
      'What the stages are measured by: age, idle (time since the last call in the log), expired (time since expiry), exhausted (idle without quota). If several are listed, the one furthest along applies.',
    )
    .transform((by) => (typeof by === 'string' ? [by] : by)),
  stages: z
    .strictObject({
      warn: duration.optional().describe('When the cost owner of the key is warned.'),
      expire: duration.optional().describe('When the key is set to expire immediately.'),
      delete: duration.optional().describe('When the key is deleted permanently.'),
    })
    .refine((stages) => Object.values(stages).some((at) => at !== undefined), {
      error: 'must have one of warn, expire, delete',
    })
    .describe(
      'Times of the stages, in order. With { warn: 90d, expire: 100d, delete: 110d } there are at least ten days between stages, however late the first one happens.',
    ),
  quiet: positiveDuration
    .prefault('7d')
    .describe(
      'Time for which the complete call log must show no call by a key before the key is expired or deleted.',
    ),
  even_if_used: z
    .boolean()
    .default(false)
    .describe('If true, keys that are in use are expired and deleted too.'),
  even_if_current: z
    .boolean()
    .default(false)
    .describe(
      'If true, keys that a sink holds are expired and deleted too. Consumers that read the sink then fail to authenticate.',
    ),
  notices: z
    .array(positiveDuration)
    .max(10)
    .prefault(['30d', '7d', '1d'])
    .describe(
      'Times before the expiry of a key at which its cost owner is notified, once each. Applies to all keys of the account and in every mode. [] disables these notifications.',
    ),
  limits: limitsShape,
  mode: modeShape,
  mail: planMailShape,
});

export type ExpireSettings = z.output<typeof expireShape>;

export const expiryPolicy = (
  { name, zone }: { readonly name: string; readonly zone: string },
  settings: ExpireSettings,
): ExpiryPolicy => ({
  job: name,
  zone,
  select: settings.keys,
  by: settings.by,
  stages: settings.stages,
  quiet: settings.quiet,
  evenIfUsed: settings.even_if_used,
  evenIfCurrent: settings.even_if_current,
  limits: settings.limits,
});
