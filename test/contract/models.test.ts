import { describe, expect, it } from 'vitest';
import { createSecretRegistry, isFault, silentLog } from '../../src/core/index.ts';
import {
  callModel,
  createModelDeps,
  fetchClips,
  modelEndpoints,
  streamMessage,
  waitForTask,
  type ModelEndpoint,
} from '../../src/gateway/index.ts';
import { startSandbox, variantTable, type VariantName, type Variants } from '../../src/sandbox/index.ts';
import { countingStore } from '../gateway/models/counting-store.ts';
import { testHttp } from '../http/support/servers.ts';
import { manualClock } from '../support/manual-clock.ts';

const image = 'data:image/png;base64,iVBORw0KGgo=';

/** What each endpoint is called with; the sandbox has the songs. */
const inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  messages: { model: 'claude-haiku-4-5', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] },
  embeddings: { model: 'text-embedding-3-small', input: ['one', 'two'], encoding_format: 'base64' },
  'generate-image': { model: 'gpt-image-1', prompt: 'x', size: '1024x1024' },
  'edit-image': { prompt: 'x', input_image: 'iVBORw0KGgo=' },
  imagine: { prompt: 'x' },
  blend: { base64Array: [image, image] },
  describe: { link: 'https://a.example/1.png' },
  'upload-images': { base64Array: [image] },
  'create-persona': { root_clip_id: 'clip-one', name: 'x', description: 'x', clips: [], is_public: false },
  'upload-audio': { url: 'https://a.example/1.mp3' },
  concat: { clip_id: 'clip-one' },
  feed: { clip_id: 'clip-one' },
};

const open = async (variants: Partial<Variants>) => {
  const clock = manualClock();
  const sandbox = await startSandbox({ months: 1, callsPerDay: 1, now: clock.now, variants });
  const fields = { name: 'n', group: 'default', remain: 0n, unlimited: true, expiredTime: -1 };
  const { plaintext } = sandbox.state.keys.create({ ...fields, createdAt: sandbox.state.seconds() });
  const secrets = createSecretRegistry();
  const deps = createModelDeps({
    baseUrl: sandbox.baseUrl,
    http: testHttp(),
    clock,
    random: () => 0.5,
    log: silentLog,
    secrets,
  });
  return {
    deps,
    secrets,
    key: secrets.register(plaintext),
    [Symbol.asyncDispose]: () => sandbox.stop(),
  };
};

const endpointOf = (name: string): ModelEndpoint => {
  const found = modelEndpoints.find((endpoint) => endpoint.name === name);
  if (found === undefined) throw new Error(`no endpoint ${name}`);
  return found;
};

/** A value, its deviations, or the code of an error. */
const outcomeOf = async (
  work: () => Promise<{ readonly deviations: readonly string[] } | object>,
): Promise<string> => {
  try {
    const result = await work();
    return 'deviations' in result ? ['ok', ...result.deviations].join('; ') : 'ok';
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.code;
  }
};

