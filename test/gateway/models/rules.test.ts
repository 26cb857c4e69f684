import { describe, expect, it } from 'vitest';
import { callModel, fetchClips, modelEndpoints, type ModelEndpoint } from '../../../src/gateway/index.ts';
import { describe as describeImage, imagine } from '../../../src/gateway/models/endpoints/image-tasks.ts';
import { embeddingNumbers, embeddings } from '../../../src/gateway/models/endpoints/embeddings.ts';
import { messages, stopReasons } from '../../../src/gateway/models/endpoints/messages.ts';
import { musicTask, uploadAudio } from '../../../src/gateway/models/endpoints/music.ts';
import { inputs } from './inputs.ts';
import { samples } from './samples.ts';
import { jsonReply, plaintext, scriptedModels, type Reply } from './scripted-models.ts';

const call = async (endpoint: ModelEndpoint, reply: Reply, input = inputs[endpoint.name] ?? {}) => {
  const { deps, key, seen } = await scriptedModels([reply]);
  return { outcome: await callModel(deps, endpoint, key, input), seen };
};

const failure = async (endpoint: ModelEndpoint, reply: Reply, input = inputs[endpoint.name] ?? {}) => {
  const { deps, key, seen } = await scriptedModels([reply]);
  const error: unknown = await callModel(deps, endpoint, key, input).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, seen };
};

/** Statement, name and request of each endpoint. */
const requests: readonly (readonly [id: string, name: string, request: string])[] = [
  ['G14.1', 'messages', 'POST /v1/messages'],
  ['G15.1', 'embeddings', 'POST /v1/embeddings'],
  ['G12.1', 'generate-image', 'POST /v1/images/generations'],
  ['G13.1', 'edit-image', 'POST /imgedit/v1/edit-context-pro'],
  ['G11.6', 'imagine', 'POST /imgjob/submit/imagine'],
  ['G11.7', 'blend', 'POST /imgjob/submit/blend'],
  ['G11.8', 'describe', 'POST /imgjob/submit/describe'],
  ['G11.9', 'action', 'POST /imgjob/submit/action'],
  ['G11.11', 'upload-images', 'POST /imgjob/submit/upload-chat-images'],
  ['G11.1', 'image-task', 'GET /imgjob/task/1700000000001/fetch'],
  ['G10.1', 'create-persona', 'POST /music/persona/create'],
  ['G10.8', 'upload-audio', 'POST /music/uploads/audio-url'],
  ['G10.9', 'concat', 'POST /music/submit/concat'],
  ['G10.6', 'music-task', 'GET /music/fetch/task-1'],
  ['G10.4', 'feed', 'GET /music/feed/clip-1'],
];

const endpointOf = (name: string): ModelEndpoint => {
  const found = modelEndpoints.find((endpoint) => endpoint.name === name);
  if (found === undefined) throw new Error(`no endpoint ${name}`);
  return found;
};

