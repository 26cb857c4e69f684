import { describe, expect, it } from 'vitest';
import { callModel, type ModelEndpoint } from '../../../src/gateway/index.ts';
import {
  action,
  blend,
  describe as describeImage,
  imagine,
  uploadImages,
} from '../../../src/gateway/models/endpoints/image-tasks.ts';
import { concat, createPersona, uploadAudio } from '../../../src/gateway/models/endpoints/music.ts';
import { editImage, generateImage } from '../../../src/gateway/models/endpoints/images.ts';
import { embeddings } from '../../../src/gateway/models/endpoints/embeddings.ts';
import { messages } from '../../../src/gateway/models/endpoints/messages.ts';
import { fullInputs } from './inputs.ts';
import { samples } from './samples.ts';
import { jsonReply, scriptedModels } from './scripted-models.ts';

type Taken = { readonly endpoint: ModelEndpoint; readonly ids: readonly string[] };

const idsIn = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The fields of requests, by their IDs in docs/gateway.md. */
const taken: readonly Taken[] = [
  {
    endpoint: createPersona,
    ids: idsIn('G10.1.root_clip_id G10.1.name G10.1.description G10.1.clips G10.1.is_public'),
  },
  { endpoint: uploadAudio, ids: idsIn('G10.8.url') },
  { endpoint: concat, ids: idsIn('G10.9.clip_id') },
  {
    endpoint: imagine,
    ids: idsIn(`
      G11.6.prompt G11.6.botType G11.6.base64Array G11.6.notifyHook G11.6.noStorage G11.6.accountFilter
    `),
  },
  {
    endpoint: blend,
    ids: idsIn('G11.7.base64Array G11.7.botType G11.7.dimensions G11.7.notifyHook G11.7.state'),
  },
  { endpoint: describeImage, ids: idsIn('G11.8.base64 G11.8.link G11.8.notifyHook G11.8.language') },
  {
    endpoint: action,
    ids: idsIn(`
      G11.9.customId G11.9.taskId G11.9.enableRemix G11.9.notifyHook G11.9.state G11.9.noStorage
    `),
  },
  { endpoint: uploadImages, ids: idsIn('G11.11.base64Array') },
  { endpoint: generateImage, ids: idsIn('G12.1.prompt G12.1.model G12.1.size') },
  {
    endpoint: editImage,
    ids: idsIn(`
      G13.1.prompt G13.1.input_image G13.1.input_image_2 G13.1.input_image_3 G13.1.input_image_4
      G13.1.seed G13.1.aspect_ratio G13.1.output_format G13.1.webhook_url G13.1.webhook_secret
      G13.1.prompt_upsampling G13.1.safety_tolerance
    `),
  },
  {
    endpoint: messages,
    ids: idsIn(`
      G14.1.model G14.1.messages G14.1.messages[].role G14.1.messages[].content G14.1.max_tokens
      G14.1.stream G14.1.temperature G14.1.top_k G14.1.top_p
    `),
  },
  { endpoint: embeddings, ids: idsIn('G15.1.model G15.1.input G15.1.encoding_format G15.1.dimensions') },
];

const answerTo = ({ name }: ModelEndpoint): unknown => {
  if (name === 'create-persona') return samples.createPersona;
  if (name === 'upload-audio' || name === 'concat') return samples.uploadAudio;
  if (name === 'generate-image') return samples.generateImage;
  if (name === 'messages') return samples.messages;
  if (name === 'embeddings') return samples.embeddings;
  return name === 'upload-images' ? samples.uploadImages : samples.imagine;
};

/** What is sent for an input. */
const sentFor = async (endpoint: ModelEndpoint, input: Readonly<Record<string, unknown>>) => {
  const { deps, key, seen } = await scriptedModels([jsonReply(answerTo(endpoint))]);
  await callModel(deps, endpoint, key, input);
  return JSON.parse(seen[0]?.body ?? '{}') as Record<string, unknown>;
};

