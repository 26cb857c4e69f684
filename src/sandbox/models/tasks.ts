import type { State } from '../state.ts';
import { inUnits } from '../traffic/day.ts';
import { charge, type Model } from '../traffic/models.ts';
import { plainRow } from '../traffic/row.ts';
import { seedOf } from './files.ts';
import { bookCall, type Call } from './model-call.ts';
import { hasFailed, stagesOf } from './stages.ts';
import type { Outcome, Task } from './task.ts';
import { imageRecord } from './image-record.ts';
import { musicRecord } from './songs.ts';

const isLoopbackHook = (hook: string): boolean => {
  if (!URL.canParse(hook)) return false;
  const { protocol, hostname } = new URL(hook);
  return protocol === 'http:' && /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/u.test(hostname);
};

const records = { image: imageRecord, music: musicRecord } as const;

/** Calls the callback URL once per change, unsigned (docs/gateway.md G9.4); only addresses of this machine. */
const notify = (state: State, task: Task): void => {
  if (!state.variants.callbacks || !isLoopbackHook(task.hook)) return;
  for (const { since } of stagesOf(task, state, Infinity).slice(1))
    state.later.put(since, () =>
      state.callbacks.post(task.hook, JSON.stringify(records[task.kind](state, task, since))),
    );
};

/** Seconds between a failure and its refund (docs/gateway.md G16.3). */
const REFUND_AFTER = { image: 1800, music: 43_200 };

/** The refund of a failed task is a row without a key. */
const planRefund = (state: State, task: Task, model: Model): void => {
  const failed = stagesOf(task, state, Infinity).find(hasFailed);
  if (failed === undefined || !state.variants.refund_rows) return;
  const at = failed.since + REFUND_AFTER[task.kind] * 1000;
  state.later.put(at, () => {
    const paid = charge(model, plainRow('consumption', 0, {}));
    const grains = -(state.wholeUnits ? inUnits(paid) : paid);
    const row = { model, grains, live: true, content: `${task.kind} task failed` } as const;
    state.ledger.book(plainRow('refund', Math.floor(at / 1000), row));
  });
};

type Submission = Pick<Task, 'kind' | 'action'> & Partial<Task>;

const outcomeOf = ({ variants }: State, prompt: string): Outcome => {
  const word = /\[(fail|cancel|endless)\]/u.exec(prompt)?.[1];
  if (word === undefined) return variants.task_outcome;
  return word === 'fail' ? 'failure' : (word as Outcome);
};

export const submitTask = (call: Call, model: Model, submission: Submission): Task => {
  const { state, request } = call;
  const number = state.tasks.size + 1;
  const { kind, prompt = '' } = submission;
  const id = kind === 'image' ? `${17_000_000_000_000 + number}` : `task-${String(number).padStart(8, '0')}`;
  const task: Task = {
    id,
    submittedAt: state.now(),
    outcome: outcomeOf(state, prompt),
    seed: seedOf(`${id}${prompt}`),
    prompt,
    botType: '',
    state: '',
    hook: '',
    width: 1024,
    height: 1024,
    clip: '',
    origin: request.origin,
    ...submission,
  };
  state.tasks.set(id, task);
  bookCall(call, model);
  planRefund(state, task, model);
  notify(state, task);
  return task;
};
