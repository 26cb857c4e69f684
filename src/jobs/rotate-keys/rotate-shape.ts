import { z } from 'zod';
import { money } from '../../core/index.ts';
import { amount, duration, exactlyOneOf, positiveDuration } from '../../config/index.ts';
import {
  defaultTemplate,
  minutesOf,
  readTemplate,
  sinkSettings,
  thenSettings,
  weekdays,
  type RotationPolicy,
  type RotationTerms,
} from '../../keys/index.ts';
import { limitsShape, modeShape, planMailShape, selectionShape } from '../keys/key-shapes.ts';

const templateProblem = (text: string): string | undefined => {
  const read = readTemplate(text);
  return 'problem' in read ? read.problem : undefined;
};

const template = z
  .string()
  .superRefine((text, context) => {
    const problem = templateProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .default(defaultTemplate)
  .describe(
    'Template for the names of new keys; at most 50 bytes once filled in. Only the default adds a random suffix, as in billing.g7-k3x9, which prevents collisions with names that people choose.',
  );

const time = z
  .string()
  .refine((text) => minutesOf(text) !== undefined, {
    error: 'must be a time of day such as "02:00", in quotes',
  })
  .meta({ examples: ['02:00'] });

const window = z.strictObject({
  days: z
    .array(z.enum(weekdays))
    .min(1)
    .optional()
    .describe('Days on which the window starts. Defaults to every day.'),
  from: time.describe('Start of the window, in the time zone of the job.'),
  to: time.describe('End of the window (excluded). A time at or before `from` is on the next day.'),
});

const model = z.strictObject({
  model: z.string().min(1).describe('Inexpensive model that the key may call.'),
});

const verify = z
  .strictObject({
    embeddings: model.optional().describe('Calls /v1/embeddings.'),
    messages: model.optional().describe('Calls /v1/messages.'),
  })
  .refine(...exactlyOneOf(['embeddings', 'messages']))
  .describe('One-word model call that proves that a new key works, before it is delivered.')
  .transform(({ embeddings, messages }) => ({
    kind: embeddings === undefined ? ('messages' as const) : ('embeddings' as const),
    model: embeddings?.model ?? messages?.model ?? '',
  }));

const retire = z
  .strictObject({
    when: z
      .enum(['unused', 'after-overlap'])
      .default('unused')
      .describe(
        'When the old key is retired: once it is proven idle (unused), or at the end of the overlap even if it is in use (after-overlap).',
      ),
    quiet: positiveDuration
      .prefault('24h')
      .describe('Time for which the complete call log must show no call by the old key.'),
    // oxlint-disable-next-line unicorn/no-thenable -- the word of the YAML, and no promise
    then: z
      .enum(['expire', 'delete'])
      .default('delete')
      .describe('Whether the old key is deleted or only set to expire.'),
    max_overlap: positiveDuration
      .optional()
      .describe(
        'Time after which an idle old key is retired in any case, and operators are notified of one that is in use.',
      ),
  })
  .prefault({});

export const rotateShape = z.strictObject({
  keys: selectionShape,
  name: template,
  every: positiveDuration.describe('Age at which a key is rotated.'),
  overlap: duration.prefault('24h').describe('Minimum time during which both the old and the new key work.'),
  quota: z
    .union([z.enum(['carry', 'split', 'unlimited']), amount])
    .default('carry')
    .describe(
      'Quota of the new key: carry (the remaining quota of the old key, less what the old key spends after the cutover), split (half of the remaining quota), unlimited, or an amount.',
    ),
  mode: modeShape,
  deliver: z
    .array(sinkSettings)
    .min(1)
    .optional()
    .describe(
      'Sinks that the new key is delivered to. The old key ends only after every sink holds the new one.',
    ),
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the YAML, and no promise
  then: thenSettings
    .optional()
    .describe('Program that makes the consumer load the new key, run after the delivery.'),
  verify: verify.prefault({ embeddings: { model: 'text-embedding-3-small' } }),
  retire: retire.describe('How the old key is retired.'),
  limits: limitsShape,
  windows: z
    .array(window)
    .default([])
    .describe(
      'Maintenance windows in which rotations may start. A rotation that has started continues outside them.',
    ),
  tries: z
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe(
      'Number of consecutive failures of a step after which the rotation is paused until someone resumes it.',
    ),
  mail: planMailShape,
});

export type RotateSettings = z.output<typeof rotateShape>;

const quotaOf = (quota: RotateSettings['quota']): RotationTerms['quota'] => {
  switch (quota) {
    case 'carry':
      return { kind: 'carry' };
    case 'split':
      return { kind: 'split' };
    case 'unlimited':
      return { kind: 'unlimited' };
    default:
      return { kind: 'fixed', amount: money(quota) };
  }
};

export const termsOf = (job: string, settings: RotateSettings): RotationTerms => {
  const { when, quiet, then: ending, max_overlap: maxOverlap } = settings.retire;
  return {
    job,
    template: settings.name,
    overlap: settings.overlap,
    quota: quotaOf(settings.quota),
    retire: { when, quiet, ending, maxOverlap },
    tries: settings.tries,
  };
};

export const rotationPolicy = (
  { name, zone }: { readonly name: string; readonly zone: string },
  settings: RotateSettings,
): RotationPolicy => ({
  select: settings.keys,
  every: settings.every,
  terms: termsOf(name, settings),
  limits: settings.limits,
  windows: settings.windows,
  zone,
});
