import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { observing, type Check } from './observe.ts';
import type { Box, Reply } from './support.ts';

type Fields = Record<string, unknown>;

/** A request to a model endpoint with a key of its own. */
const send = async (box: Box, path: string, body: Fields): Promise<Reply> =>
  box.post((await box.createKey()).key, path, body);
const read = async (box: Box, path: string) => box.call(path, { key: (await box.createKey()).key });

const imagine = async (box: Box, more: Fields = {}): Promise<Fields> =>
  (await send(box, '/imgjob/submit/imagine', { prompt: 'a lighthouse', ...more })).json;

/** The record of a new image task so many milliseconds after its submission. */
const imageAfter = async (box: Box, millis: number): Promise<Fields> => {
  const { result } = await imagine(box);
  box.clock.now += millis;
  return (await read(box, `/imgjob/task/${String(result)}/fetch`)).json;
};

const musicAfter = async (box: Box, millis: number) => {
  const { json } = await send(box, '/music/submit/concat', { clip_id: 'clip-one' });
  box.clock.now += millis;
  const { code, data } = (await read(box, `/music/fetch/${String(json['data'])}`)).json;
  return { code, data: data as Fields | null };
};

const musicState = async (box: Box, millis: number): Promise<unknown> =>
  (await musicAfter(box, millis)).data?.['status'];
const imageState = async (box: Box, millis: number): Promise<unknown> =>
  (await imageAfter(box, millis))['status'];

const generate = (box: Box): Promise<Reply> =>
  send(box, '/v1/images/generations', { model: 'gpt-image-1', prompt: 'a lighthouse', size: '64x64' });

const edit = (box: Box, more: Fields = {}): Promise<Reply> =>
  send(box, '/imgedit/v1/edit-context-pro', { prompt: 'make it night', ...more });

const ask = async (box: Box, more: Fields = {}): Promise<Reply> => box.ask((await box.createKey()).key, more);

const embed = async (box: Box, more: Fields = {}): Promise<Reply> =>
  box.embed((await box.createKey()).key, 'hello', more);

const typeOf = ({ headers }: Reply): string | undefined => headers.get('content-type')?.split(';')[0];
const keysOf = (fields: unknown): string => Object.keys(fields ?? {}).join();

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

const { sees } = observing();