/** Every endpoint, streams, tasks to their end, errors: what comes of each. */
const tour = async (variants: Partial<Variants>): Promise<Readonly<Record<string, string>>> => {
  await using fixture = await open(variants);
  const { deps, key, secrets } = fixture;
  const found: Record<string, string> = {};
  for (const [name, input] of Object.entries(inputs))
    found[name] = await outcomeOf(() =>
      callModel(deps, endpointOf(name), key, input, { store: countingStore() }),
    );
  found['stream'] = await outcomeOf(() =>
    streamMessage(deps, key, inputs['messages'] as never, () => undefined),
  );
  found['several songs'] = await outcomeOf(async () => {
    const clips = await fetchClips(deps, key, ['clip-one', 'clip-two']);
    expect(clips.value).toHaveLength(2);
    return clips;
  });
  const waited = async (name: string): Promise<object> => {
    const { value } = await callModel(deps, endpointOf(name), key, inputs[name] ?? {});
    const task = endpointOf(name).task?.(value) ?? { kind: 'image', id: 'none' };
    const record = await waitForTask(deps, key, task, { deadline: 60_000 });
    return record.record;
  };
  found['image task'] = await outcomeOf(() => waited('imagine'));
  found['music task'] = await outcomeOf(() => waited('concat'));
  found['missing task'] = await outcomeOf(() => callModel(deps, endpointOf('image-task'), key, { id: '1' }));
  found['wrong key'] = await outcomeOf(() =>
    callModel(deps, endpointOf('messages'), secrets.register('sk-no-such-key-1'), inputs['messages'] ?? {}),
  );
  found['unknown model'] = await outcomeOf(() =>
    callModel(deps, endpointOf('messages'), key, { ...inputs['messages'], model: 'none' }),
  );
  found['bad input'] = await outcomeOf(() =>
    callModel(deps, endpointOf('generate-image'), key, { ...inputs['generate-image'], size: 'x' }),
  );
  found['bad song'] = await outcomeOf(() => callModel(deps, endpointOf('concat'), key, { clip_id: 'none' }));
  found['dimensions'] = await outcomeOf(() =>
    callModel(deps, endpointOf('embeddings'), key, { ...inputs['embeddings'], dimensions: 8 }),
  );
  found['five images'] = await outcomeOf(() =>
    callModel(deps, endpointOf('blend'), key, { base64Array: [image, image, image, image, image] }),
  );
  found['small image'] = await outcomeOf(() =>
    callModel(
      deps,
      endpointOf('generate-image'),
      key,
      { ...inputs['generate-image'], size: '64x64' },
      { store: countingStore() },
    ),
  );
  found['further parameter'] = await outcomeOf(() =>
    callModel(deps, endpointOf('messages'), key, { ...inputs['messages'], system: 'x' }),
  );
  return found;
};

const usual: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(inputs).map((name) => [name, 'ok'])),
  stream: 'ok',
  'several songs': 'ok',
  'image task': 'ok',
  'music task': 'ok',
  'missing task': 'gateway-not-found',
  'wrong key': 'model-key-refused',
  'unknown model': 'model-unavailable',
  'bad input': 'model-call-refused',
  'bad song': 'model-call-refused',
  dimensions: 'ok',
  'five images': 'ok',
  'small image': 'ok',
  'further parameter': 'ok',
};

const refused = 'model-call-refused';
const images = {
  imagine: refused,
  blend: refused,
  describe: refused,
  'image task': refused,
  'five images': refused,
};
const songs = { 'upload-audio': refused, concat: refused, 'music task': refused };
const withoutUsage = 'ok; usage is missing';
const failed = { 'image task': 'model-task-failed', 'music task': 'model-task-failed' };
const partialUsage =
  'ok; usage.prompt_tokens is missing; usage.completion_tokens is missing; usage.prompt_tokens_details is missing; usage.completion_tokens_details is missing';

/** What is different under a value of a variant. */
const different: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'model_unavailable 400': { 'unknown model': refused },
  'task_outcome failure': failed,
  'task_outcome cancel': failed,
  'task_outcome endless': { 'image task': 'model-task-unfinished', 'music task': 'model-task-unfinished' },
  'model_errors html': {},
  'music_submission refused-word': songs,
  'music_submission refused-number': songs,
  'missing_task null': { 'missing task': 'gateway-answer-unreadable' },
  'base64_images four': { 'five images': refused },
  'image_submission queue-full': images,
  'image_submission error': images,
  'image_sizes listed': { 'small image': refused },
  'image_usage partial': { 'generate-image': partialUsage, 'small image': partialUsage },
  'message_parameters documented': { 'further parameter': refused },
  'message_usage missing': {
    messages: withoutUsage,
    stream: withoutUsage,
    'further parameter': withoutUsage,
  },
  'embedding_dimensions refused': { dimensions: refused },
  'embedding_usage missing': { embeddings: withoutUsage, dimensions: withoutUsage },
};

const isModelPoint = (name: VariantName): boolean => /^G(?:9|1[0-5])\./.test(variantTable[name].statement);

const cases = Object.keys(variantTable)
  .map((name) => name as VariantName)
  .filter(isModelPoint)
  .flatMap((name) => variantTable[name].values.map((value) => [name, value] as const));

describe('the client of the model endpoints', () => {
  it.each(cases)('works with the sandbox under %s %s', async (name, value) => {
    expect(await tour({ [name]: value })).toEqual({ ...usual, ...different[`${name} ${value}`] });
  });

  it('is tried under every value that makes a difference', () => {
    const names = cases.map(([name, value]) => `${name} ${value}`);
    expect(Object.keys(different).filter((name) => !names.includes(name))).toEqual([]);
  });
});
