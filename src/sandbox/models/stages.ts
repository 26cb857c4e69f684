import type { State } from '../state.ts';
import type { Outcome, Step, Task } from './task.ts';

export type Stage = { readonly status: string; readonly progress: number; readonly since: number };

const endings: Readonly<Record<Outcome, string | undefined>> = {
  success: 'SUCCESS',
  failure: 'FAILURE',
  cancel: 'CANCEL',
  endless: undefined,
};

const kinds = {
  image: {
    endsAfter: 6000,
    steps: [
      [0, 'NOT_START', 0],
      [300, 'SUBMITTED', 0],
      [1000, 'IN_PROGRESS', 0],
      [2000, 'IN_PROGRESS', 25],
      [3500, 'IN_PROGRESS', 50],
      [5000, 'IN_PROGRESS', 75],
    ],
  },
  music: {
    endsAfter: 8000,
    steps: [
      [0, 'NOT_START', 0],
      [300, 'SUBMITTED', 0],
      [1000, 'QUEUED', 0],
      [2000, 'IN_PROGRESS', 10],
      [5000, 'IN_PROGRESS', 60],
    ],
  },
} as const satisfies Record<Task['kind'], { endsAfter: number; steps: readonly Step[] }>;

/** How a task changes (docs/gateway.md G9.5). */
const stepsOf = ({ kind, outcome }: Task, { variants }: State): readonly Step[] => {
  // Music tasks cannot be cancelled.
  const ending = endings[kind === 'music' && outcome === 'cancel' ? 'failure' : outcome];
  const { endsAfter, steps } = kinds[kind];
  const all: readonly Step[] =
    ending === undefined ? steps : [...steps, [endsAfter, ending, ending === 'SUCCESS' ? 100 : 0]];
  const vary = kind === 'image' ? variants.image_task_states : variants.music_task_states;
  return vary(all).toSorted(([left], [right]) => left - right);
};

/** All stages up to `now` (milliseconds). */
export const stagesOf = (task: Task, state: State, now: number): readonly Stage[] =>
  stepsOf(task, state)
    .filter(([after]) => task.submittedAt + after <= now)
    .map(([after, status, progress]) => ({ status, progress, since: task.submittedAt + after }));

const isNamed = ({ status }: Stage, ...names: readonly string[]): boolean =>
  names.includes(status.toUpperCase());

export const hasFailed = (stage: Stage): boolean => isNamed(stage, 'FAILURE', 'CANCEL');

/** What the records of all tasks show; times are in units of `unit` milliseconds, and 0 for what has not happened. */
export const progressOf = (task: Task, state: State, now = state.now(), unit = 1) => {
  const stages = stagesOf(task, state, now);
  const stage = stages.at(-1) ?? { status: 'NOT_START', progress: 0, since: task.submittedAt };
  const done = isNamed(stage, 'SUCCESS');
  const failed = hasFailed(stage);
  const started = stages.find((one) => isNamed(one, 'IN_PROGRESS'));
  const time = (millis: number): number => Math.floor(millis / unit);
  return {
    status: stage.status,
    progress: `${stage.progress}%`,
    done,
    failed,
    submitted: time(task.submittedAt),
    started: started === undefined ? 0 : time(started.since),
    finished: done || failed ? time(stage.since) : 0,
  };
};
