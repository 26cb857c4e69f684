import type { State } from '../state.ts';
import { hasFailed, hasSucceeded, stageOf, stagesOf } from './stages.ts';
import type { Task } from './task.ts';

export const clipIdOf = ({ seed }: Task): string => `clip-${seed}`;

/** GET /music/fetch/{task_id} (docs/gateway.md G10.6). Times are seconds unless the variant says milliseconds. */
export const musicRecord = (state: State, task: Task, now = state.now()) => {
  const { variants } = state;
  const stage = stageOf(task, state, now);
  const time = (millis: number): number =>
    variants.music_task_times === 'milliseconds' ? Math.floor(millis) : Math.floor(millis / 1000);
  if (variants.music_task_data === 'null-at-first' && stage.status === 'NOT_START')
    return { code: 'success', message: '', data: null };
  const done = hasSucceeded(stage);
  const failed = hasFailed(stage);
  const started = stagesOf(task, state, now).find(({ status }) => status === 'IN_PROGRESS');
  return {
    code: 'success',
    message: '',
    data: {
      task_id: task.id,
      notify_hook: task.hook,
      action: task.action,
      status: stage.status,
      fail_reason: failed ? 'the audio could not be read' : '',
      submit_time: time(task.submittedAt),
      start_time: started === undefined ? 0 : time(started.since),
      finish_time: done || failed ? time(stage.since) : 0,
      progress: `${stage.progress}%`,
      data: done
        ? {
            id: clipIdOf(task),
            text: '',
            title: task.prompt === '' ? 'Untitled' : task.prompt,
            status: 'complete',
          }
        : { id: '', text: '', title: '', status: '' },
    },
  };
};