/** One check for each switch of model endpoints, by its ID in docs/gateway.md. */
export const modelVariants: Readonly<Record<string, Check>> = {
  'G9.3.model_unavailable': sees(
    { '503': '503 model_not_found', '404': '404 model_not_found', '400': '400 invalid_model' },
    async (box) => {
      const { status, json } = await ask(box, { model: 'no-such-model' });
      return [status, (json['error'] as Fields)['code']];
    },
  ),
  'G9.4.callbacks': sees({ 'each-change': 6, lost: 0 }, callbacksOf),
  'G9.5.image_task_states': sees(
    {
      plain: 'SUBMITTED IN_PROGRESS SUCCESS',
      modal: 'MODAL IN_PROGRESS SUCCESS',
      unseen: 'SUBMITTED PAINTING SUCCESS',
      'lower-case': 'submitted in_progress success',
    },
    async (box) => [await imageState(box, 800), await imageState(box, 3000), await imageState(box, 7000)],
  ),
  'G9.5.music_task_states': sees({ plain: 'QUEUED SUCCESS', unknown: 'UNKNOWN SUCCESS' }, async (box) => {
    return [await musicState(box, 1700), await musicState(box, 9000)];
  }),
  'G9.5.task_outcome': sees(
    {
      success: 'SUCCESS SUCCESS',
      failure: 'FAILURE FAILURE',
      cancel: 'CANCEL FAILURE',
      endless: 'IN_PROGRESS IN_PROGRESS',
    },
    async (box) => [await imageState(box, 3_600_000), await musicState(box, 3_600_000)],
  ),
  'G9.6.model_errors': sees(
    {
      'error-object': 'error 400 application/json error',
      'typed-error': 'type,error 400 application/json type,error',
      'result-fields': 'code,description,result 400 application/json error',
      envelope: 'success,message,data 200 application/json success,message,data',
      html: '"" 400 text/html ""',
    },
    async (box) => {
      const refused = await ask(box, { messages: [] });
      const task = keysOf(await imagine(box, { prompt: '' }));
      return [task, refused.status, typeOf(refused), keysOf(refused.json)];
    },
  ),
  'G10.1.persona_fields': sees(
    { 'clip-and-name': '400 200 200', all: '400 400 200', none: '200 200 200' },
    async (box) => {
      const create = async (body: Fields) => (await send(box, '/music/persona/create', body)).status;
      const some = { root_clip_id: 'clip-one', name: 'Night driver' };
      const all = { ...some, description: '', clips: ['clip-two'], is_public: false };
      return [await create({}), await create(some), await create(all)];
    },
  ),
  'G10.4.feed_separator': sees({ comma: '2 0 0', semicolon: '0 2 0', space: '0 0 2' }, async (box) => {
    const count = async (separator: string): Promise<number> => {
      const path = `/music/feed/${encodeURIComponent(['clip-one', 'clip-two'].join(separator))}`;
      return (JSON.parse((await read(box, path)).text) as unknown[]).length;
    };
    return [await count(','), await count(';'), await count(' ')];
  }),
  'G10.6.music_task_times': sees({ seconds: 8, milliseconds: 8000 }, async (box) => {
    const { data } = await musicAfter(box, 9000);
    return Number(data?.['finish_time']) - Number(data?.['submit_time']);
  }),
  'G10.6.music_task_data': sees({ present: 'success -', 'null-at-first': 'success +' }, async (box) => {
    const { code, data } = await musicAfter(box, 100);
    return [code, data === null];
  }),
  'G10.7.music_submission': sees(
    { accepted: 'success +', 'refused-word': 'invalid_request -', 'refused-number': '"1001" -' },
    async (box) => {
      const { json } = await send(box, '/music/uploads/audio-url', { url: 'https://a.example/b.mp3' });
      return [json['code'], String(json['data']).startsWith('task-')];
    },
  ),
  'G11.1.missing_task': sees({ '404': '404 -', null: '200 +' }, async (box) => {
    const { status, text } = await read(box, '/imgjob/task/17/fetch');
    return [status, text === 'null'];
  }),
  'G11.2.image_task_times': sees({ milliseconds: 6000, seconds: 6 }, async (box) => {
    const { submitTime, finishTime } = await imageAfter(box, 7000);
    return Number(finishTime) - Number(submitTime);
  }),
  'G11.2.image_task_nulls': sees({ absent: '', present: null }, async (box) => {
    return (await imageAfter(box, 100))['imageUrl'];
  }),
  'G11.6.base64_images': sees({ any: 1, four: undefined }, async (box) => {
    return (await imagine(box, { base64Array: Array(5).fill(image) }))['code'];
  }),
  'G11.10.image_submission': sees(
    { accepted: '1 +', 'window-waiting': '21 +', queued: '22 +', 'queue-full': '23 -', error: '4 -' },
    async (box) => {
      const { code, result } = await imagine(box);
      return [code, result !== ''];
    },
  ),
  'G12.1.image_sizes': sees({ any: 200, listed: 400 }, async (box) => (await generate(box)).status),
  'G12.2.image_items': sees({ url: 'url', base64: 'b64_json', both: 'url,b64_json' }, async (box) =>
    keysOf(((await generate(box)).json['data'] as Fields[])[0]),
  ),
  'G12.2.image_usage': sees({ present: 5, missing: 0, partial: 1, additional: 8 }, async (box) => {
    return Object.keys((await generate(box)).json['usage'] ?? {}).length;
  }),
  'G13.1.image_edit_fields': sees({ prompt: '200 200', 'prompt-and-image': '400 200' }, async (box) => [
    (await edit(box)).status,
    (await edit(box, { input_image: image })).status,
  ]),
  'G13.1.image_edit_answer': sees(
    {
      task: 'application/json id,polling_url',
      items: 'application/json created,data',
      image: 'image/png ""',
    },
    async (box) => {
      const reply = await edit(box);
      return [typeOf(reply), keysOf(reply.json)];
    },
  ),
  'G14.1.message_parameters': sees({ any: 200, documented: 400 }, async (box) => {
    return (await ask(box, { system: 'Be brief.' })).status;
  }),
  'G14.3.message_usage': sees(
    {
      documented: 'input_tokens,output_tokens',
      cached: 'input_tokens,output_tokens,cache_creation_input_tokens,cache_read_input_tokens',
      missing: '',
    },
    async (box) => keysOf((await ask(box)).json['usage']),
  ),
  'G14.6.message_events': sees({ named: '+ -', unnamed: '- -', extended: '+ +' }, async (box) => {
    const { text } = await ask(box, { stream: true, max_tokens: 2 });
    return [text.includes('event: message_start'), text.includes('vendor_progress')];
  }),
  'G15.3.embedding_encoding': sees({ honored: 'string', 'float-only': 'object' }, async (box) => {
    const { json } = await embed(box, { encoding_format: 'base64' });
    return typeof (json['data'] as Fields[])[0]?.['embedding'];
  }),
  'G15.3.embedding_dimensions': sees({ honored: 200, refused: 400 }, async (box) => {
    return (await embed(box, { dimensions: 8 })).status;
  }),
  'G15.3.embedding_usage': sees({ present: true, missing: false }, async (box) => {
    return (await embed(box)).json['usage'] !== undefined;
  }),
};
