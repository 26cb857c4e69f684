import { backoff, fault, shellWord, type Secret } from '../../core/index.ts';
import { callModel, type ModelCallOptions, type ModelDeps, type ModelResult } from './call-model.ts';
import type { TaskId, TaskState } from './endpoint.ts';
import { imageTask } from './endpoints/image-tasks.ts';
import { musicTask } from './endpoints/music.ts';
import type { z } from 'zod';

/** Whether a state ends a task; any other, known or not, is waited for (docs/gateway.md G9.5). */
export const endOf = (status: string | undefined): 'success' | 'failure' | undefined => {
  const word = status?.toUpperCase();
  if (word === 'SUCCESS') return 'success';
  return word === 'FAILURE' || word === 'CANCEL' ? 'failure' : undefined;
};

export type TaskRecord =
  | { readonly kind: 'image'; readonly record: ModelResult<z.output<typeof imageTask.answer>> }
  | { readonly kind: 'music'; readonly record: ModelResult<z.output<typeof musicTask.answer>> };

export const fetchTask = async (
  deps: ModelDeps,
  key: Secret,
  { kind, id }: TaskId,
  options: ModelCallOptions,
): Promise<TaskRecord> =>
  kind === 'image'
    ? { kind, record: await callModel(deps, imageTask, key, { id }, options) }
    : { kind, record: await callModel(deps, musicTask, key, { task_id: id }, options) };

export const stateOf = (task: TaskRecord): TaskState => {
  const empty = { status: undefined, progress: undefined, failReason: undefined };
  if (task.kind === 'image') return imageTask.state?.(task.record.value) ?? empty;
  return musicTask.state?.(task.record.value) ?? empty;
};

/** Milliseconds: some tasks take seconds, most a minute. */
const pace = { attempts: Infinity, initial: 2000, max: 15_000, longestRetryAfter: 60_000 };

export type WaitOptions = ModelCallOptions & {
  /** Milliseconds until waiting ends; the task goes on. */
  readonly deadline: number;
  readonly onState?: ((state: TaskState) => void) | undefined;
};

/**
 * Polls a task until it ends: callbacks can be lost (docs/gateway.md G9.4). @throws Fault `model-task-failed`,
 * `model-task-unfinished` at the deadline, and what a fetch throws once its retries are used up
 */
export const waitForTask = async (
  deps: ModelDeps,
  key: Secret,
  task: TaskId,
  { deadline, onState, ...options }: WaitOptions,
): Promise<TaskRecord> => {
  const { clock, random, secrets } = deps;
  const end = clock.now() + deadline;
  for (let attempt = 1; ; attempt += 1) {
    const found = await fetchTask(deps, key, task, options);
    const state = stateOf(found);
    onState?.(state);
    const outcome = endOf(state.status);
    if (outcome === 'success') return found;
    const { failReason } = state;
    const name = secrets.redact(task.id).slice(0, 100);
    const shown = secrets.redact(state.status ?? 'not known yet').slice(0, 60);
    if (outcome === 'failure') {
      const reason =
        failReason === undefined || failReason === ''
          ? ''
          : `: “${secrets.redact(failReason).slice(0, 200)}”`;
      throw fault('model-task-failed', `the ${task.kind} task ${name} ended with ${shown}${reason}`);
    }
    const left = end - clock.now();
    if (left <= 0)
      throw fault(
        'model-task-unfinished',
        `the ${task.kind} task ${name} has not ended after ${Math.round(deadline / 1000)} s; its state is ${shown}`,
        {
          advice: `the task goes on at the gateway; show it later with \`tollkeeper call ${task.kind}-task ${task.kind === 'image' ? '--id' : '--task-id'} ${shellWord(name)}\``,
        },
      );
    // At least half of the pace, so that tasks are not polled in bursts.
    const bound = Math.min(pace.max, pace.initial * 2 ** Math.min(attempt - 1, 10));
    const wait = bound / 2 + backoff({ ...pace, initial: bound, max: bound }, 1, random) / 2;
    await clock.wait(Math.min(Math.floor(wait), left), options.signal);
  }
};
