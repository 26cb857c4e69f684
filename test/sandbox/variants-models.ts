import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expectSeen } from './observe.ts';
import type { Box, Reply } from './support.ts';

type Fields = Record<string, unknown>;

const post = (box: Box, key: string, path: string, body: unknown): Promise<Reply> =>
  box.call(path, { method: 'POST', key, body });

const get = (box: Box, key: string, path: string): Promise<Reply> => box.call(path, { key });

const imagine = async (box: Box, more: Fields = {}): Promise<{ key: string; answer: Fields }> => {
  const { key } = await box.createKey();
  const { json } = await post(box, key, '/imgjob/submit/imagine', { prompt: 'a lighthouse', ...more });
  return { key, answer: json };
};

/** The record of a new image task so many milliseconds after its submission. */
const imageAfter = async (box: Box, millis: number): Promise<Fields> => {
  const { key, answer } = await imagine(box);
  box.clock.now += millis;
  return (await get(box, key, `/imgjob/task/${String(answer['result'])}/fetch`)).json;
};

const musicAfter = async (box: Box, millis: number): Promise<Fields> => {
  const { key } = await box.createKey();
  const { json } = await post(box, key, '/music/submit/concat', { clip_id: 'clip-one' });
  box.clock.now += millis;
  return (await get(box, key, `/music/fetch/${String(json['data'])}`)).json;
};

const musicStatus = async (box: Box, millis: number): Promise<unknown> =>
  ((await musicAfter(box, millis))['data'] as Fields | null)?.['status'];

const generate = async (box: Box, more: Fields = {}): Promise<Reply> => {
  const { key } = await box.createKey();
  return post(box, key, '/v1/images/generations', {
    model: 'gpt-image-1',
    prompt: 'a lighthouse',
    size: '64x64',
    ...more,
  });
};

const edit = async (box: Box, more: Fields = {}): Promise<Reply> => {
  const { key } = await box.createKey();
  return post(box, key, '/imgedit/v1/edit-context-pro', { prompt: 'make it night', ...more });
};

const ask = async (box: Box, more: Fields = {}): Promise<Reply> => box.ask((await box.createKey()).key, more);

const embed = async (box: Box, more: Fields = {}): Promise<Reply> =>
  box.embed((await box.createKey()).key, 'hello', more);

const image = 'iVBORw0KGgo=';

/** The calls that a receiver on this machine gets for a task that runs to its end. */
const callbacksOf = async (box: Box): Promise<number> => {
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    request.resume();
    response.end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const { port } = receiver.address() as AddressInfo;
    await imagine(box, { notifyHook: `http://127.0.0.1:${port}/hook` });
    box.clock.now += 10_000;
    box.sandbox.state.later.catchUp();
    await box.sandbox.state.callbacks.settled();
    return received;
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
};

