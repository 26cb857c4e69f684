import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { each, object, text, whole } from '../fields.ts';

/** docs/gateway.md G11.3 */
const button = object({ ...each(text, 'customId', 'emoji', 'label'), ...each(whole, 'type', 'style') });

/** docs/gateway.md G11.4 */
const properties = object({
  flags: whole,
  ...each(
    text,
    'notifyHook',
    'messageId',
    'messageHash',
    'nonce',
    'customId',
    'finalPrompt',
    'progressMessageId',
    'messageContent',
    'chatInstanceId',
    'chatChannelId',
  ),
}).partial();

/** docs/gateway.md G11.2 */
export const imageTask = defineModelEndpoint({
  name: 'image-task',
  method: 'GET',
  path: '/imgjob/task/{id}/fetch',
  statement: 'G11.1',
  summary: 'Show an image task, with the actions that it offers.',
  example: '{ "id": "TASK" }',
  input: z.looseObject({ id: z.string().min(1).describe('ID of the task') }),
  answer: object({
    ...each(
      text,
      'id',
      'action',
      'customId',
      'botType',
      'prompt',
      'promptEn',
      'description',
      'state',
      'imageUrl',
      'videoUrl',
      'status',
      'progress',
      'failReason',
    ),
    ...each(whole, 'submitTime', 'startTime', 'finishTime', 'imageHeight', 'imageWidth'),
    imageUrls: z.array(object({ url: text })).nullable(),
    // The contract says null; a list of links was seen.
    videoUrls: z.array(z.unknown()).nullable(),
    buttons: z.array(button).nullable(),
    properties: properties.nullish(),
  }),
  essential: ['id', 'status'],
  state: ({ status, progress, failReason }) => ({
    status: status ?? undefined,
    progress: progress ?? undefined,
    failReason: failReason ?? undefined,
  }),
});
