import { json, unknownRoute, type Answer } from '../answer.ts';
import type { StoredKey } from '../keys.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { models } from '../traffic/models.ts';
import { actionOf, buttonsOf, imageRecord } from './image-record.ts';
import { imageLink, seedOf } from './files.ts';
import { badCall, bookCall } from './model-call.ts';
import { readBody, textIn, type Body, type Rule } from './read-body.ts';
import { progressOf } from './stages.ts';
import type { Task } from './task.ts';
import { submitTask } from './tasks.ts';

const botType = ['STANDARD_BOT', 'STYLIZED_BOT'] as const;

type Submission = Partial<Task> & Pick<Task, 'action'>;

/** The answer to a submission (docs/gateway.md G11.5); a refused one costs nothing. */
const submitted = (state: State, request: Request, key: StoredKey, submission: Submission): Answer => {
  const [code, description] = state.variants.image_submission;
  if (code === 23 || code === 4) return json(200, { code, description, result: '', properties: {} });
  const task = submitTask(state, key, models.imageTask, {
    kind: 'image',
    origin: request.origin,
    ...submission,
  });
  return json(200, { code, description, result: task.id, properties: {} });
};

/** The body, or the refusal of an invalid one. */
const bodyOf = (
  { variants }: State,
  request: Request,
  rules: Readonly<Record<string, Rule>>,
): Body | string => {
  const body = readBody(request.body, rules);
  if (typeof body === 'string') return body;
  const images = body['base64Array'];
  const most = variants.base64_images;
  return Array.isArray(images) && images.length > most ? `base64Array can have ${most} images at most` : body;
};

/** A kind of submission: its fields, and the task for a valid body, or the reason why it is invalid. */
const submission =
  (rules: Readonly<Record<string, Rule>>, taskOf: (body: Body, state: State) => Submission | string) =>
  (state: State, request: Request, key: StoredKey): Answer => {
    const body = bodyOf(state, request, rules);
    if (typeof body === 'string') return badCall(body);
    const task = taskOf(body, state);
    return typeof task === 'string'
      ? badCall(task)
      : submitted(state, request, key, {
          hook: textIn(body, 'notifyHook'),
          state: textIn(body, 'state'),
          botType: textIn(body, 'botType'),
          ...task,
        });
  };

const common = { notifyHook: 'string', state: 'string' } as const;

/** POST /imgjob/submit/imagine (docs/gateway.md G11.6). */
export const imagine = submission(
  {
    ...common,
    prompt: 'string!',
    botType,
    base64Array: 'images',
    noStorage: 'bool',
    accountFilter: 'object',
  },
  (body) => ({ action: 'IMAGINE', prompt: textIn(body, 'prompt') }),
);

const dimensions = {
  PORTRAIT: { width: 682, height: 1024 },
  SQUARE: { width: 1024, height: 1024 },
  LANDSCAPE: { width: 1024, height: 682 },
} as const;

const isDataUri = (value: unknown): boolean => typeof value === 'string' && value.startsWith('data:');

/** POST /imgjob/submit/blend (docs/gateway.md G11.7). */
export const blend = submission(
  { ...common, base64Array: 'images!', botType, dimensions: Object.keys(dimensions) },
  (body) => {
    const images = body['base64Array'] as readonly unknown[];
    if (!images.every(isDataUri)) return 'base64Array must be data URIs in base64';
    const size = dimensions[(textIn(body, 'dimensions') || 'SQUARE') as keyof typeof dimensions];
    return { action: 'BLEND', prompt: `${images.length} images`, ...size };
  },
);

/** POST /imgjob/submit/describe (docs/gateway.md G11.8). */
export const describe = submission(
  { notifyHook: 'string', base64: 'image', link: 'string', language: ['in', 'zh'] },
  (body) => {
    const given = ['base64', 'link'].filter((name) => textIn(body, name) !== '');
    if (given.length !== 1) return 'exactly one of base64 and link is required';
    return { action: 'DESCRIBE', prompt: textIn(body, 'link') };
  },
);

/** POST /imgjob/submit/action (docs/gateway.md G11.9). */
export const action = submission(
  { ...common, customId: 'string!', taskId: 'string!', enableRemix: 'bool', noStorage: 'bool' },
  (body, state) => {
    const task = state.tasks.get(textIn(body, 'taskId'));
    if (task?.kind !== 'image') return 'taskId: there is no such task';
    if (!progressOf(task, state).done) return 'taskId: the task has not succeeded';
    const customId = textIn(body, 'customId');
    if (!buttonsOf(task).some((button) => button.customId === customId))
      return 'customId: the task offers no such action';
    const { prompt, botType: bot, width, height } = task;
    return {
      action: actionOf(customId),
      prompt,
      width,
      height,
      ...(textIn(body, 'botType') === '' ? { botType: bot } : {}),
    };
  },
);

/** POST /imgjob/submit/upload-chat-images (docs/gateway.md G11.11). */
export const uploadImages = (state: State, request: Request, key: StoredKey): Answer => {
  const body = bodyOf(state, request, { base64Array: 'images!' });
  if (typeof body === 'string') return badCall(body);
  const images = body['base64Array'] as readonly string[];
  bookCall(state, key, models.imageUpload, { usage: {}, stream: false });
  const result = images.map((image) => imageLink(request, seedOf(image), 256, 256));
  return json(200, { code: 1, description: 'success', result });
};

/** GET /imgjob/task/{id}/fetch (docs/gateway.md G11.1). */
export const fetchImageTask = (state: State, { id }: Request): Answer => {
  const task = state.tasks.get(id);
  if (task?.kind === 'image') return json(200, imageRecord(state, task));
  return state.variants.missing_task === 'null' ? json(200, null) : unknownRoute(state.variants);
};
