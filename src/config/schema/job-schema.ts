import { z } from 'zod';
import type { Position, Secret, YamlPath } from '../../core/index.ts';
import {
  accountName,
  addressee,
  addresses,
  cron,
  duration,
  heartbeatUrl,
  jobName,
  name,
  positiveDuration,
  routeName,
  zone,
} from './fields.ts';
import { fieldNotes } from './notes.ts';

/** A job as the rules of kinds see it. */
export type RuledJob = {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly suspended: boolean;
  readonly hasSchedule: boolean;
  /** Milliseconds between two of its slots at most; nothing where it has none, or where that is not known. */
  readonly longestSpace: () => number | undefined;
  /** The whole job as its shape gives it; missing where something is wrong with it. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
};

/** What a kind finds wrong with a job; the message goes on where the name of the place ends. */
export type KindFault = {
  /** Within the job; empty for the job as a whole. */
  readonly path: YamlPath;
  /** Whether it is the key that is told of, and not its value. */
  readonly onKey?: boolean;
  readonly message: string;
  readonly advice: string;
  /** Says that no other job does something: only told where every job of every file is known. */
  readonly ofAbsence?: boolean;
};

/** A kind of job: its own keys beside the common ones. The list of kinds comes in as an argument. */
export type JobKind = {
  readonly kind: string;
  readonly description: string;
  /** A run takes up where the one before it ended, so that runs beside or behind one another do harm or nothing: only `forbid` is taken. */
  readonly onlyForbid?: boolean;
  readonly shape: z.ZodObject;
  /** Rules of the kind, for jobs whose shape is right, which may look at the other jobs. */
  readonly faults?: (job: RuledJob, all: readonly RuledJob[]) => readonly KindFault[];
};

/** What operators can be told of a job. */
export const noticeKinds = ['failed', 'late', 'missed', 'recovered'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const concurrency = z.enum(['forbid', 'queue', 'replace', 'allow']);

const retries = z.strictObject({
  limit: z.int().min(0).max(100).default(3).describe('Number of attempts after the first.'),
  backoff: z
    .enum(['exponential', 'linear', 'constant'])
    .default('exponential')
    .describe('How the wait between attempts grows.'),
  initial: duration.prefault('30s').describe('Wait before the second attempt.'),
  max: positiveDuration.prefault('10m').describe('Longest wait between attempts.'),
});

/** Keys that jobs of every kind may have. */
export const commonShape = z.strictObject({
  account: accountName
    .optional()
    .describe('Account that the job works for. Optional if exactly one account is declared.'),
  schedule: cron
    .optional()
    .describe('Cron expression that sets when the job runs. A job without a schedule runs only on request.'),
  day_match: z
    .enum(['any', 'all'])
    .optional()
    .describe('Whether one or both of the day fields of the schedule must match. Required if both are set.'),
  timezone: zone
    .optional()
    .describe('Time zone of the schedule and of report periods. Defaults to timezone in tollkeeper.yaml.'),
  suspend: z
    .boolean()
    .default(false)
    .describe(
      'If true, the job runs neither on its schedule nor for jobs that need it. It can still be run on request.',
    ),
  timeout: positiveDuration.prefault('1h').describe('Maximum duration of a run.'),
  needs: z.array(jobName).default([]).describe('Jobs whose data this job waits for.'),
  needs_deadline: positiveDuration
    .prefault('6h')
    .describe('How long after its slot a run waits for the data of the jobs in needs.'),
  when_late: z
    .enum(['run', 'fail'])
    .default('run')
    .describe('What a run does when needs_deadline passes: run with the available data and say so, or fail.'),
  catchup: z
    .enum(['none', 'latest', 'all'])
    .default('latest')
    .describe('Which of the slots that passed while no daemon ran are run afterwards.'),
  catchup_window: positiveDuration
    .optional()
    .describe(
      'Maximum age of a slot that is caught up. Defaults to the time until the next slot for latest, and to 7d for all.',
    ),
  max_catchup_runs: z
    .int()
    .min(1)
    .max(10_000)
    .default(50)
    .describe('Maximum number of slots that are caught up; the newest ones are chosen.'),
  starting_deadline: positiveDuration
    .optional()
    .describe('A run that has not started within this time after its slot is recorded as missed.'),
  concurrency: concurrency
    .default('forbid')
    .describe(
      'What happens to a slot while the previous run has not ended: it is skipped (forbid), waits (queue), stops that run (replace), or runs at the same time (allow).',
    ),
  retries: retries
    .prefault({})
    .describe('How often, and when, a failed or interrupted run is attempted again.'),
  randomized_delay: duration
    .prefault('0s')
    .describe(
      'Delays the start by a time between 0 and this value, which is fixed for each job, so that jobs with the same slot do not start together.',
    ),
  locks: z
    .array(name)
    .default([])
    .describe('Names of locks. Jobs that share a lock never run at the same time.'),
  notify: z
    .array(z.enum(noticeKinds))
    .default([...noticeKinds])
    .describe('Events that operators are notified of: once when an outage begins and once when it ends.'),
  notify_to: z
    .array(addressee)
    .min(1)
    .optional()
    .describe(
      'Recipients of these notifications: mail addresses or names of routes. Defaults to mail.operators in tollkeeper.yaml.',
    ),
  heartbeat_url: heartbeatUrl
    .optional()
    .describe(
      'URL that is requested after each successful run, so that an external monitor can detect missing runs.',
    ),
});

/** Recipients of a job's mail, for the kinds that send some. */
export const jobMail = z.strictObject({ to: addresses.describe('Recipients.') });

/** Routes that a job's message goes to beside, or in place of, mail. */
export const jobPost = z.strictObject({
  to: z.array(routeName).min(1).describe('Names of routes declared in tollkeeper.yaml.'),
});

/** A run of such a kind covers all that the ones before it left: what `queue` and the like would add is nothing, or harm. */
const onlyForbid = concurrency
  .extract(['forbid'])
  .default('forbid')
  .register(fieldNotes, {
    advice:
      'remove it: a run of this kind continues where the previous one ended, so overlapping or queued runs would do the same work twice',
  })
  .describe(
    'Only forbid is accepted: a run of this kind continues where the previous one ended, so runs never overlap or queue.',
  );

const commonKeys = new Set(['kind', ...Object.keys(commonShape.shape)]);

/** The keys of a job that are its kind's own. */
export const ownKeys = (keys: readonly string[]): string[] => keys.filter((key) => !commonKeys.has(key));

/** The whole shape of one kind, common keys included. @throws RangeError when the kind redefines a common key. */
export const shapeOf = (kind: JobKind): z.ZodObject => {
  const clash = Object.keys(kind.shape.shape).find((key) => commonKeys.has(key));
  if (clash !== undefined) throw new RangeError(`kind ${kind.kind} redefines the common key ${clash}`);
  return z
    .strictObject({
      kind: z.literal(kind.kind),
      ...commonShape.shape,
      ...(kind.onlyForbid === true ? { concurrency: onlyForbid } : {}),
      ...kind.shape.shape,
    })
    .describe(kind.description);
};

/** When a failed run is tried again; waits in milliseconds. */
export type Retries = z.output<typeof retries>;

/** One declared job, checked. */
export type Job = {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly timezone: string;
  readonly schedule?: string | undefined;
  readonly dayMatch?: 'any' | 'all' | undefined;
  readonly suspend: boolean;
  /** Milliseconds, as are all spans of time here. */
  readonly timeout: number;
  readonly needs: readonly string[];
  readonly needsDeadline: number;
  readonly whenLate: 'run' | 'fail';
  readonly catchup: 'none' | 'latest' | 'all';
  readonly catchupWindow?: number | undefined;
  readonly maxCatchupRuns: number;
  readonly startingDeadline?: number | undefined;
  readonly concurrency: 'forbid' | 'queue' | 'replace' | 'allow';
  readonly retries: Retries;
  readonly randomizedDelay: number;
  readonly locks: readonly string[];
  readonly notify: readonly NoticeKind[];
  readonly notifyTo?: readonly string[] | undefined;
  readonly heartbeatUrl?: Secret | undefined;
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
