import { describe, expect, it } from 'vitest';
import { isFault } from '../../../src/core/index.ts';
import { callModel, type ModelEndpoint } from '../../../src/gateway/index.ts';
import { createPersona, feed, musicTask, uploadAudio } from '../../../src/gateway/models/endpoints/music.ts';
import { embeddings } from '../../../src/gateway/models/endpoints/embeddings.ts';
import { generateImage } from '../../../src/gateway/models/endpoints/images.ts';
import { imageTask, imagine, uploadImages } from '../../../src/gateway/models/endpoints/image-tasks.ts';
import { messages } from '../../../src/gateway/models/endpoints/messages.ts';
import { inputs } from './inputs.ts';
import { samples } from './samples.ts';
import { jsonReply, scriptedModels } from './scripted-models.ts';

type Answered = {
  readonly statement: string;
  readonly endpoint: ModelEndpoint;
  /** Where the fields of the statement are within the answer. */
  readonly below: string;
  readonly ids: readonly string[];
};

const idsIn = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The fields of answers, by their IDs in docs/gateway.md. */
const answered: readonly Answered[] = [
  {
    statement: 'G10.2',
    endpoint: createPersona,
    below: '',
    ids: idsIn(`
      G10.2.id G10.2.name G10.2.description G10.2.image_s3_id G10.2.root_clip_id G10.2.clip
      G10.2.user_display_name G10.2.user_handle G10.2.user_image_url G10.2.persona_clips
      G10.2.persona_clips[].clip G10.2.persona_clips[].id G10.2.is_service_persona G10.2.is_trashed
      G10.2.is_owned G10.2.is_public G10.2.is_public_approved G10.2.is_loved G10.2.upvote_count
      G10.2.clip_count
    `),
  },
  {
    statement: 'G10.3',
    endpoint: createPersona,
    below: 'clip',
    ids: idsIn(`
      G10.3.id G10.3.entity_type G10.3.video_url G10.3.audio_url G10.3.image_url G10.3.image_large_url
      G10.3.major_model_version G10.3.model_name G10.3.user_id G10.3.display_name G10.3.handle
      G10.3.avatar_image_url G10.3.display_tags G10.3.created_at G10.3.status G10.3.title G10.3.is_liked
      G10.3.is_handle_updated G10.3.is_trashed G10.3.is_public G10.3.allow_comments G10.3.flag_count
      G10.3.play_count G10.3.upvote_count G10.3.metadata G10.3.metadata.tags G10.3.metadata.prompt
      G10.3.metadata.type G10.3.metadata.duration G10.3.metadata.priority G10.3.metadata.refund_credits
      G10.3.metadata.stream G10.3.metadata.can_remix G10.3.metadata.is_remix
    `),
  },
  {
    statement: 'G10.5',
    endpoint: feed,
    below: '[0]',
    ids: idsIn(`
      G10.5.audio_url G10.5.avatar_image_url G10.5.created_at G10.5.display_name G10.5.handle G10.5.id
      G10.5.image_large_url G10.5.image_url G10.5.major_model_version G10.5.model_name G10.5.status
      G10.5.title G10.5.video_url G10.5.is_handle_updated G10.5.is_liked G10.5.is_public G10.5.is_trashed
      G10.5.play_count G10.5.upvote_count G10.5.metadata G10.5.metadata.duration G10.5.metadata.prompt
      G10.5.metadata.stem_from_id G10.5.metadata.tags G10.5.metadata.type
    `),
  },
  {
    statement: 'G10.6',
    endpoint: musicTask,
    below: '',
    ids: idsIn(`
      G10.6.code G10.6.message G10.6.data G10.6.data.task_id G10.6.data.notify_hook G10.6.data.action
      G10.6.data.status G10.6.data.fail_reason G10.6.data.progress G10.6.data.submit_time
      G10.6.data.start_time G10.6.data.finish_time G10.6.data.data G10.6.data.data.id G10.6.data.data.text
      G10.6.data.data.title G10.6.data.data.status
    `),
  },
  {
    statement: 'G10.7',
    endpoint: uploadAudio,
    below: '',
    ids: idsIn('G10.7.code G10.7.message G10.7.data'),
  },
  {
    statement: 'G11.2',
    endpoint: imageTask,
    below: '',
    ids: idsIn(`
      G11.2.id G11.2.action G11.2.customId G11.2.botType G11.2.prompt G11.2.promptEn G11.2.description
      G11.2.state G11.2.submitTime G11.2.startTime G11.2.finishTime G11.2.imageUrl G11.2.imageUrls
      G11.2.imageUrls[].url G11.2.imageHeight G11.2.imageWidth G11.2.videoUrl G11.2.videoUrls G11.2.status
      G11.2.progress G11.2.failReason G11.2.buttons G11.2.properties
    `),
  },
  {
    statement: 'G11.3',
    endpoint: imageTask,
    below: 'buttons[0]',
    ids: idsIn('G11.3.customId G11.3.emoji G11.3.label G11.3.type G11.3.style'),
  },
  {
    statement: 'G11.4',
    endpoint: imageTask,
    below: 'properties',
    ids: idsIn(`
      G11.4.flags G11.4.notifyHook G11.4.messageId G11.4.messageHash G11.4.nonce G11.4.customId
      G11.4.finalPrompt G11.4.progressMessageId G11.4.messageContent G11.4.chatInstanceId
      G11.4.chatChannelId
    `),
  },
  {
    statement: 'G11.5',
    endpoint: imagine,
    below: '',
    ids: idsIn('G11.5.code G11.5.description G11.5.result G11.5.properties'),
  },
  {
    statement: 'G11.12',
    endpoint: uploadImages,
    below: '',
    ids: idsIn('G11.12.code G11.12.description G11.12.result'),
  },
  {
    statement: 'G12.2',
    endpoint: generateImage,
    below: '',
    ids: idsIn(`
      G12.2.created G12.2.data G12.2.data[].url G12.2.data[].b64_json G12.2.usage
      G12.2.usage.prompt_tokens G12.2.usage.completion_tokens G12.2.usage.total_tokens
      G12.2.usage.prompt_tokens_details G12.2.usage.prompt_tokens_details.cached_tokens
      G12.2.usage.prompt_tokens_details.audio_tokens G12.2.usage.completion_tokens_details
      G12.2.usage.completion_tokens_details.reasoning_tokens
      G12.2.usage.completion_tokens_details.audio_tokens
      G12.2.usage.completion_tokens_details.accepted_prediction_tokens
      G12.2.usage.completion_tokens_details.rejected_prediction_tokens
    `),
  },
  {
    statement: 'G14.3',
    endpoint: messages,
    below: '',
    ids: idsIn(`
      G14.3.content G14.3.content[].text G14.3.content[].type G14.3.id G14.3.model G14.3.role
      G14.3.stop_reason G14.3.stop_sequence G14.3.type G14.3.usage G14.3.usage.input_tokens
      G14.3.usage.output_tokens
    `),
  },
  {
    statement: 'G15.3',
    endpoint: embeddings,
    below: '',
    ids: idsIn(`
      G15.3.object G15.3.data G15.3.data[].object G15.3.data[].embedding G15.3.data[].index G15.3.model
      G15.3.usage G15.3.usage.prompt_tokens G15.3.usage.total_tokens
    `),
  },
];

