import { z } from 'zod';
import { adviceOf, type ProgressStep, type UnixMillis } from '../../core/index.ts';
import type { LedgerAttempt, LedgerRun } from '../../storage/index.ts';
import type { Item, Mark, Note, Text } from '../blocks.ts';
import { runTones } from '../tones.ts';
import { section, time, timed, timeRange, type Look } from './section.ts';

export type AttemptView = Omit<LedgerAttempt, 'job' | 'slot'>;

export type RunView = Omit<
  LedgerRun,
  'account' | 'version' | 'attempts' | 'claimedAt' | 'startedAt' | 'endedAt'
> & {
  /** Time zone of the job, in which its times are shown. */
  readonly zone: string;
  readonly attempts: readonly AttemptView[];
  /** What an open run waits for, as text. */
  readonly waiting?: string | undefined;
  /** The current step of a run in progress. */
  readonly progress?: ProgressStep | undefined;
};

export type JobView = {
  readonly job: string;
  readonly kind: string;
  readonly zone: string;
  readonly schedule?: string | undefined;
  readonly suspend: boolean;
  /** Missing without a schedule or while suspended. */
  readonly next?: UnixMillis | undefined;
  /** The last run that had an attempt, or was missed or skipped. */
  readonly last?: RunView | undefined;
  /** The latest unsuccessful run since the last success that has no retry, and the next step. */
  readonly failure?: { readonly run: RunView; readonly advice: string };
  /** The first slot that passed without a run; missing once a run had an attempt. */
  readonly missedFirst?: UnixMillis;
  /** End of the last successful run. */
  readonly lastGood?: UnixMillis | undefined;
  /** Start of the current outage; missing if it sends no notification to operators. */
  readonly outageSince?: UnixMillis | undefined;
};

export const runFacts = timed<RunView>({
  slot: time,
  through: time,
  interval: timeRange,
  nextAttempt: time,
  attempts: z.array(timed<AttemptView>({ startedAt: time, endedAt: time })),
});

/** What a job's name in a list, its badge and its card say of it. */
export const jobMark = ({ outageSince, failure, missedFirst, suspend, last }: JobView): Mark => {
  if (outageSince !== undefined) return { text: 'outage', tone: 'bad' };
  if (failure !== undefined) return { text: 'failed', tone: 'bad' };
  if (suspend) return { text: 'suspended', tone: 'quiet' };
  if (missedFirst !== undefined) return { text: 'never ran', tone: 'bad' };
  return last === undefined
    ? { text: 'not run yet', tone: 'quiet' }
    : { text: last.state, tone: runTones[last.state] };
};

const isDown = ({ outageSince, failure, missedFirst }: JobView): boolean =>
  outageSince !== undefined || failure !== undefined || missedFirst !== undefined;

const tookOf = (attempt: AttemptView | undefined, now: number): Text | undefined => {
  if (attempt === undefined) return undefined;
  const { startedAt, endedAt, state } = attempt;
  if (endedAt !== undefined) return { millis: endedAt - startedAt };
  return state === 'running' ? [{ millis: now - startedAt }, ' so far'] : undefined;
};

const nextOf = ({ suspend, schedule, next, zone }: JobView): Text | undefined => {
  if (suspend) return 'suspended';
  if (next !== undefined) return { at: next, zone, isAhead: true };
  return schedule === undefined ? 'by hand' : undefined;
};

/** Why a job is as it is: since when it is down, and what its run says. */
const notesOf = (job: JobView, now: number): readonly Note[] => {
  const { outageSince, missedFirst, lastGood, failure, zone } = job;
  const shown = failure?.run ?? job.last;
  const { code, reason, summary } = shown ?? {};
  const coded = code === undefined || reason === undefined ? reason : `${code}: ${reason}`;
  const why = coded ?? code ?? summary;
  const tone = isDown(job) ? 'bad' : 'quiet';
  return [
    ...(outageSince === undefined
      ? []
      : [
          {
            text: [
              'outage since ',
              { at: outageSince, zone },
              ' (',
              { millis: now - outageSince },
              ')',
              ...(lastGood === undefined ? [] : ['; last good run ', { at: lastGood, zone }]),
            ],
            tone,
          } as const,
        ]),
    ...(missedFirst === undefined || outageSince !== undefined
      ? []
      : [{ text: ['its first slot was ', { at: missedFirst, zone }], tone } as const]),
    ...(why === undefined ? [] : [{ text: why, tone, isShort: true } as const]),
  ];
};

