import { z } from 'zod';
import { defineModelEndpoint, type Refusal, type TaskId } from '../endpoint.ts';
import { each, object, text, whole } from '../fields.ts';
import type { Served } from '../read-answer.ts';

// Fields that several submissions of image tasks take (docs/gateway.md G11.6 to G11.9).

const botType = z.enum(['STANDARD_BOT', 'STYLIZED_BOT']).optional().describe('bot that makes the images');

const notifyHook = z.string().min(1).optional().describe('URL that receives each change of the task');

const state = z.string().optional().describe('text of your own, shown in the task');

const noStorage = z.boolean().optional().describe('return the original link of the image');

/** docs/gateway.md G11.10: what the codes mean that are no error. */
const submissionCodes: Readonly<Record<number, string>> = {
  1: 'accepted',
  21: 'window waiting',
  22: 'queued',
  23: 'queue full',
};

const imageAnswer = object({
  code: whole,
  description: text,
  result: text,
  properties: object({}).nullish(),
});

type ImageAnswer = Served<z.output<typeof imageAnswer>>;

/** docs/gateway.md G11.5 */
const imageSubmission = {
  answers: 'task' as const,
  answer: imageAnswer,
  essential: ['code'],
  /** A full queue has taken nothing (G11.10); the other codes name a task. */
  refusal: ({ code, description, result }: ImageAnswer): Refusal | undefined => {
    const meaning = code == null ? undefined : submissionCodes[code];
    const hasTask = result != null && result !== '';
    // An accepted one without a task is charged all the same: its deviation is named.
    if (code === 1 || (meaning !== undefined && code !== 23 && hasTask)) return undefined;
    return {
      code: `${code ?? ''}${meaning === undefined ? '' : `, ${meaning}`}`,
      message: description ?? '',
    };
  },
  task: ({ result }: ImageAnswer): TaskId | undefined =>
    result == null || result === '' ? undefined : { kind: 'image', id: result },
};

/** docs/gateway.md G11.6 */
export const imagine = defineModelEndpoint({
  name: 'imagine',
  method: 'POST',
  path: '/imgjob/submit/imagine',
  statement: 'G11.6',
  summary: 'Make images from a prompt.',
  example: '{ "prompt": "a lighthouse at dusk", "botType": "STYLIZED_BOT" }',
  input: z.looseObject({
    prompt: z.string().min(1).describe('what the images show'),
    botType,
    base64Array: z
      .array(z.string().min(1))
      .nullable()
      .optional()
      .describe('image to begin with; can be repeated')
      .meta({ flag: 'image', file: 'data-uri' }),
    notifyHook: notifyHook.nullable(),
    noStorage,
    accountFilter: z.looseObject({}).optional().describe('account filter, as JSON'),
  }),
  ...imageSubmission,
});

/** docs/gateway.md G11.7 */
export const blend = defineModelEndpoint({
  name: 'blend',
  method: 'POST',
  path: '/imgjob/submit/blend',
  statement: 'G11.7',
  summary: 'Blend several images into one.',
  example:
    '{ "base64Array": ["data:image/png;base64,…", "data:image/png;base64,…"], "dimensions": "SQUARE" }',
  input: z.looseObject({
    base64Array: z
      .array(z.string().regex(/^data:[^,]*;base64,/, 'expected a data URI in base64'))
      .min(1)
      .describe('image to blend; repeat it for each image')
      .meta({ flag: 'image', file: 'data-uri' }),
    botType,
    dimensions: z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE']).optional().describe('2:3, 1:1 or 3:2'),
    notifyHook,
    state,
  }),
  ...imageSubmission,
});

/** docs/gateway.md G11.8 */
export const describe = defineModelEndpoint({
  name: 'describe',
  method: 'POST',
  path: '/imgjob/submit/describe',
  statement: 'G11.8',
  summary: 'Describe an image in words.',
  example: '{ "link": "https://example.com/image.png", "language": "zh" }',
  input: z.looseObject({
    base64: z
      .string()
      .min(1)
      .optional()
      .describe('image to describe')
      .meta({ flag: 'image', file: 'data-uri' }),
    link: z.string().min(1).optional().describe('link to the image'),
    notifyHook,
    language: z.enum(['in', 'zh']).optional().describe('language of the description'),
  }),
  check: ({ base64, link }) =>
    (base64 === undefined) === (link === undefined) ? ['exactly one of base64 and link is required'] : [],
  ...imageSubmission,
});

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

/** docs/gateway.md G11.11 and G11.12 */
export const uploadImages = defineModelEndpoint({
  name: 'upload-images',
  method: 'POST',
  path: '/imgjob/submit/upload-chat-images',
  answers: 'json',
  statement: 'G11.11',
  summary: 'Upload images, and get a link for each.',
  example: '{ "base64Array": ["data:image/png;base64,…"] }',
  input: z.looseObject({
    base64Array: z
      .array(z.string().min(1))
      .min(1)
      .describe('image to upload; can be repeated')
      .meta({ flag: 'image', file: 'data-uri' }),
  }),
  answer: object({ code: whole, description: text, result: z.array(text) }),
  essential: ['code'],
  refusal: ({ code, description }) =>
    code === 1 ? undefined : { code: String(code ?? ''), message: description ?? '' },
});

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
  answers: 'json',
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