type Path = readonly (string | number)[];

const partsOf = (text: string): Path =>
  text
    .split('.')
    .flatMap((name) => name.split(/(?=\[)/))
    .filter((name) => name !== '')
    .map((name) => (name.startsWith('[') ? Number(name.slice(1, -1) || 0) : name));

const pathOf = (id: string, below: string): Path => [
  ...partsOf(below),
  ...partsOf(id.replace(/^G\d+\.\d+\./, '')),
];

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, part) => (inner as Record<string | number, unknown> | null | undefined)?.[part],
    value,
  );

/** The sample with another value at the path; undefined removes the field. */
const withValue = (sample: unknown, path: Path, value: unknown): unknown => {
  const changed = structuredClone(sample);
  const parent = at(changed, path.slice(0, -1)) as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return changed;
};

const nameOf = (path: Path): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[]` : name === '' ? part : `${name}.${part}`),
    '',
  );

const sampleOf = ({ name }: ModelEndpoint): unknown =>
  samples[name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof typeof samples];

/** What a call gets: its value and deviations, or the fault. */
const outcomeOf = async (endpoint: ModelEndpoint, answer: unknown) => {
  const { deps, key } = await scriptedModels([jsonReply(answer)]);
  try {
    return await callModel(deps, endpoint, key, inputs[endpoint.name] ?? {});
  } catch (error) {
    if (!isFault(error)) throw error;
    return error;
  }
};

/** Fields that an answer can lack without a word: the contract calls them optional, or one of several suffices. */
const optional = new Set(['properties', 'usage', 'data[].url', 'data[].b64_json', 'content[].text']);
const isOptional = ({ name }: ModelEndpoint, path: Path): boolean =>
  path.includes('properties') ||
  (name === 'generate-image' && optional.has(nameOf(path))) ||
  (name === 'imagine' && nameOf(path) === 'properties');

const cases = answered.flatMap(({ endpoint, below, ids }) =>
  ids.map((id) => ({ id, endpoint, path: pathOf(id, below) })),
);

describe('a field of an answer', () => {
  it.each(cases)('is read as it was served: $id', async ({ endpoint, path }) => {
    const sample = sampleOf(endpoint);
    expect(at(sample, path)).not.toBeUndefined();
    const outcome = await outcomeOf(endpoint, sample);
    expect(outcome).toMatchObject({ deviations: [] });
    expect(at((outcome as { value: unknown }).value, path)).toEqual(at(sample, path));
  });

  it.each(cases)('is named when it is missing: $id', async ({ endpoint, path }) => {
    const outcome = await outcomeOf(endpoint, withValue(sampleOf(endpoint), path, undefined));
    if (isOptional(endpoint, path)) return expect(outcome).toMatchObject({ deviations: [] });
    const name = nameOf(path);
    if (isFault(outcome)) {
      expect(outcome.code).toMatch(/^(?:gateway-answer-unreadable|model-call-refused)$/);
      expect(outcome.message).toMatch(new RegExp(`\\b${name.split(/[.[]/)[0] ?? ''}\\b|code missing`));
      return undefined;
    }
    return expect(outcome.deviations.join()).toContain(`${name} is missing`);
  });

  it.each(cases)('is named when it has another type: $id', async ({ endpoint, path }) => {
    const before = at(sampleOf(endpoint), path);
    // An embedding can be a text too.
    const isNumbers = Array.isArray(before) && typeof before[0] === 'number';
    const wrong = isNumbers ? 17 : typeof before === 'object' && before !== null ? 'a text' : { a: 1 };
    const outcome = await outcomeOf(endpoint, withValue(sampleOf(endpoint), path, wrong));
    if (isFault(outcome))
      return expect(outcome.code).toMatch(/^(?:gateway-answer-unreadable|model-call-refused)$/);
    expect(outcome.deviations.join()).toMatch(/ is not | is unreadable|has neither| is missing/);
    expect(at(outcome.value, path)).not.toEqual(wrong);
    return undefined;
  });
});

describe('an answer', () => {
  it.each(answered)('keeps unknown fields: $statement', async ({ endpoint }) => {
    const sample = structuredClone(sampleOf(endpoint));
    const target = Array.isArray(sample)
      ? (sample[0] as Record<string, unknown>)
      : (sample as Record<string, unknown>);
    target['future_field'] = { nested: [1, 'two'] };
    const outcome = await outcomeOf(endpoint, sample);
    expect(outcome).toMatchObject({ deviations: [] });
    const { value } = outcome as { value: unknown };
    expect((Array.isArray(value) ? value[0] : value) as unknown).toMatchObject({
      future_field: { nested: [1, 'two'] },
    });
  });
});
