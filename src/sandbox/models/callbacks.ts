import type { State } from '../state.ts';
import { imageRecord } from './image-record.ts';
import { musicRecord } from './music-record.ts';
import { stagesOf } from './stages.ts';
import type { Task } from './task.ts';

const isLoopbackHook = (hook: string): boolean => {
  if (!URL.canParse(hook)) return false;
  const { protocol, hostname } = new URL(hook);
  return protocol === 'http:' && /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/u.test(hostname);
};

/** The record of a task as a fetch would show it at that moment. */
export const recordAt = (state: State, task: Task, now: number) =>
  task.kind === 'image' ? imageRecord(state, task, now) : musicRecord(state, task, now);

/** Calls the address of a task once for each change, unsigned (docs/gateway.md G9.4); only addresses of this machine. */
export const notify = (state: State, task: Task): void => {
  if (state.variants.callbacks === 'lost' || !isLoopbackHook(task.hook)) return;
  for (const { since } of stagesOf(task, state, Infinity).slice(1))
    state.later.put(since, () =>
      state.callbacks.post(task.hook, JSON.stringify(recordAt(state, task, since))),
    );
};
