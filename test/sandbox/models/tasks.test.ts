import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { withBox, type Box } from '../support.ts';

type Fields = Record<string, unknown>;

const caller = async (box: Box) => {
  const { key } = await box.createKey({ name: 'caller' });
  const post = async (path: string, body: unknown) => box.post(key, path, body);
  const get = async (path: string) => box.call(path, { key });
  const submit = async (name: string, body: Fields): Promise<unknown> =>
    (await post(`/imgjob/submit/${name}`, body)).json['result'];
  const fetchImage = async (id: unknown): Promise<Fields> =>
    (await get(`/imgjob/task/${String(id)}/fetch`)).json;
  /** Calls of the key, and refunds: model, key and amount. */
  const booked = async (): Promise<string[]> => {
    const { rows } = await box.log({ start_timestamp: 0, end_timestamp: 4e9 });
    const live = rows.filter((row) => row['token_name'] === 'caller' || Number(row['quota']) < 0);
    return live.map((row) => `${row['model_name']} ${row['token_name']} ${row['quota']}`).toSorted();
  };
  return { box, key, post, get, submit, fetchImage, booked };
};

const setting = { callsPerDay: 0.001, variants: { message_usage: 'cached' } } as const;
const open = (look: (own: Awaited<ReturnType<typeof caller>>) => Promise<void>) =>
  withBox(setting, async (box) => look(await caller(box)));

const image = 'data:image/png;base64,iVBORw0KGgo=';
const link = 'https://a.example/b.png';

it('an image task goes through its states by the clock, and starts others by its own buttons once it has succeeded', () =>
  open(async ({ box, post, submit, fetchImage }) => {
    const id = await submit('imagine', { prompt: 'a lighthouse', botType: 'STYLIZED_BOT', state: 'mine' });
    const described = await submit('describe', { link });
    const act = async (taskId: unknown, customId: unknown) =>
      post('/imgjob/submit/action', { taskId, customId });
    expect((await act(id, 'MJ::JOB::upsample::1::0')).status).toBe(400);
    const seen = new Set<unknown>();
    for (let step = 0; step < 8; step += 1) {
      seen.add((await fetchImage(id))['progress']);
      box.clock.now += 1000;
    }
    expect([...seen].join(' ')).toBe('0% 25% 50% 75% 100%');
    const { buttons, imageUrl, ...record } = await fetchImage(id);
    expect(record).toMatchObject({
      action: 'IMAGINE',
      botType: 'STYLIZED_BOT',
      state: 'mine',
      imageWidth: 1024,
    });
    const bytes = Buffer.from(await (await fetch(String(imageUrl))).arrayBuffer());
    const pixels = inflateSync(bytes.subarray(41, 41 + bytes.readUInt32BE(33)));
    expect([bytes.readUInt32BE(16), pixels.length]).toEqual([1024, 1024 * (1 + 3 * 1024)]);
    expect(await fetchImage(described)).toMatchObject({ prompt: expect.stringMatching(/./u) });
    const [first] = buttons as Fields[];
    const { json } = await act(id, first?.['customId']);
    box.clock.now += 7000;
    expect(await fetchImage(json['result'])).toMatchObject({ action: 'UPSCALE', status: 'SUCCESS' });
    expect((await act(json['result'], first?.['customId'])).status).toBe(400);
  }));