describe('every model endpoint', () => {
  it('is there once (G1.2, G9.1)', () => {
    expect(modelEndpoints.map(({ name, statement }) => `${statement} ${name}`).toSorted()).toEqual(
      requests.map(([id, name]) => `${id} ${name}`).toSorted(),
    );
  });

  it.each(requests)(
    'of %s, %s, is called at its exact path with the key as bearer (G1.3, G1.5, G2.1, G2.5, G17.1)',
    async (_, name, request) => {
      const { deps, key, seen } = await scriptedModels([{ status: 500 }], { prefix: '/gw' });
      await callModel(deps, endpointOf(name), key, inputs[name] ?? {}).catch(() => undefined);
      const [method, path = ''] = request.split(' ');
      expect(seen[0]).toMatchObject({ method, path: `/gw${path}` });
      expect(seen[0]?.headers.authorization).toBe(`Bearer ${plaintext}`);
    },
  );

  it.each(modelEndpoints)('$name sends a body of JSON, or none (G1.4)', async (endpoint) => {
    const { seen } = await failure(endpoint, { status: 500 });
    if (endpoint.method === 'GET') expect(seen[0]).toMatchObject({ body: '' });
    else {
      expect(seen[0]?.headers['content-type']).toBe('application/json');
      expect(JSON.parse(seen[0]?.body ?? '')).toEqual(
        expect.objectContaining(
          Object.fromEntries(
            Object.entries(inputs[endpoint.name] ?? {}).filter(([name]) => !name.startsWith('vendor')),
          ),
        ),
      );
    }
  });

  it.each(modelEndpoints)(
    '$name is repeated after a failure only if it is a GET (G3.5)',
    async (endpoint) => {
      for (const reply of [{ status: 503 }, (response) => response.destroy()] as Reply[]) {
        const { error, seen } = await failure(endpoint, reply);
        expect(error).toMatchObject({ retryHelps: endpoint.method === 'GET' });
        expect(seen).toHaveLength(endpoint.method === 'GET' ? 4 : 1);
      }
    },
  );

  it.each(modelEndpoints)('$name says that a key is refused, whatever the form (G9.2)', async (endpoint) => {
    for (const status of [401, 403]) {
      const body = { error: { message: 'nope', type: 'authentication_error', code: 'invalid_api_key' } };
      const { error } = await failure(endpoint, jsonReply(body, status));
      expect(error).toMatchObject({
        code: 'model-key-refused',
        message: expect.stringContaining('“nope”') as string,
      });
    }
  });

  it.each([503, 404, 400])(
    'with a model that no channel serves has an error of its own under %d (G9.3)',
    async (status) => {
      const body = { error: { message: 'no channel', type: 'x', code: 'model_not_found' } };
      const { error } = await failure(messages, jsonReply(body, status));
      expect(error).toMatchObject({ code: 'model-unavailable', retryHelps: false });
    },
  );

  it.each(modelEndpoints)(
    '$name reports each form of a failure with the gateway’s words (G9.6)',
    async (endpoint) => {
      const forms: readonly (readonly [Reply, string])[] = [
        [jsonReply({ error: { message: 'bad prompt', type: 'x', code: 'y' } }, 400), 'model-call-refused'],
        [
          jsonReply({ type: 'error', error: { type: 'invalid_request_error', message: 'bad prompt' } }, 400),
          'model-call-refused',
        ],
        [jsonReply({ success: false, message: 'bad prompt', data: null }), 'model-call-refused'],
        [jsonReply({ error: 'bad prompt' }), 'model-call-refused'],
        [
          {
            status: 400,
            headers: { 'content-type': 'text/html' },
            body: '<html><title>bad prompt</title></html>',
          },
          'model-call-refused',
        ],
        [
          {
            status: 200,
            headers: { 'content-type': 'text/html' },
            body: '<html><title>bad prompt</title></html>',
          },
          'gateway-answer-unreadable',
        ],
      ];
      for (const [reply, code] of forms) {
        const { error } = await failure(endpoint, reply);
        expect(error).toMatchObject({ code, message: expect.stringContaining('bad prompt') as string });
      }
    },
  );

  it('never shows the key that the gateway echoes', async () => {
    const { error } = await failure(
      messages,
      jsonReply({ error: { message: `wrong key ${plaintext}` } }, 400),
    );
    expect(String(error)).not.toContain(plaintext);
    expect(String(error)).toContain('[secret]');
  });

  it('is not sent anywhere else: a redirect is an error', async () => {
    const { error, seen } = await failure(messages, {
      status: 307,
      headers: { location: 'http://127.0.0.1:9/' },
    });
    expect(error).toMatchObject({ code: 'gateway-redirect' });
    expect(seen).toHaveLength(1);
  });

  it.each(['a/../../x', '..', '.', 'a b', 'ü', '%2e%2e'])('keeps the ID %j within its path', async (id) => {
    const { deps, key, seen } = await scriptedModels([jsonReply(samples.imageTask)]);
    await callModel(deps, endpointOf('image-task'), key, {
      id,
    }).catch(() => undefined);
    if (id === '.' || id === '..') expect(seen).toEqual([]);
    else expect(seen[0]?.path).toBe(`/imgjob/task/${encodeURIComponent(id)}/fetch`);
  });
});

