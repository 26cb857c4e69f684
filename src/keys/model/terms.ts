import { z } from 'zod';
import { money } from '../../core/index.ts';

const millis = z.int().min(0);

const decimal = z.string().transform((text) => money(text));

/**
 * The quota of the successor. `carry`: what the old key has left, lowered at its retirement by what it spent after the cutover; `split`: half of what
 * is left, while the other half stays with the old key until its retirement.
 */
export const quotaTerms = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('carry') }),
  z.object({ kind: z.literal('split') }),
  z.object({ kind: z.literal('unlimited') }),
  z.object({ kind: z.literal('fixed'), amount: decimal }),
]);

export const retireTerms = z.object({
  /** `now`: for a compromised key, which is deleted as soon as its successor is delivered. */
  when: z.enum(['unused', 'after-overlap', 'now']),
  /** Milliseconds without a call by the old key. */
  quiet: millis,
  ending: z.enum(['expire', 'delete']),
  /** Milliseconds from the cutover; afterwards an idle key is retired and a used one escalates to the operators. */
  maxOverlap: millis.optional(),
});

/** The terms that a rotation keeps to its end, even if the YAML changes; durations in milliseconds. */
export const rotationTerms = z.object({
  /** The job whose sinks and verification the rotation uses; for a manual rotation, the job that was named. */
  job: z.string(),
  /** The template of key names, such as `{service}.g{generation}`. */
  template: z.string(),
  /** The shortest time for which both keys work. */
  overlap: millis,
  quota: quotaTerms,
  retire: retireTerms,
  /** Consecutive failed attempts of one step before the rotation pauses. */
  tries: z.int().min(1),
});

export type RetireTerms = z.output<typeof retireTerms>;
export type RotationTerms = z.output<typeof rotationTerms>;
