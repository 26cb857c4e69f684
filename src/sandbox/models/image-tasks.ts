import { json, unknownRoute, type Answer } from '../answer.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { models } from '../traffic/models.ts';
import { actionOf, buttonsOf, imageRecord } from './image-record.ts';
import { imageLink, seedOf } from './files.ts';
import { bookCall, modelCall, type Call } from './model-call.ts';
import { textIn, type Rule } from './read-body.ts';
import { progressOf } from './stages.ts';
import type { Task } from './task.ts';
import { submitTask } from './tasks.ts';

const botType = ['STANDARD_BOT', 'STYLIZED_BOT'] as const;

type Submission = Partial<Task> & Pick<Task, 'action'>;

/** The answer to a submission (docs/gateway.md G11.5); a refused one costs nothing. */
const submitted = (call: Call, submission: Submission): Answer => {
  const [code, description] = call.state.variants.image_submission;
  const isRefused = code === 23 || code === 4;
  const result = isRefused ? '' : submitTask(call, models.imageTask, { kind: 'image', ...submission }).id;
  return json(200, { code, description, result, properties: {} });
};

const tooMany = ({ state, body }: Call): string | undefined => {
  const images = body['base64Array'];
  const most = state.variants.base64_images;
  return Array.isArray(images) && images.length > most
    ? `base64Array can have ${most} images at most`
    : undefined;
};

/** A kind of submission: its fields, and the task for a valid body, or the reason why it is invalid. */
const submission = (rules: Readonly<Record<string, Rule>>, taskOf: (call: Call) => Submission | string) =>
  modelCall(rules, (call) => {
    const task = tooMany(call) ?? taskOf(call);
    if (typeof task === 'string') return task;
    const given = {
      hook: textIn(call.body, 'notifyHook'),
      state: textIn(call.body, 'state'),
      botType: textIn(call.body, 'botType'),
    };
    return submitted(call, { ...given, ...task });
  });

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
  ({ body }) => ({ action: 'IMAGINE', prompt: textIn(body, 'prompt') }),
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
  ({ body }) => {
    const images = body['base64Array'] as readonly unknown[];
    if (!images.every(isDataUri)) return 'base64Array must be data URIs in base64';
    const size = dimensions[(textIn(body, 'dimensions') || 'SQUARE') as keyof typeof dimensions];
    return { action: 'BLEND', prompt: `${images.length} images`, ...size };
  },
);

/** POST /imgjob/submit/describe (docs/gateway.md G11.8). */
export const describe = submission(
  { notifyHook: 'string', base64: 'image', link: 'string', language: ['in', 'zh'] },
  ({ body }) => {
    const given = ['base64', 'link'].filter((name) => textIn(body, name) !== '');
    if (given.length !== 1) return 'exactly one of base64 and link is required';
    return { action: 'DESCRIBE', prompt: textIn(body, 'link') };
  },
);

/** POST /imgjob/submit/action (docs/gateway.md G11.9). */
export const action = submission(
  { ...common, customId: 'string!', taskId: 'string!', enableRemix: 'bool', noStorage: 'bool' },
  ({ body, state }) => {
    const task = state.tasks.get(textIn(body, 'taskId'));
    if (task?.kind !== 'image') return 'taskId: there is no such task';
    if (!progressOf(task, state).done) return 'taskId: the task has not succeeded';
    const customId = textIn(body, 'customId');
    if (!buttonsOf(task).some((button) => button.customId === customId))
      return 'customId: the task offers no such action';
    const { prompt, width, height } = task;
    return {
      action: actionOf(customId),
      prompt,
      width,
      height,
      botType: textIn(body, 'botType') || task.botType,
    };
  },
);

/** POST /imgjob/submit/upload-chat-images (docs/gateway.md G11.11). */
export const uploadImages = modelCall({ base64Array: 'images!' }, (call) => {
  const fault = tooMany(call);
  if (fault !== undefined) return fault;
  bookCall(call, models.imageUpload);
  const images = call.body['base64Array'] as readonly string[];
  const result = images.map((image) => imageLink(call.request, seedOf(image), 256, 256));
  return json(200, { code: 1, description: 'success', result });
});

/** GET /imgjob/task/{id}/fetch (docs/gateway.md G11.1). */
export const fetchImageTask = (state: State, { id }: Request): Answer => {
  const task = state.tasks.get(id);
  if (task?.kind === 'image') return json(200, imageRecord(state, task));
  return state.variants.missing_task === 'null' ? json(200, null) : unknownRoute(state.variants);
};
