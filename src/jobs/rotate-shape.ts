import { z } from 'zod';
import { money } from '../base/index.ts';
import { amount, duration, positiveDuration } from '../config/index.ts';
import { defaultTemplate, minutesOf, readTemplate, weekdays } from '../keys/index.ts';
import type { RotationPolicy, RotationTerms } from '../keys/index.ts';
import { deliverShape, thenShape } from './deliver-shape.ts';
import { limitsShape, modeShape, planMailShape, selectionShape } from './key-shapes.ts';

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
    'How the names of its keys are made; at most 50 bytes once filled in. Only the default adds a random suffix, as in billing.g7-k3x9, which keeps them apart from names that people give.',
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
    .describe('The days it begins on; every day when left out.'),
  from: time.describe('In the zone of the job.'),
  to: time.describe('No longer part of it; at or before `from` it is on the next day.'),
});

const model = z.strictObject({ model: z.string().min(1).describe('A cheap model that the key may call.') });

const verify = z
  .strictObject({ embeddings: model.optional(), messages: model.optional() })
  .refine((value) => Object.values(value).filter((one) => one !== undefined).length === 1, {
    error: 'must have exactly one of embeddings, messages',
  })
  .describe('The real call, of one word, that shows that a new key works before it goes anywhere.')
  .transform(({ embeddings, messages }) => ({
    kind: embeddings === undefined ? ('messages' as const) : ('embeddings' as const),
    model: embeddings?.model ?? messages?.model ?? '',
  }));

const retire = z
  .strictObject({
    when: z
      .enum(['unused', 'after-overlap'])
      .default('unused')
      .describe('What ends the old key: proof that nobody uses it, or the overlap, used or not.'),
    quiet: positiveDuration
      .prefault('24h')
      .describe('How long the complete call log must show no call by it.'),
    // oxlint-disable-next-line unicorn/no-thenable -- the word of the YAML, and no promise
    then: z.enum(['expire', 'delete']).default('delete').describe('What becomes of it.'),
    max_overlap: positiveDuration
      .optional()
      .describe('When an idle old key is retired at the latest, and operators are told of one in use.'),
  })
  .prefault({});

export const rotateShape = z.strictObject({
  keys: selectionShape,
  name: template,
  every: positiveDuration.describe('The age at which a key is rotated.'),
  overlap: duration.prefault('24h').describe('How long the old key works on beside the new one at least.'),
  quota: z
    .union([z.enum(['carry', 'split', 'unlimited']), amount])
    .default('carry')
    .describe(
      'What the new key may spend: carry (what is left of the old one, less what that spends after the hand-over), split (half of it), unlimited, or an amount.',
    ),
  mode: modeShape,
  deliver: deliverShape
    .optional()
    .describe('Where the new key goes: every sink must hold it before the old one ends.'),
  // oxlint-disable-next-line unicorn/no-thenable -- the word of the YAML, and no promise
  then: thenShape.optional().describe('A program that lets the consumer take up the new key.'),
  verify: verify.prefault({ embeddings: { model: 'text-embedding-3-small' } }),
  retire: retire.describe('How the old key ends.'),
  limits: limitsShape,
  windows: z
    .array(window)
    .default([])
    .describe('When rotations may begin; what is begun is brought to its end at any time.'),
  tries: z
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe('How often in a row a step may fail until it waits for a person.'),
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

/** What a rotation of the job goes by. */
export const termsOf = (job: string, settings: RotateSettings): RotationTerms => {
  const { when, quiet, then: ending, max_overlap: maxOverlap } = settings.retire;
  return {
    job,
    template: settings.name,
    overlap: settings.overlap,
    quota: quotaOf(settings.quota),
    retire: { when, quiet, ending, ...(maxOverlap === undefined ? {} : { maxOverlap }) },
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