/** One check for each switch of model endpoints, by its ID in docs/gateway.md. */
export const modelVariants: Readonly<Record<string, () => Promise<void>>> = {
  'G9.3.model_unavailable': () =>
    expectSeen(
      'model_unavailable',
      async (box) => {
        const { status, json } = await ask(box, { model: 'no-such-model' });
        return [status, (json['error'] as Fields)['code']];
      },
      { '503': [503, 'model_not_found'], '404': [404, 'model_not_found'], '400': [400, 'invalid_model'] },
    ),

  'G9.4.callbacks': () => expectSeen('callbacks', callbacksOf, { 'each-change': 6, lost: 0 }),

  'G9.5.image_task_states': () =>
    expectSeen(
      'image_task_states',
      async (box) => [
        (await imageAfter(box, 800))['status'],
        (await imageAfter(box, 3000))['status'],
        (await imageAfter(box, 7000))['status'],
      ],
      {
        plain: ['SUBMITTED', 'IN_PROGRESS', 'SUCCESS'],
        modal: ['MODAL', 'IN_PROGRESS', 'SUCCESS'],
        unseen: ['SUBMITTED', 'PAINTING', 'SUCCESS'],
        'lower-case': ['submitted', 'in_progress', 'success'],
      },
    ),

  'G9.5.music_task_states': () =>
    expectSeen(
      'music_task_states',
      async (box) => [await musicStatus(box, 1700), await musicStatus(box, 9000)],
      { plain: ['QUEUED', 'SUCCESS'], unknown: ['UNKNOWN', 'SUCCESS'] },
    ),

  'G9.5.task_outcome': () =>
    expectSeen(
      'task_outcome',
      async (box) => [(await imageAfter(box, 3_600_000))['status'], await musicStatus(box, 3_600_000)],
      {
        success: ['SUCCESS', 'SUCCESS'],
        failure: ['FAILURE', 'FAILURE'],
        cancel: ['CANCEL', 'FAILURE'],
        endless: ['IN_PROGRESS', 'IN_PROGRESS'],
      },
    ),

  'G9.6.model_errors': () =>
    expectSeen(
      'model_errors',
      async (box) => {
        const { answer } = await imagine(box, { prompt: '' });
        const { status, headers, json } = await ask(box, { messages: [] });
        return [
          Object.keys(answer).join(),
          status,
          headers.get('content-type')?.split(';')[0],
          Object.keys(json).join(),
        ];
      },
      {
        'error-object': ['error', 400, 'application/json', 'error'],
        'typed-error': ['type,error', 400, 'application/json', 'type,error'],
        'result-fields': ['code,description,result', 400, 'application/json', 'error'],
        envelope: ['success,message,data', 200, 'application/json', 'success,message,data'],
        html: ['', 400, 'text/html', ''],
      },
    ),

  'G10.1.persona_fields': () =>
    expectSeen(
      'persona_fields',
      async (box) => {
        const { key } = await box.createKey();
        const create = async (body: Fields): Promise<number> =>
          (await post(box, key, '/music/persona/create', body)).status;
        const some = { root_clip_id: 'clip-one', name: 'Night driver' };
        const all = { ...some, description: '', clips: ['clip-two'], is_public: false };
        return [await create({}), await create(some), await create(all)];
      },
      { 'clip-and-name': [400, 200, 200], all: [400, 400, 200], none: [200, 200, 200] },
    ),

  'G10.4.feed_separator': () =>
    expectSeen(
      'feed_separator',
      async (box) => {
        const { key } = await box.createKey();
        const count = async (separator: string): Promise<number> => {
          const path = `/music/feed/${encodeURIComponent(['clip-one', 'clip-two'].join(separator))}`;
          return (JSON.parse((await get(box, key, path)).text) as unknown[]).length;
        };
        return [await count(','), await count(';'), await count(' ')];
      },
      { comma: [2, 0, 0], semicolon: [0, 2, 0], space: [0, 0, 2] },
    ),

  'G10.6.music_task_times': () =>
    expectSeen(
      'music_task_times',
      async (box) => {
        const data = (await musicAfter(box, 9000))['data'] as Fields;
        return Number(data['finish_time']) - Number(data['submit_time']);
      },
      { seconds: 8, milliseconds: 8000 },
    ),

  'G10.6.music_task_data': () =>
    expectSeen(
      'music_task_data',
      async (box) => {
        const { code, data } = await musicAfter(box, 100);
        return [code, data === null];
      },
      { present: ['success', false], 'null-at-first': ['success', true] },
    ),

  'G10.7.music_submission': () =>
    expectSeen(
      'music_submission',
      async (box) => {
        const { key } = await box.createKey();
        const { json } = await post(box, key, '/music/uploads/audio-url', { url: 'https://a.example/b.mp3' });
        return [json['code'], String(json['data']).startsWith('task-')];
      },
      {
        accepted: ['success', true],
        'refused-word': ['invalid_request', false],
        'refused-number': ['1001', false],
      },
    ),

  'G11.1.missing_task': () =>
    expectSeen(
      'missing_task',
      async (box) => {
        const { key } = await box.createKey();
        const { status, text } = await get(box, key, '/imgjob/task/17/fetch');
        return [status, text === 'null'];
      },
      { '404': [404, false], null: [200, true] },
    ),

  'G11.2.image_task_times': () =>
    expectSeen(
      'image_task_times',
      async (box) => {
        const { submitTime, finishTime } = await imageAfter(box, 7000);
        return Number(finishTime) - Number(submitTime);
      },
      { milliseconds: 6000, seconds: 6 },
    ),

  'G11.2.image_task_nulls': () =>
    expectSeen('image_task_nulls', async (box) => (await imageAfter(box, 100))['imageUrl'], {
      absent: '',
      present: null,
    }),

  'G11.6.base64_images': () =>
    expectSeen(
      'base64_images',
      async (box) => {
        const { answer } = await imagine(box, { base64Array: [image, image, image, image, image] });
        return answer['code'];
      },
      { any: 1, four: undefined },
    ),

  'G11.10.image_submission': () =>
    expectSeen(
      'image_submission',
      async (box) => {
        const { answer } = await imagine(box);
        return [answer['code'], answer['result'] !== ''];
      },
      {
        accepted: [1, true],
        'window-waiting': [21, true],
        queued: [22, true],
        'queue-full': [23, false],
        error: [4, false],
      },
    ),

  'G12.1.image_sizes': () =>
    expectSeen('image_sizes', async (box) => (await generate(box)).status, { any: 200, listed: 400 }),

  'G12.2.image_items': () =>
    expectSeen(
      'image_items',
      async (box) => Object.keys(((await generate(box)).json['data'] as Fields[])[0] ?? {}).join(),
      { url: 'url', base64: 'b64_json', both: 'url,b64_json' },
    ),

  'G12.2.image_usage': () =>
    expectSeen(
      'image_usage',
      async (box) => Object.keys(((await generate(box)).json['usage'] ?? {}) as Fields).length,
      { present: 5, missing: 0, partial: 1, additional: 8 },
    ),

  'G13.1.image_edit_fields': () =>
    expectSeen(
      'image_edit_fields',
      async (box) => [(await edit(box)).status, (await edit(box, { input_image: image })).status],
      { prompt: [200, 200], 'prompt-and-image': [400, 200] },
    ),

  'G13.1.image_edit_answer': () =>
    expectSeen(
      'image_edit_answer',
      async (box) => {
        const { headers, json } = await edit(box);
        return [headers.get('content-type')?.split(';')[0], Object.keys(json).join()];
      },
      {
        task: ['application/json', 'id,polling_url'],
        items: ['application/json', 'created,data'],
        image: ['image/png', ''],
      },
    ),

  'G14.1.message_parameters': () =>
    expectSeen('message_parameters', async (box) => (await ask(box, { system: 'Be brief.' })).status, {
      any: 200,
      documented: 400,
    }),

  'G14.3.message_usage': () =>
    expectSeen(
      'message_usage',
      async (box) => Object.keys(((await ask(box)).json['usage'] ?? {}) as Fields).join(),
      {
        documented: 'input_tokens,output_tokens',
        cached: 'input_tokens,output_tokens,cache_creation_input_tokens,cache_read_input_tokens',
        missing: '',
      },
    ),

  'G14.6.message_events': () =>
    expectSeen(
      'message_events',
      async (box) => {
        const { text } = await ask(box, { stream: true, max_tokens: 2 });
        return [text.includes('event: message_start'), text.includes('vendor_progress')];
      },
      { named: [true, false], unnamed: [false, false], extended: [true, true] },
    ),

  'G15.3.embedding_encoding': () =>
    expectSeen(
      'embedding_encoding',
      async (box) => {
        const { json } = await embed(box, { encoding_format: 'base64' });
        return typeof (json['data'] as Fields[])[0]?.['embedding'];
      },
      { honored: 'string', 'float-only': 'object' },
    ),

  'G15.3.embedding_dimensions': () =>
    expectSeen('embedding_dimensions', async (box) => (await embed(box, { dimensions: 8 })).status, {
      honored: 200,
      refused: 400,
    }),

  'G15.3.embedding_usage': () =>
    expectSeen('embedding_usage', async (box) => (await embed(box)).json['usage'] !== undefined, {
      present: true,
      missing: false,
    }),
};