const nameIn = (id: string): string => id.replace(/^G\d+\.\d+\./, '').split(/[.[]/)[0] ?? '';

const cases = taken.flatMap(({ endpoint, ids }) => ids.map((id) => ({ id, endpoint, name: nameIn(id) })));

describe('a field of a request', () => {
  it.each(cases)('is sent as it is given: $id', async ({ endpoint, name }) => {
    for (const input of fullInputs[endpoint.name] ?? []) {
      const body = await sentFor(endpoint, input);
      expect(body[name]).toEqual(input[name]);
      expect(Object.keys(body).toSorted()).toEqual(
        Object.keys({ ...(endpoint.name === 'messages' ? { stream: 1, max_tokens: 1 } : {}), ...input })
          .filter((one) => !one.startsWith('vendor_'))
          .toSorted(),
      );
    }
    expect((fullInputs[endpoint.name] ?? []).some((input) => input[name] !== undefined)).toBe(true);
  });

  it.each(cases)('of another type is refused before anything is sent: $id', async ({ endpoint, name }) => {
    const { deps, key, seen } = await scriptedModels([jsonReply({})]);
    const [input = {}] = fullInputs[endpoint.name] ?? [];
    const wrong = {
      ...input,
      [name]: name === 'clips' || name === 'base64Array' ? 'text' : [{ a: Symbol.iterator.description }],
    };
    await expect(callModel(deps, endpoint, key, wrong)).rejects.toMatchObject({
      code: 'model-input-invalid',
      message: expect.stringContaining(name) as string,
    });
    expect(seen).toEqual([]);
  });
});

describe('a required field', () => {
  it.each<readonly [id: string, endpoint: ModelEndpoint, field: string]>([
    ['G10.8.url', uploadAudio, 'url'],
    ['G10.9.clip_id', concat, 'clip_id'],
    ['G11.6.prompt', imagine, 'prompt'],
    ['G11.7.base64Array', blend, 'base64Array'],
    ['G11.9.customId', action, 'customId'],
    ['G11.9.taskId', action, 'taskId'],
    ['G12.1.prompt', generateImage, 'prompt'],
    ['G12.1.model', generateImage, 'model'],
    ['G14.1.model', messages, 'model'],
    ['G14.1.messages', messages, 'messages'],
    ['G15.1.model', embeddings, 'model'],
    ['G15.1.input', embeddings, 'input'],
  ])('is named when it is missing: %s', async (_, endpoint, field) => {
    const { deps, key, seen } = await scriptedModels([jsonReply({})]);
    const [whole = {}] = fullInputs[endpoint.name] ?? [];
    const { [field]: _left, ...rest } = whole;
    await expect(callModel(deps, endpoint, key, rest)).rejects.toMatchObject({
      code: 'model-input-invalid',
      message: expect.stringContaining(field) as string,
      exitCode: 2,
    });
    expect(seen).toEqual([]);
  });
});

describe('an enumeration', () => {
  it.each<readonly [id: string, endpoint: ModelEndpoint, field: string, values: readonly string[]]>([
    ['G11.6.botType', imagine, 'botType', ['STANDARD_BOT', 'STYLIZED_BOT']],
    ['G11.7.botType', blend, 'botType', ['STANDARD_BOT', 'STYLIZED_BOT']],
    ['G11.7.dimensions', blend, 'dimensions', ['PORTRAIT', 'SQUARE', 'LANDSCAPE']],
    ['G11.8.language', describeImage, 'language', ['in', 'zh']],
    ['G15.1.encoding_format', embeddings, 'encoding_format', ['float', 'base64']],
  ])('has exactly the values of the contract: %s', async (_, endpoint, field, values) => {
    const [input = {}] = fullInputs[endpoint.name] ?? [];
    for (const value of values)
      expect((await sentFor(endpoint, { ...input, [field]: value }))[field]).toBe(value);
    const { deps, key } = await scriptedModels([jsonReply({})]);
    for (const value of [
      '',
      'other',
      values[0]?.toLowerCase() === values[0] ? 'FLOAT' : (values[0] ?? '').toLowerCase(),
    ])
      await expect(callModel(deps, endpoint, key, { ...input, [field]: value })).rejects.toMatchObject({
        code: 'model-input-invalid',
      });
  });
});
