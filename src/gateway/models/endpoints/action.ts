import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { noStorage, notifyHook, state } from './image-fields.ts';
import { imageSubmission } from './submission.ts';

/** docs/gateway.md G11.9 */
export const action = defineModelEndpoint({
  name: 'action',
  method: 'POST',
  path: '/imgjob/submit/action',
  statement: 'G11.9',
  summary: 'Run a follow-up action that an image task offers in its buttons.',
  example: '{ "taskId": "TASK", "customId": "MJ::JOB::upsample::1::…" }',
  input: z.looseObject({
    customId: z.string().min(1).describe('the action, from a button of the task'),
    taskId: z.string().min(1).describe('ID of the task'),
    enableRemix: z.boolean().optional().describe('allow the prompt to be edited again'),
    notifyHook,
    state,
    noStorage,
  }),
  ...imageSubmission,
});
