import { json, unknownRoute, type Answer } from '../answer.ts';
import type { Json } from '../exact-json.ts';
import type { Request } from '../request.ts';
import type { State } from '../state.ts';
import { models } from '../traffic/models.ts';
import { imageLink, png, seedOf, sizeOf } from './files.ts';
import { bookCall, calledModel, isAnswer, modelCall, tokensOf } from './model-call.ts';
import { textIn } from './read-body.ts';

type Drawn = { readonly seed: number; readonly width: number; readonly height: number };

const item = (state: State, request: Request, { seed, width, height }: Drawn): Record<string, Json> => {
  const forms = {
    url: () => imageLink(request, seed, width, height),
    b64_json: () => png(width, height, seed).toString('base64'),
  };
  return Object.fromEntries(state.variants.image_items.map((name) => [name, forms[name]()]));
};

/** POST /v1/images/generations (docs/gateway.md G12.1). An image costs one token per 1,000 pixels. */
export const generateImage = modelCall({ prompt: 'string!', model: 'string!', size: 'string' }, (call) => {
  const { state, request, body } = call;
  const written = textIn(body, 'size');
  const text = written === '' || written === 'auto' ? '1024x1024' : written;
  const size = sizeOf(text);
  if (size === undefined) return 'size must be a width and a height such as 1024x1024';
  const listed: readonly string[] | undefined = state.variants.image_sizes;
  if (listed?.includes(text) === false) return `size must be ${listed.join(' or ')}`;
  const model = calledModel(state, body['model'], 'image');
  if (isAnswer(model)) return model;
  const prompt = textIn(body, 'prompt');
  const input = tokensOf(prompt);
  const completion = Math.ceil((size.width * size.height) / 1000);
  bookCall(call, model, { text: input, completion });
  return json(200, {
    created: state.seconds(),
    data: [item(state, request, { seed: seedOf(prompt), ...size })],
    ...state.variants.image_usage(input, completion),
  });
});

const ratios = /^(\d{1,2}):(\d{1,2})$/u;

const drawnOf = (body: Readonly<Record<string, unknown>>): Drawn | undefined => {
  const ratio = textIn(body, 'aspect_ratio');
  const seed = typeof body['seed'] === 'number' ? body['seed'] >>> 0 : seedOf(textIn(body, 'prompt'));
  if (ratio === '') return { seed, width: 512, height: 512 };
  const [, width = '0', height = '0'] = ratios.exec(ratio) ?? [];
  const [across, down] = [Number(width), Number(height)];
  if (across < 1 || down < 1) return undefined;
  const scale = 512 / Math.max(across, down);
  return { seed, width: Math.round(across * scale), height: Math.round(down * scale) };
};

const edit = {
  prompt: 'string!',
  input_image: 'image',
  input_image_2: 'image',
  input_image_3: 'image',
  input_image_4: 'image',
  seed: 'int',
  aspect_ratio: 'string',
  output_format: ['jpeg', 'png', 'webp'],
  webhook_url: 'string',
  webhook_secret: 'string',
  prompt_upsampling: 'bool',
  safety_tolerance: 'int',
} as const;

/** POST /imgedit/v1/edit-context-pro (docs/gateway.md G13.1). Images are PNG for every `output_format`. */
export const editImage = modelCall(edit, (call) => {
  const { state, request, body } = call;
  if (state.variants.image_edit_fields === 'prompt-and-image' && textIn(body, 'input_image') === '')
    return 'input_image is required';
  const drawn = drawnOf(body);
  if (drawn === undefined) return 'aspect_ratio must be such as 16:9';
  bookCall(call, models.imageEdit);
  const { seed, width, height } = drawn;
  if (state.variants.image_edit_answer === 'image')
    return { status: 200, headers: { 'content-type': 'image/png' }, body: png(width, height, seed) };
  if (state.variants.image_edit_answer === 'items')
    return json(200, { created: state.seconds(), data: [item(state, request, drawn)] });
  const id = `edit-${seed}-${width}x${height}-${state.now()}`;
  return json(200, { id, polling_url: `${request.origin}/imgedit/v1/get_result?id=${id}` });
});

/** GET /imgedit/v1/get_result: polls an edit that is a task. It takes four seconds. */
export const editResult = (state: State, request: Request): Answer => {
  const parts = /^edit-(\d+)-(\d+)x(\d+)-(\d+)$/u.exec(request.query.get('id') ?? '');
  if (parts === null) return unknownRoute(state.variants);
  const [seed = 0, width = 1, height = 1, since = 0] = parts.slice(1).map(Number);
  const ready = state.now() - since >= 4000;
  return json(200, {
    id: parts[0],
    status: ready ? 'Ready' : 'Pending',
    result: ready ? { sample: imageLink(request, seed, width, height) } : null,
  });
};
