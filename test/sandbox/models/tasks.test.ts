import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { open, withBox, type Box } from '../support.ts';

type Fields = Record<string, unknown>;

const caller = async (box: Box) => {
  const { key } = await box.createKey({ name: 'caller' });
  const post = async (path: string, body: unknown) => box.call(path, { method: 'POST', key, body });
  const get = async (path: string) => box.call(path, { key });
  const fetchImage = async (id: unknown): Promise<Fields> =>
    (await get(`/imgjob/task/${String(id)}/fetch`)).json;
  return { key, post, get, fetchImage };
};

const pixelsOf = (
  bytes: Buffer,
): { readonly width: number; readonly height: number; readonly size: number } => {
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const length = bytes.readUInt32BE(33);
  return { width, height, size: inflateSync(bytes.subarray(41, 41 + length)).length };
};

describe('an image task of the sandbox', () => {
  it('goes through its states by the clock, and its links are images that decode', () =>
    withBox({}, async (box) => {
      const { post, fetchImage } = await caller(box);
      const body = { prompt: 'a lighthouse', botType: 'STYLIZED_BOT', state: 'mine' };
      const { json } = await post('/imgjob/submit/imagine', body);
      expect(json).toMatchObject({ code: 1, description: 'Submit success' });
      const seen: unknown[] = [];
      for (let step = 0; step < 8; step += 1) {
        const { status, progress } = await fetchImage(json['result']);
        if (seen.at(-1) !== `${String(status)} ${String(progress)}`)
          seen.push(`${String(status)} ${String(progress)}`);
        box.clock.now += 1000;
      }
      expect(seen).toEqual([
        'NOT_START 0%',
        'IN_PROGRESS 0%',
        'IN_PROGRESS 25%',
        'IN_PROGRESS 50%',
        'IN_PROGRESS 75%',
        'SUCCESS 100%',
      ]);
      const record = await fetchImage(json['result']);
      expect(record).toMatchObject({
        action: 'IMAGINE',
        botType: 'STYLIZED_BOT',
        state: 'mine',
        imageWidth: 1024,
      });
      const reply = await fetch(String(record['imageUrl']));
      expect(pixelsOf(Buffer.from(await reply.arrayBuffer()))).toEqual({
        width: 1024,
        height: 1024,
        size: 1024 * (1 + 3 * 1024),
      });
    }));

  it('offers buttons when it has succeeded, and each starts another task', () =>
    withBox({}, async (box) => {
      const { post, fetchImage } = await caller(box);
      const taskId = (await post('/imgjob/submit/imagine', { prompt: 'x' })).json['result'];
      const early = await post('/imgjob/submit/action', { taskId, customId: 'MJ::JOB::upsample::1::0' });
      expect(early.status).toBe(400);
      box.clock.now += 7000;
      const { buttons } = await fetchImage(taskId);
      const [first] = buttons as Fields[];
      const { json } = await post('/imgjob/submit/action', { taskId, customId: first?.['customId'] });
      expect(json['code']).toBe(1);
      box.clock.now += 7000;
      expect(await fetchImage(json['result'])).toMatchObject({ action: 'UPSCALE', status: 'SUCCESS' });
      const foreign = await post('/imgjob/submit/action', {
        taskId: json['result'],
        customId: first?.['customId'],
      });
      expect(foreign.status).toBe(400);
    }));

  it.each([
    ['PORTRAIT', 682, 1024],
    ['SQUARE', 1024, 1024],
    ['LANDSCAPE', 1024, 682],
  ])('that blends has the dimensions %s', (dimensions, imageWidth, imageHeight) =>
    withBox({}, async (box) => {
      const { post, fetchImage } = await caller(box);
      const image = 'data:image/png;base64,iVBORw0KGgo=';
      const { json } = await post('/imgjob/submit/blend', { base64Array: [image, image], dimensions });
      box.clock.now += 7000;
      expect(await fetchImage(json['result'])).toMatchObject({ action: 'BLEND', imageWidth, imageHeight });
    }),
  );

  it.each([
    ['imagine', {}],
    ['imagine', { prompt: 'x', botType: 'OTHER' }],
    ['imagine', { prompt: 'x', base64Array: ['not base64!'] }],
    ['imagine', { prompt: 7 }],
    ['blend', {}],
    ['blend', { base64Array: ['iVBORw0KGgo='] }],
    ['blend', { base64Array: ['data:image/png;base64,iVBORw0KGgo='], dimensions: 'WIDE' }],
    ['describe', {}],
    ['describe', { base64: 'iVBORw0KGgo=', link: 'https://a.example/b.png' }],
    ['describe', { link: 'https://a.example/b.png', language: 'en' }],
    ['action', { taskId: '17' }],
    ['action', { customId: 'x', taskId: 'none' }],
    ['upload-chat-images', { base64Array: [] }],
  ])('is refused to %s for %o', (name, body) =>
    withBox({}, async (box) => {
      const { post } = await caller(box);
      const { status, json } = await post(`/imgjob/submit/${name}`, body);
      expect(status).toBe(400);
      expect(json['error']).toMatchObject({ type: 'invalid_request_error' });
    }),
  );

  it('is not called back at an address of another machine', () =>
    withBox({}, async (box) => {
      const { post } = await caller(box);
      const posted: string[] = [];
      const { callbacks } = box.sandbox.state;
      callbacks.post = (url) => void posted.push(url);
      for (const notifyHook of [
        'http://169.254.169.254/',
        'https://127.0.0.1/',
        'http://127.0.0.1.example/',
        'x',
      ])
        await post('/imgjob/submit/imagine', { prompt: 'x', notifyHook });
      await post('/imgjob/submit/imagine', { prompt: 'x', notifyHook: 'http://localhost:9/' });
      box.clock.now += 10_000;
      box.sandbox.state.later.catchUp();
      expect(new Set(posted)).toEqual(new Set(['http://localhost:9/']));
    }));
});