const jobItem = (job: JobView, now: number): Item => {
  const { last, failure, zone } = job;
  const attempt = last?.attempts.at(-1);
  return {
    name: job.job,
    state: jobMark(job),
    about: job.kind,
    zone,
    cells: [
      {
        title: 'Last run',
        value: last === undefined ? undefined : { at: attempt?.startedAt ?? last.slot, zone },
      },
      { title: 'Took', value: tookOf(attempt, now), spare: 2 },
      { title: 'Next', value: nextOf(job) },
    ],
    notes: notesOf(job, now),
    advice: failure?.advice ?? (last === undefined || last.state === 'ok' ? undefined : adviceOf(last.code)),
    isBad: isDown(job),
    strip: job.job,
    actions: [{ name: 'run', label: 'Run now', fields: [['job', job.job]] }],
  };
};

const named = (jobs: readonly JobView[], one: string, more: string): readonly string[] =>
  jobs.length === 0 ? [] : [`${jobs.length === 1 ? one : more}: ${jobs.map(({ job }) => job).join(', ')}`];

export const jobsSection = section({
  path: 'jobs',
  facts: z
    .array(
      timed<JobView>({
        next: time,
        lastGood: time,
        outageSince: time,
        missedFirst: time,
        failure: timed<NonNullable<JobView['failure']>>({ run: runFacts }),
        last: runFacts,
      }),
    )
    .readonly(),
  ofTeam: (jobs, { isOwnJob }) => jobs.filter(({ job }) => isOwnJob(job)),
  needsPerson: (jobs) => {
    const outside = jobs.filter(({ outageSince }) => outageSince === undefined);
    const missed = outside.filter(({ missedFirst }) => missedFirst !== undefined);
    const failed = outside.filter(({ failure }) => failure !== undefined);
    const outages = jobs.filter(({ outageSince }) => outageSince !== undefined);
    return [
      ...named(missed, 'job never ran and missed the first slot', 'jobs never ran and missed the first slot'),
      ...named(outages, 'job in outage', 'jobs in outage'),
      ...named(failed, 'job failed', 'jobs failed'),
    ];
  },
  blocks: (jobs, { now, team }) => {
    if (jobs.length === 0)
      return team === undefined
        ? [{ title: 'Jobs', notes: [{ text: 'no jobs are configured: add jobs to jobs/*.yaml' }] }]
        : [];
    const ordered = (down: boolean) => jobs.filter((job) => isDown(job) === down);
    return [
      { title: 'Jobs', on: 'terminal', noun: 'Job', items: jobs.map((job) => jobItem(job, now)) },
      {
        title: 'Jobs',
        on: 'page',
        items: [...ordered(true), ...ordered(false)].map((job) => jobItem(job, now)),
        most: 200,
        all: 'tollkeeper status',
      },
    ];
  },
});

const progressText = ({ step, done, total, rows, detail }: ProgressStep): string =>
  [
    detail === undefined ? step : `${step} ${detail}`,
    ...(done === undefined ? [] : [total === undefined ? String(done) : `${done} of ${total}`]),
    ...(rows === undefined ? [] : [`${rows.toLocaleString('en')} rows`]),
  ].join(', ');

/** What a run waits for, or for how long it has been running. */
const standing = (run: RunView, now: number): Text | undefined => {
  const { nextAttempt, attempts, waiting, zone, state } = run;
  if (nextAttempt !== undefined && nextAttempt > now)
    return [
      `${attempts.length === 0 ? 'begins' : 'next attempt'} `,
      { at: nextAttempt, zone },
      ' (',
      { at: nextAttempt, isAhead: true },
      ')',
    ];
  if (waiting !== undefined) return `waiting for ${waiting}`;
  if (state === 'running') return tookOf(attempts.at(-1), now);
  return nextAttempt === undefined ? undefined : 'about to start';
};

const openItem = (run: RunView, { now }: Look): Item => {
  const stands = standing(run, now);
  return {
    name: run.job,
    state: { text: run.state, tone: runTones[run.state] },
    cells: [{ title: 'Slot', value: { at: run.slot, zone: run.zone, isExact: true } }],
    notes: [
      ...(stands === undefined ? [] : [{ text: stands }]),
      ...(run.progress === undefined ? [] : [{ text: progressText(run.progress) }]),
    ],
  };
};

export const openSection = section({
  path: 'open',
  facts: z.array(runFacts).readonly(),
  ofTeam: (runs, { isOwnJob }) => runs.filter(({ job }) => isOwnJob(job)),
  blocks: (runs, look) =>
    runs.length === 0
      ? []
      : [
          {
            title: 'Open runs',
            noun: 'Open run',
            items: runs.map((run) => openItem(run, look)),
            most: 200,
            all: 'tollkeeper runs',
          },
        ],
});