describe('a music submission', () => {
  it('is accepted with the code success, and with nothing else (G10.7.code, G10.7.music_submission)', async () => {
    expect((await call(uploadAudio, jsonReply(samples.uploadAudio))).outcome.value).toEqual(
      samples.uploadAudio,
    );
    for (const code of ['invalid_request', '1001', 'SUCCESS', '']) {
      const { error } = await failure(uploadAudio, jsonReply({ code, message: 'no such song', data: '' }));
      expect(error).toMatchObject({
        code: 'model-call-refused',
        message: expect.stringContaining('no such song') as string,
      });
    }
  });
});

describe('a music task', () => {
  it('without data is one that the gateway does not know yet (G10.6.music_task_data)', async () => {
    const { outcome } = await call(musicTask, jsonReply({ code: 'success', message: '', data: null }));
    expect(outcome).toMatchObject({ value: { data: null }, deviations: [] });
    expect(musicTask.state?.(outcome.value as never)).toEqual({
      status: undefined,
      progress: undefined,
      failReason: undefined,
    });
  });
});

describe('the feed', () => {
  const clip = samples.feed[0];
  const served = (separator: string) =>
    scriptedModels(({ path }) => {
      const asked = decodeURIComponent(path.replace('/music/feed/', '')).split(separator);
      return jsonReply(asked.filter((id) => /^c\d$/.test(id)).map((id) => ({ ...clip, id })));
    });

  it.each([
    [',', 1],
    [';', 4],
    [' ', 4],
  ])(
    'returns several songs whatever separates their IDs: %j (G10.4, G10.4.feed_separator)',
    async (separator, requests) => {
      const { deps, key, seen } = await served(separator);
      const { value } = await fetchClips(deps, key, ['c1', 'c2', 'c3']);
      expect(value.map((one) => one?.id)).toEqual(['c1', 'c2', 'c3']);
      expect(seen).toHaveLength(requests);
    },
  );
});

describe('the code of an image submission', () => {
  it.each([
    ['G11.10.1', 1, 'task'],
    ['G11.10.21', 21, 'task'],
    ['G11.10.22', 22, 'task'],
    ['G11.10.23', 23, 'refused'],
    ['G11.10.other', 4, 'refused'],
    ['G11.10.other', 0, 'refused'],
  ])('%s: %d means %s (G11.5)', async (_, code, meaning) => {
    const reply = jsonReply({ code, description: 'text for people', result: '17' });
    if (meaning === 'task') {
      const { outcome } = await call(imagine, reply);
      expect(imagine.task?.(outcome.value as never)).toEqual({ kind: 'image', id: '17' });
      return;
    }
    expect((await failure(imagine, reply)).error).toMatchObject({
      code: 'model-call-refused',
      message: expect.stringContaining('text for people') as string,
    });
  });

  it.each([21, 22])('%d without a task is refused (G11.10)', async (code) => {
    const { error } = await failure(imagine, jsonReply({ code, description: 'wait', result: '' }));
    expect(error).toMatchObject({ code: 'model-call-refused' });
  });
});

describe('a description', () => {
  it.each([
    [{}, false],
    [{ base64: 'aGk=' }, true],
    [{ link: 'https://a.example/1.png' }, true],
    [{ base64: 'aGk=', link: 'https://a.example/1.png' }, false],
  ])('takes exactly one of base64 and link: %o (G11.8)', async (input, isGood) => {
    const { error, seen } = await failure(describeImage, jsonReply(samples.imagine), input);
    expect(error).toEqual(isGood ? undefined : expect.objectContaining({ code: 'model-input-invalid' }));
    expect(seen).toHaveLength(isGood ? 1 : 0);
  });
});