describe('a music task of the sandbox', () => {
  it('makes a song that the feed shows and whose sound decodes', () =>
    withBox({}, async (box) => {
      const { post, get } = await caller(box);
      const { json } = await post('/music/uploads/audio-url', { url: 'https://a.example/song.mp3' });
      expect(json).toMatchObject({ code: 'success' });
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

  it('is refused for a song that does not exist, and a persona of it too', () =>
    withBox({}, async (box) => {
      const { post } = await caller(box);
      expect((await post('/music/submit/concat', { clip_id: 'none' })).status).toBe(400);
      expect((await post('/music/submit/concat', {})).status).toBe(400);
      expect((await post('/music/uploads/audio-url', { url: 'no address' })).status).toBe(400);
      expect((await post('/music/persona/create', { root_clip_id: 'none', name: 'x' })).status).toBe(400);
    }));
});

describe('a call of a model endpoint', () => {
  /** Amounts of new rows of the log, by model. */
  const booked = async (box: Box, key: string, calls: () => Promise<unknown>) => {
    const start = Math.floor(box.clock.now / 1000);
    await calls();
    box.clock.now += 1000;
    const { rows } = await box.log({ start_timestamp: start, end_timestamp: start + 100_000, columns: '' });
    return rows
      .filter((row) => row['token_name'] === key || Number(row['quota']) < 0)
      .map((row) => `${row['model_name']} ${row['token_name']} ${row['quota']}`)
      .toSorted();
  };

  it('is booked at its price with the name of the key', () =>
    withBox({ callsPerDay: 0.001 }, async (box) => {
      const { post, get } = await caller(box);
      const rows = await booked(box, 'caller', async () => {
        await post('/imgjob/submit/imagine', { prompt: 'x' });
        await post('/imgjob/submit/upload-chat-images', { base64Array: ['iVBORw0KGgo='] });
        await post('/v1/images/generations', { model: 'gpt-image-1', prompt: 'abcd', size: '100x100' });
        await post('/imgedit/v1/edit-context-pro', { prompt: 'x' });
        await post('/music/persona/create', { root_clip_id: 'clip-one', name: 'x' });
        await post('/music/submit/concat', { clip_id: 'clip-one' });
        await get('/music/feed/clip-one');
      });
      expect(rows).toEqual([
        'edit-context-pro caller 0.04',
        'gpt-image-1 caller 0.000405',
        'image-upload caller 0.001',
        'imagine-fast caller 0.04',
        'music-persona caller 0.02',
        'music-v4 caller 0.1',
      ]);
    }));

  it('of a failed task is refunded later by a row without a key', () =>
    withBox({ callsPerDay: 0.001 }, async (box) => {
      const { post } = await caller(box);
      const rows = await booked(box, 'caller', async () => {
        await post('/imgjob/submit/imagine', { prompt: '[fail]' });
        box.clock.now += 1_800_000;
        const { rows: early } = await box.log({ start_timestamp: 0, end_timestamp: 4_000_000_000 });
        expect(early.some((row) => Number(row['quota']) < 0)).toBe(false);
        box.clock.now += 10_000;
      });
      expect(rows).toEqual(['imagine-fast  -0.04', 'imagine-fast caller 0.04']);
    }));

  it('with the same long prompt reads the cache, in the usage and at its price', () =>
    withBox({ callsPerDay: 0.001, variants: { message_usage: 'cached' } }, async (box) => {
      const { key } = await box.createKey({ name: 'caller' });
      const messages = [{ role: 'user', content: 'x'.repeat(8000) }];
      const usages: unknown[] = [];
      const rows = await booked(box, 'caller', async () => {
        for (let call = 0; call < 2; call += 1)
          usages.push((await box.ask(key, { messages, max_tokens: 1 })).json['usage']);
      });
      expect(usages).toMatchObject([
        { input_tokens: 2004, cache_read_input_tokens: 0 },
        { input_tokens: 0, cache_read_input_tokens: 2004 },
      ]);
      expect(rows).toEqual(['claude-haiku-4-5 caller 0.0002054', 'claude-haiku-4-5 caller 0.002009']);
    }));
});

describe('a sandbox that runs in real time', () => {
  it('leaves no callback and no timer behind when it stops', async () => {
    const box = await open();
    const { post } = await caller(box);
    await post('/imgjob/submit/imagine', { prompt: 'x', notifyHook: 'http://127.0.0.1:9/' });
    await box.sandbox.stop();
    expect(box.sandbox.state.tasks.size).toBe(1);
  });
});
