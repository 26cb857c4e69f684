import { z } from 'zod';
import { money } from '../core/index.ts';

const millis = z.int().min(0);

const decimal = z.string().transform((text) => money(text));

/**
 * What the successor may spend. `carry`: what the old key has left, lowered at its retirement by what it spent after the
 * cutover; `split`: half of what is left, the other half stays with the old key until its retirement.
 */
export const quotaTerms = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('carry') }),
  z.object({ kind: z.literal('split') }),
  z.object({ kind: z.literal('unlimited') }),
  z.object({ kind: z.literal('fixed'), amount: decimal }),
]);

export const retireTerms = z.object({
  /** `now` is for a compromised key: it is deleted as soon as its successor is delivered. */
  when: z.enum(['unused', 'after-overlap', 'now']),
  /** How long no call may have been made by the old key. */
  quiet: millis,
  /** What becomes of it. */
  ending: z.enum(['expire', 'delete']),
  /** From the cutover on; past it an idle key is retired and a used one is brought before the operators. */
  maxOverlap: millis.optional(),
});

/** What a rotation uses to its end, whatever the YAML says later; spans in milliseconds. */
export const rotationTerms = z.object({
  /** The job whose sinks and verification it takes; of a key made manually the one that was named. */
  job: z.string(),
  /** How the names of its keys are made: `{service}.g{generation}`, or as the default says. */
  template: z.string(),
  /** How long both keys work at least. */
  overlap: millis,
  quota: quotaTerms,
  retire: retireTerms,
  /** Failed tries of one step in a row before it is paused. */
  tries: z.int().min(1),
});

export type RetireTerms = z.output<typeof retireTerms>;
export type RotationTerms = z.output<typeof rotationTerms>;