it('a task with a wrong body, and a persona of an unknown song, are refused', () =>
  open(async ({ post }) => {
    const [prompt, base64] = ['x', 'iVBORw0KGgo='];
    const wrong = {
      'imgjob/submit/imagine': [
        {},
        { prompt, botType: 'OTHER' },
        { prompt, base64Array: ['?'] },
        { prompt: 7 },
      ],
      'imgjob/submit/blend': [{}, { base64Array: [base64] }, { base64Array: [image], dimensions: 'WIDE' }],
      'imgjob/submit/describe': [{}, { base64, link }, { link, language: 'en' }],
      'imgjob/submit/action': [{ taskId: '17' }, { customId: 'x', taskId: 'none' }],
      'imgjob/submit/upload-chat-images': [{ base64Array: [] }],
      'music/submit/concat': [{}, { clip_id: 'none' }],
      'music/uploads/audio-url': [{ url: 'no address' }],
      'music/persona/create': [{ root_clip_id: 'none', name: 'x' }],
    };
    for (const [path, bodies] of Object.entries(wrong))
      for (const body of bodies) {
        const { status, json } = await post(`/${path}`, body);
        expect([path, body, status]).toEqual([path, body, 400]);
        expect(json['error']).toMatchObject({ type: 'invalid_request_error' });
      }
  }));

it('a task is not called back at an address of another machine', () =>
  open(async ({ box, submit }) => {
    const posted = new Set<string>();
    box.sandbox.state.callbacks.post = (url) => void posted.add(url);
    const wrong = ['http://169.254.169.254/', 'https://127.0.0.1/', 'http://127.0.0.1.example/', 'x'];
    for (const notifyHook of [...wrong, 'http://localhost:9/'])
      await submit('imagine', { prompt: 'x', notifyHook });
    box.clock.now += 10_000;
    box.sandbox.state.later.catchUp();
    expect([...posted]).toEqual(['http://localhost:9/']);
  }));

it('a music task makes a song that the feed shows and whose sound decodes', () =>
  open(async ({ box, post, get }) => {
    const { json } = await post('/music/uploads/audio-url', { url: 'https://a.example/song.mp3' });
    box.clock.now += 9000;
    const { data } = (await get(`/music/fetch/${String(json['data'])}`)).json as { data: Fields };
    expect(data).toMatchObject({ status: 'SUCCESS', progress: '100%', action: 'UPLOAD' });
    const id = String((data['data'] as Fields)['id']);
    const [clip] = JSON.parse((await get(`/music/feed/${id}`)).text) as Fields[];
    expect(clip).toMatchObject({ id, title: 'song.mp3', status: 'complete' });
    const reply = await fetch(String(clip?.['audio_url']));
    expect(reply.headers.get('content-type')).toBe('audio/mpeg');
    const sound = Buffer.from(await reply.arrayBuffer());
    // Every frame begins with its sync word where the last one ends.
    expect(sound.length % 104).toBe(0);
    for (let at = 0; at < sound.length; at += 104) expect(sound.readUInt16BE(at)).toBe(0xfffb);
  }));

it('a failed task is booked with the name of the key, and refunded half an hour later without one', () =>
  open(async ({ box, submit, booked }) => {
    await submit('imagine', { prompt: '[fail]' });
    box.clock.now += 1_800_000;
    expect(await booked()).toEqual(['imagine-fast caller 0.04']);
    box.clock.now += 10_000;
    expect(await booked()).toEqual(['imagine-fast  -0.04', 'imagine-fast caller 0.04']);
  }));

it('a call with the same long prompt reads the cache, in the usage and at its price', () =>
  open(async ({ box, key, booked }) => {
    const more = { messages: [{ role: 'user', content: 'x'.repeat(8000) }], max_tokens: 1 };
    const usages = [await box.ask(key, more), await box.ask(key, more)].map(({ json }) => json['usage']);
    expect(usages).toMatchObject([{ cache_read_input_tokens: 0 }, { cache_read_input_tokens: 2004 }]);
    box.clock.now += 1000;
    expect((await booked()).join()).toMatch(/^\S+ caller 0.0002054,\S+ caller 0.002009$/u);
  }));

it('a sandbox that runs in real time leaves no callback and no timer behind when it stops', () =>
  open(async ({ box, submit }) => {
    await submit('imagine', { prompt: 'x', notifyHook: 'http://127.0.0.1:9/' });
    expect(box.sandbox.state.tasks.size).toBe(1);
  }));