describe('a callback address', () => {
  it('is sent only where it is given (G9.4, G9.4.callbacks)', async () => {
    const { seen } = await call(imagine, jsonReply(samples.imagine), { prompt: 'x' });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ prompt: 'x' });
  });
});

describe('a chat', () => {
  it.each<readonly [id: string, reason: string]>([
    ['G14.4.end_turn', 'end_turn'],
    ['G14.4.max_tokens', 'max_tokens'],
    ['G14.4.stop_sequence', 'stop_sequence'],
    ['G14.4.tool_use', 'tool_use'],
    ['G14.4.pause_turn', 'pause_turn'],
    ['G14.4.refusal', 'refusal'],
  ])('ends with a reason that is read and explained: %s (G14.4)', async (_, reason) => {
    const answer = {
      ...samples.messages,
      stop_reason: reason,
      stop_sequence: reason === 'stop_sequence' ? 'END' : null,
    };
    const { outcome } = await call(messages, jsonReply(answer));
    expect(outcome).toMatchObject({ value: { stop_reason: reason }, deviations: [] });
    expect(stopReasons[reason]).toMatch(/\w+ \w+/);
  });

  it.each([
    [{ stop_reason: null }, 'stop_reason is empty'],
    [{ stop_reason: '' }, 'stop_reason is empty'],
    [{ stop_sequence: '' }, 'stop_sequence is an empty string'],
    [{ stop_reason: 'end_turn' }, expect.stringMatching(/^stop_sequence is set /)],
    [{ type: 'completion' }, 'type is not message'],
  ])('that breaks a rule is still read, and the rule is named: %o (G14.3, G14.5)', async (change, rule) => {
    const { outcome } = await call(messages, jsonReply({ ...samples.messages, ...change }));
    expect(outcome.value).toMatchObject({ content: samples.messages.content });
    expect(outcome.deviations).toContainEqual(rule);
  });

  it('keeps a reason that nobody has documented', async () => {
    const answer = { ...samples.messages, stop_reason: 'model_context_window_exceeded', stop_sequence: null };
    expect((await call(messages, jsonReply(answer))).outcome).toMatchObject({
      value: { stop_reason: 'model_context_window_exceeded' },
    });
  });

  const input = { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'x' }] };

  it.each([
    ['claude-haiku-4-5', true],
    ['anthropic/claude-sonnet-4-5', true],
    ['gpt-4.1', false],
    ['my-claude-like', false],
  ])(
    'sends the vendor’s headers only where they have an effect: %s (G14.2, G14.2.open, G14.2.vendor-version, G14.2.vendor-beta)',
    async (model, isOwn) => {
      const { seen } = await call(messages, jsonReply(samples.messages), {
        ...input,
        model,
        vendor_beta: ['a-2025', 'b-2025'],
      });
      expect([seen[0]?.headers['vendor-version'], seen[0]?.headers['vendor-beta']]).toEqual(
        isOwn ? ['2023-06-01', 'a-2025,b-2025'] : [undefined, undefined],
      );
      expect(JSON.parse(seen[0]?.body ?? '')).not.toHaveProperty('vendor_beta');
    },
  );

  it('sends another version, no empty list, and max_tokens 4096 by default (G14.1.max_tokens)', async () => {
    const { seen } = await call(messages, jsonReply(samples.messages), {
      ...input,
      vendor_version: '2024-01-01',
      vendor_beta: [],
    });
    expect(seen[0]?.headers).toMatchObject({ 'vendor-version': '2024-01-01' });
    expect(seen[0]?.headers).not.toHaveProperty('vendor-beta');
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ max_tokens: 4096, stream: false });
  });

  it('sends further parameters and richer content as they are (G14.1.message_parameters)', async () => {
    const more = {
      system: 'Be brief.',
      stop_sequences: ['END'],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    };
    const { seen } = await call(messages, jsonReply(samples.messages), { ...input, ...more });
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject(more);
  });
});

