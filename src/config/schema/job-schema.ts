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

/** A job as the rules of kinds receive it. */
export type RuledJob = {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly suspended: boolean;
  readonly hasSchedule: boolean;
  /** Maximum milliseconds between two of its slots; undefined when it has none, or when unknown. */
  readonly longestSpace: () => number | undefined;
  /** The parsed job; omitted when it has faults. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
};

/** A fault that a kind reports for a job; the message follows the name of the location. */
export type KindFault = {
  /** Within the job; empty for the job as a whole. */
  readonly path: YamlPath;
  /** Whether the key is at fault, and not its value. */
  readonly onKey?: boolean;
  readonly message: string;
  readonly advice: string;
  /** Reports that no other job does something: only shown when every job of every file is known. */
  readonly ofAbsence?: boolean;
};

/** A kind of job: its own keys besides the common ones. The list of kinds is an argument. */
export type JobKind = {
  readonly kind: string;
  readonly description: string;
  /**
   * Each run continues where the previous one ended, so parallel or queued runs are useless or harmful: only `forbid`
   * is accepted.
   */
  readonly onlyForbid?: boolean;
  readonly shape: z.ZodObject;
  /** Whether a job without a schedule runs on that of the first job in `needs`. */
  readonly runsAfterNeeds?: boolean;
  /** Whether its jobs notify operators by themselves, and name budgets. */
  readonly sendsAlerts?: boolean;
  /** Whether it gives this name to an alert that is about no budget: no budget can have it. */
  readonly reservesName?: (name: string) => boolean;
  /** Rules of the kind for valid jobs, with access to the other jobs. */
  readonly faults?: (job: RuledJob, all: readonly RuledJob[]) => readonly KindFault[];
};

/** The events of a job that can cause a notification to operators. */
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

/** Keys of jobs of every kind. */
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
  needs: z.array(jobName).prefault([]).describe('Jobs whose data this job waits for.'),
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
    .describe('Events that notify operators: once when an outage begins and once when it ends.'),
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

/** A folder that a job writes or reads; relative paths start at the working directory. */
export const jobFolder = z
  .string()
  .min(1)
  .refine((value) => !value.includes('\0'), { error: 'must be a path' });

/** Recipients of a job's mail, for kinds that send mail. */
export const jobMail = z.strictObject({ to: addresses.describe('Recipients.') });

/** Routes for a job's message, in addition to or instead of mail. */
export const jobPost = z.strictObject({
  to: z.array(routeName).min(1).describe('Names of routes declared in tollkeeper.yaml.'),
});

/** A run of such a kind covers everything that earlier runs left: `queue` and the like would have no benefit. */
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

/** The keys of a job that belong to its kind only. */
export const ownKeys = (keys: readonly string[]): string[] => keys.filter((key) => !commonKeys.has(key));

/** The complete schema of one kind, including common keys. @throws RangeError when the kind redefines a common key. */
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

/** When a failed run is retried; waits in milliseconds. */
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
  /** Milliseconds, like all durations here. */
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
  /** The kind's own keys, as parsed; read them through `fieldsOf`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The position of its declaration. */
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
