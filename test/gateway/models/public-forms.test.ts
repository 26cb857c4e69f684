import { describe, expect, it } from 'vitest';
import { callModel, modelEndpoints, streamMessage, type ModelEndpoint } from '../../../src/gateway/index.ts';
import { inputs } from './inputs.ts';
import { jsonReply, scriptedModels } from './scripted-models.ts';

/** Answers in the forms that the public documentation of services of these families shows. */
const shown: readonly (readonly [source: string, endpoint: string, answer: unknown, kept: object])[] = [
  [
    'OpenAI, create embeddings',
    'embeddings',
    {
      object: 'list',
      data: [{ object: 'embedding', embedding: [0.0023064255, -0.009327292, -0.0028842222], index: 0 }],
      model: 'text-embedding-ada-002',
      usage: { prompt_tokens: 8, total_tokens: 8 },
    },
    { usage: { total_tokens: 8 } },
  ],
  [
    'OpenAI, create image',
    'generate-image',
    {
      created: 1_713_833_628,
      data: [{ b64_json: 'iVBORw0KGgo=' }],
      usage: {
        total_tokens: 100,
        input_tokens: 50,
        output_tokens: 50,
        input_tokens_details: { text_tokens: 10, image_tokens: 40 },
      },
    },
    { data: [{ b64_json: 'iVBORw0KGgo=' }], usage: { input_tokens: 50 } },
  ],
  [
    'OpenAI, create image with dall-e-3',
    'generate-image',
    {
      created: 1_589_478_378,
      data: [{ url: 'https://cdn.example/1.png', revised_prompt: 'a lighthouse at dusk' }],
    },
    { data: [{ url: 'https://cdn.example/1.png', revised_prompt: 'a lighthouse at dusk' }] },
  ],
  [
    'Anthropic, messages',
    'messages',
    {
      id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5-20250929',
      content: [{ citations: null, text: "Hi! I'm Claude.", type: 'text' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        cache_creation_input_tokens: 2051,
        cache_read_input_tokens: 2051,
        input_tokens: 2095,
        output_tokens: 503,
        server_tool_use: { web_search_requests: 0 },
        service_tier: 'standard',
      },
    },
    { stop_reason: 'end_turn', usage: { input_tokens: 2095, cache_read_input_tokens: 2051 } },
  ],
  [
    'Midjourney proxy, submit',
    'imagine',
    { code: 1, description: '提交成功', properties: {}, result: '1320098173412546' },
    { code: 1, result: '1320098173412546' },
  ],
  [
    'Midjourney proxy, queued',
    'imagine',
    {
      code: 22,
      description: '排队中，前面还有1个任务',
      result: '1320098173412546',
      properties: { numberOfQueues: 1, discordInstanceId: '1118138338562560102' },
    },
    { code: 22, properties: { numberOfQueues: 1 } },
  ],
  [
    'Midjourney proxy, fetch',
    'image-task',
    {
      action: 'IMAGINE',
      id: '1320098173412546',
      prompt: 'Cat',
      promptEn: 'Cat',
      description: '/imagine Cat',
      state: '',
      submitTime: 1_689_231_405_854,
      startTime: 1_689_231_442_755,
      finishTime: 1_689_231_544_312,
      imageUrl: 'https://cdn.example/cat.png',
      status: 'SUCCESS',
      progress: '100%',
      failReason: null,
      properties: { finalPrompt: 'Cat', notifyHook: '' },
    },
    { status: 'SUCCESS', prompt: 'Cat', failReason: null },
  ],
  [
    'Suno API, fetch',
    'music-task',
    {
      code: 'success',
      message: '',
      data: {
        task_id: '346c5d10-a4a1-4f49-a851-66a7dae6cfaf',
        notify_hook: '',
        action: 'MUSIC',
        status: 'SUCCESS',
        fail_reason: '',
        submit_time: 1_716_191_749,
        start_time: 1_716_191_786,
        finish_time: 1_716_191_847,
        progress: '100%',
        data: [
          {
            id: 'e9893d04-6a63-4007-8473-64b706eca4d1',
            title: 'Electric Dance Party',
            status: 'complete',
            text: '',
            audio_url: 'https://cdn.example/1.mp3',
          },
        ],
      },
    },
    { data: { status: 'SUCCESS', data: [{ id: 'e9893d04-6a63-4007-8473-64b706eca4d1' }] } },
  ],
  [
    'Suno API, submit',
    'concat',
    { code: 'success', message: '', data: '736a6f88-bd29-4b1e-b110-37132a5325ac' },
    { data: '736a6f88-bd29-4b1e-b110-37132a5325ac' },
  ],
  [
    'FLUX Kontext, edit',
    'edit-image',
    { id: '3c90c3cc-0d44-4b50-8888-8dd25736052a', polling_url: 'https://api.example/v1/get_result?id=3c90' },
    { polling_url: 'https://api.example/v1/get_result?id=3c90' },
  ],
];

const endpointOf = (name: string): ModelEndpoint =>
  modelEndpoints.find((endpoint) => endpoint.name === name) ?? (modelEndpoints[0] as ModelEndpoint);

describe('an answer in a form of public documentation', () => {
  it.each(shown)('is read: %s', async (_, name, answer, kept) => {
    const { deps, key } = await scriptedModels([jsonReply(answer)]);
    const { value } = await callModel(deps, endpointOf(name), key, inputs[name] ?? {});
    expect(value).toMatchObject(kept);
  });

  it('is put together from a documented stream', async () => {
    const body = `event: message_start
data: {"type": "message_start", "message": {"id": "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY", "type": "message", "role": "assistant", "content": [], "model": "claude-opus-4-6", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}

event: content_block_delta
data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "!"}}

event: content_block_stop
data: {"type": "content_block_stop", "index": 0}

event: message_delta
data: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence":null}, "usage": {"output_tokens": 15}}

event: message_stop
data: {"type": "message_stop"}

`;
    const { deps, key } = await scriptedModels([{ headers: { 'content-type': 'text/event-stream' }, body }]);
    const input = { model: 'claude-opus-4-6', messages: [{ role: 'user', content: 'Hello' }] };
    expect(await streamMessage(deps, key, input, () => undefined)).toMatchObject({
      value: { content: [{ type: 'text', text: 'Hello!' }], usage: { input_tokens: 25, output_tokens: 15 } },
      deviations: [],
    });
  });
});