describe('an embedding', () => {
  const model = 'm';
  const word = 'toll ';

  it.each<readonly [id: string, input: unknown, problem: RegExp | undefined]>([
    ['G15.2.tokens_per_input', word.repeat(8192), undefined],
    ['G15.2.tokens_per_input', word.repeat(8193), / 8193 tokens .*more than 8192/],
    ['G15.2.empty_string', '', /empty string/],
    ['G15.2.empty_string', ['a', ''], /input\[1\] is an empty string/],
    ['G15.2.elements', [], /empty array/],
    ['G15.2.elements', [[1], []], /input\[1\] is an empty array/],
    ['G15.2.elements', Array.from({ length: 2048 }, () => 'a'), undefined],
    ['G15.2.elements', Array.from({ length: 2049 }, () => 'a'), /2049 elements, more than 2048/],
    ['G15.2.elements', Array.from({ length: 2049 }, () => 1), /2049 elements, more than 2048/],
    ['G15.2.elements', [[1], Array.from({ length: 2049 }, () => 1)], /input\[1\] has 2049 elements/],
    ['G15.2.tokens_per_request', Array.from({ length: 50 }, () => word.repeat(6000)), undefined],
    [
      'G15.2.tokens_per_request',
      Array.from({ length: 50 }, () => word.repeat(6001)),
      /300050 tokens .* more than 300000/,
    ],
    [
      'G15.2.tokens_per_request',
      Array.from({ length: 150 }, () => Array.from({ length: 2001 }, () => 1)),
      /300150 tokens in total/,
    ],
  ])('keeps the limits before anything is sent: %s (G15.2)', async (_, input, problem) => {
    const { error, seen } = await failure(embeddings, jsonReply(samples.embeddings), { model, input });
    if (problem === undefined) expect(error).toBeUndefined();
    else
      expect(error).toMatchObject({
        code: 'model-input-invalid',
        message: expect.stringMatching(problem) as string,
      });
    expect(seen).toHaveLength(problem === undefined ? 1 : 0);
  });

  it('is the same in numbers and in base64 (G15.3.embedding_encoding)', async () => {
    const base64 = Buffer.from(new Float32Array([0.5, -0.25]).buffer).toString('base64');
    for (const embedding of [[0.5, -0.25], base64]) {
      const { outcome } = await call(
        embeddings,
        jsonReply({ ...samples.embeddings, data: [{ object: 'embedding', embedding, index: 0 }] }),
      );
      expect(outcome.deviations).toEqual([]);
      expect(embeddingNumbers(embedding)).toEqual([0.5, -0.25]);
    }
    const odd = { ...samples.embeddings, data: [{ object: 'embedding', embedding: 'AAAA!', index: 0 }] };
    expect((await call(embeddings, jsonReply(odd))).outcome.deviations).toEqual([
      'data[].embedding is not base64 of 32-bit floats',
    ]);
  });

  it('names an answer that is no list (G15.3.object)', async () => {
    const { outcome } = await call(embeddings, jsonReply({ ...samples.embeddings, object: 'embeddings' }));
    expect(outcome.deviations).toEqual(['object is not list']);
  });
});

describe('an answer that is too large or nested too deeply', () => {
  it('is a catalogue error', async () => {
    const large = { ...samples.messages, padding: 'x '.repeat(9 * 1024 * 1024) };
    expect((await failure(messages, jsonReply(large))).error).toMatchObject({
      code: 'gateway-answer-too-large',
    });
    const deep = `{"content":[],"a":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const { error } = await failure(messages, {
      headers: { 'content-type': 'application/json' },
      body: deep,
    });
    expect(error).toMatchObject({
      code: 'gateway-answer-unreadable',
      message: expect.stringContaining('nested') as string,
    });
  });
});
