import type { State } from '../state.ts';
import type { Outcome, Task } from './task.ts';

export type Stage = { readonly status: string; readonly progress: number; readonly since: number };

type Step = readonly [after: number, status: string, progress: number];

const imageSteps: Readonly<Record<string, readonly Step[]>> = {
  plain: [],
  modal: [[700, 'MODAL', 0]],
  unseen: [[2500, 'PAINTING', 30]],
  'lower-case': [],
};

const endings: Readonly<Record<Outcome, string | undefined>> = {
  success: 'SUCCESS',
  failure: 'FAILURE',
  cancel: 'CANCEL',
  endless: undefined,
};

/** Milliseconds after the submission at which an image task changes, and its new status (docs/gateway.md G9.5). */
const stepsOf = ({ kind, outcome }: Task, { variants }: State): readonly Step[] => {
  // Music tasks cannot be cancelled.
  const ending = endings[kind === 'music' && outcome === 'cancel' ? 'failure' : outcome];
  const last: readonly Step[] =
    ending === undefined ? [] : [[kind === 'image' ? 6000 : 8000, ending, ending === 'SUCCESS' ? 100 : 0]];
  if (kind === 'music')
    return [
      [0, 'NOT_START', 0],
      [300, 'SUBMITTED', 0],
      [1000, 'QUEUED', 0],
      ...(variants.music_task_states === 'unknown' ? ([[1500, 'UNKNOWN', 0]] as const) : []),
      [2000, 'IN_PROGRESS', 10],
      [5000, 'IN_PROGRESS', 60],
      ...last,
    ];
  const more = imageSteps[variants.image_task_states] ?? [];
  const steps: readonly Step[] = [
    [0, 'NOT_START', 0],
    [300, 'SUBMITTED', 0],
    [1000, 'IN_PROGRESS', 0],
    [2000, 'IN_PROGRESS', 25],
    [3500, 'IN_PROGRESS', 50],
    [5000, 'IN_PROGRESS', 75],
    ...more,
    ...last,
  ];
  const ordered = steps.toSorted(([left], [right]) => left - right);
  return variants.image_task_states === 'lower-case'
    ? ordered.map(([after, status, progress]) => [after, status.toLowerCase(), progress])
    : ordered;
};

/** All stages up to `now` (milliseconds). */
export const stagesOf = (task: Task, state: State, now: number): readonly Stage[] =>
  stepsOf(task, state)
    .filter(([after]) => task.submittedAt + after <= now)
    .map(([after, status, progress]) => ({ status, progress, since: task.submittedAt + after }));

export const stageOf = (task: Task, state: State, now = state.now()): Stage =>
  stagesOf(task, state, now).at(-1) ?? { status: 'NOT_START', progress: 0, since: task.submittedAt };

export const hasSucceeded = ({ status }: Stage): boolean => status.toUpperCase() === 'SUCCESS';
export const hasFailed = ({ status }: Stage): boolean => ['FAILURE', 'CANCEL'].includes(status.toUpperCase());
