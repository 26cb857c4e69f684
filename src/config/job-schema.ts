import { z } from 'zod';
import type { Position } from '../base/index.ts';
import { accountName, addresses, cron, jobName, positiveDuration, zone } from './fields.ts';

/** A kind of job: its own keys beside the common ones. The list of kinds comes in as an argument. */
export type JobKind = {
  readonly kind: string;
  readonly description: string;
  readonly shape: z.ZodObject;
};

/** Keys that jobs of every kind may have. */
export const commonShape = z.strictObject({
  account: accountName.optional().describe('Which account; may be left out when there is exactly one.'),
  schedule: cron.optional().describe('When it runs; a job without one runs by hand.'),
  timezone: zone
    .optional()
    .describe('Zone of the schedule and of periods; that of tollkeeper.yaml when left out.'),
  suspend: z
    .boolean()
    .default(false)
    .describe(
      'true keeps the job from running on its schedule and for jobs that need it; by hand it still runs.',
    ),
  timeout: positiveDuration.prefault('1h').describe('How long a run may take.'),
  needs: z.array(jobName).default([]).describe('Jobs whose data this one needs.'),
});

/** Recipients of a job's mail, for the kinds that send some. */
export const jobMail = z.strictObject({ to: addresses.describe('Who receives it.') });

const commonKeys = new Set(['kind', ...Object.keys(commonShape.shape)]);

/** The keys of a job that are its kind's own. */
export const ownKeys = (keys: readonly string[]): string[] => keys.filter((key) => !commonKeys.has(key));

/** The whole shape of one kind, common keys included. @throws RangeError when the kind redefines a common key. */
export const shapeOf = (kind: JobKind): z.ZodObject => {
  const clash = Object.keys(kind.shape.shape).find((key) => commonKeys.has(key));
  if (clash !== undefined) throw new RangeError(`kind ${kind.kind} redefines the common key ${clash}`);
  return z
    .strictObject({ kind: z.literal(kind.kind), ...commonShape.shape, ...kind.shape.shape })
    .describe(kind.description);
};

/** One declared job, checked. */
export type Job = {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly timezone: string;
  readonly schedule?: string;
  readonly suspend: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly needs: readonly string[];
  /** The kind's own keys, as its shape gives them; read them through `fieldsOf`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Where it is declared. */
  readonly place: Position & { readonly file: string };
};

/** The kind's own keys with their types. @throws RangeError when the job is of another kind. */
export const fieldsOf = <S extends z.ZodObject>(
  kind: { readonly kind: string; readonly shape: S },
  job: Job,
): z.output<S> => {
  if (job.kind !== kind.kind) throw new RangeError(`job ${job.name} is ${job.kind}, not ${kind.kind}`);
  return job.fields as z.output<S>;
};
