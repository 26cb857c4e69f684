import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { each, object, text, whole } from '../fields.ts';

const song = object(each(text, 'id', 'text', 'title', 'status'));

/** docs/gateway.md G10.6. `data` is null while the task is not known yet. */
export const musicTask = defineModelEndpoint({
  name: 'music-task',
  method: 'GET',
  path: '/music/fetch/{task_id}',
  statement: 'G10.6',
  summary: 'Show a music task.',
  example: '{ "task_id": "TASK" }',
  input: z.looseObject({ task_id: z.string().min(1).describe('ID of the task') }),
  answer: object({
    code: text,
    message: text,
    data: object({
      ...each(text, 'task_id', 'notify_hook', 'action', 'status', 'fail_reason', 'progress'),
      ...each(whole, 'submit_time', 'start_time', 'finish_time'),
      // A task that makes several songs has a list of them.
      data: z.union([song, z.array(song)]).nullable(),
    }).nullable(),
  }),
  essential: ['code'],
  refusal: ({ code, message }) =>
    code === 'success' ? undefined : { code: code ?? '', message: message ?? '' },
  state: ({ data }) => ({
    status: data?.status ?? undefined,
    progress: data?.progress ?? undefined,
    failReason: data?.fail_reason ?? undefined,
  }),
});
