import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/index.ts';
import { open, withBox, type Box } from './support.ts';

let box: Box;
beforeAll(async () => {
  box = await open({ variants: { key_cap: 'none' } });
});
afterAll(() => box.sandbox.stop());
beforeEach(() => {
  box.sandbox.faults.clear();
  box.sandbox.requests.clear();
});

const LOG = '/api/log/self/stream-export';
const plant = (fault: Fault): void => box.sandbox.faults.plant(fault);
const listed = async (id: number): Promise<boolean> =>
  (await box.page({ page_size: 100 })).items.some((key) => key.id === id);

describe('a fault', () => {
  test.each<[Fault, number, string | RegExp, string | null]>([
    [{ kind: 'status', status: 503, body: 'busy', retryAfter: '7' }, 503, 'busy', '7'],
    [{ kind: 'status', status: 500 }, 500, '', null],
    [{ kind: 'rate-limit' }, 429, '', null],
    [{ kind: 'envelope', message: 'busy' }, 200, '{"success":false,"message":"busy","data":null}', null],
    [{ kind: 'html' }, 200, /^<!doctype html>/u, null],
    [{ kind: 'redirect', location: 'https://elsewhere.example/' }, 302, '', 'https://elsewhere.example/'],
  ])('replaces one answer: %j', async (fault, status, text, header) => {
    plant(fault);
    const { headers, ...reply } = await box.call(LOG);
    expect(reply).toMatchObject({ status, text: expect.stringMatching(text) });
    if (typeof text === 'string') expect(reply.text).toBe(text);
    expect(headers.get('retry-after') ?? headers.get('location')).toBe(header);
    expect((await box.call(LOG)).status).toBe(200);
  });

  test.each(['gzip', 'none'] as const)('ends a body early, compression %s', async (compression) => {
    await withBox({ variants: { compression } }, async (own) => {
      const whole = (await own.call(LOG)).text;
      const lines = whole.split('\n');
      for (const rows of [0, 3, 1_000_000]) {
        own.sandbox.faults.plant({ kind: 'cut-off', rows, end: 'clean' });
        const { text } = await own.call(LOG);
        const kept = Math.min(rows + 1, lines.length - 2);
        const half = text.split('\n').at(-1) ?? '';
        expect(text).toBe([...lines.slice(0, kept), lines[kept]?.slice(0, half.length)].join('\n'));
        expect(['', lines[kept]]).not.toContain(half);
        own.sandbox.faults.plant({ kind: 'cut-off', rows, end: 'destroyed' });
        await expect(own.call(LOG)).rejects.toThrow('terminated');
        own.sandbox.faults.plant({ kind: 'short', rows, path: LOG });
        expect((await own.call(LOG)).text).toBe(
          rows < lines.length ? `${lines.slice(0, rows + 1).join('\n')}\n` : whole,
        );
      }
    });
  });

  test.each<[Fault, number]>([
    [{ kind: 'drip', bytes: 20, millis: 1 }, 4],
    [{ kind: 'delay', millis: 30 }, 25],
  ])('sends an answer whole, but in slow parts or late: %j', async (fault, least) => {
    const whole = (await box.profile()).text;
    plant(fault);
    const started = performance.now();
    expect((await box.profile()).text).toBe(whole);
    expect(performance.now() - started).toBeGreaterThan(least);
  });

  test('stalls an answer after some rows, or delays it, until the sandbox stops', async () => {
    const own = await open();
    own.sandbox.faults.plant({ kind: 'stall', rows: 1 });
    own.sandbox.faults.plant({ kind: 'delay', millis: 3_600_000, path: '/api/user' });
    const headers = { authorization: `Bearer ${own.sandbox.adminKey}` };
    const { body } = await fetch(own.sandbox.baseUrl + LOG, { headers });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (text.split('\n').length < 3) text += new TextDecoder().decode((await reader.read()).value);
    const delayed = own.profile().catch(() => 'gone');
    while (own.sandbox.requests.all().length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(own.sandbox.requests.all()).toMatchObject([{ done: false, fault: 'stall' }, { done: false }]);
    await own.sandbox.stop();
    await expect(reader.read()).rejects.toThrow('terminated');
    expect(await delayed).toBe('gone');
  });

  test('applies by method, path and length of the interval, after a number of requests, for a number of times', async () => {
    const ask = async (start: number, end: number): Promise<number> =>
      (await box.call(`${LOG}?start_timestamp=${start}&end_timestamp=${end}`)).status;
    plant({ kind: 'status', status: 504, path: '/api/log', longerThan: 3600 });
    expect([await ask(0, 3600), await ask(5000, 8600), await ask(0, 3601)]).toEqual([200, 200, 504]);
    plant({ kind: 'status', status: 500, method: 'GET', path: '/api/token/', skip: 1, times: 2 });
    const statuses: number[][] = [];
    for (let made = 0; made < 4; made += 1) {
      const [profile, { reply }, keys] = [await box.profile(), await box.createKey(), await box.keys()];
      statuses.push([profile.status, reply.status, keys.status]);
    }
    expect(statuses).toEqual([200, 500, 500, 200].map((status) => [200, 200, status]));
    expect(box.sandbox.faults.pending()).toEqual([]);
  });
});

describe('a key write without a response', () => {
  test.each(['reset', 'lost-answer', 'late-effect'] as const)(
    'has no effect, its effect, or its effect later: %s',
    async (kind) => {
      const [updated, { id: deleted }] = [await box.createKey(), await box.createKey()];
      const effect = (): boolean[] => [
        box.sandbox.state.keys.all().some(({ name }) => name === kind),
        box.sandbox.state.keys.get(updated.id)?.name === 'put',
        box.sandbox.state.keys.get(deleted) === undefined,
      ];
      for (const method of ['POST', 'PUT', 'DELETE'])
        plant(kind === 'late-effect' ? { kind, method, millis: 5000 } : { kind, method });
      await expect(box.createKey({ name: kind })).rejects.toThrow('fetch failed');
      await expect(box.updateKey({ id: updated.id, name: 'put' })).rejects.toThrow('fetch failed');
      await expect(box.deleteKey(deleted)).rejects.toThrow('fetch failed');
      box.clock.now += 4999;
      await box.page();
      expect(effect()).toEqual(Array(3).fill(kind === 'lost-answer'));
      box.clock.now += 1;
      await box.page();
      expect(effect()).toEqual(Array(3).fill(kind !== 'reset'));
      expect(box.sandbox.requests.all().at(2)).toMatchObject({ fault: kind, status: 0, done: true });
    },
  );

  test('reports its plaintext inside the process all the same', async () => {
    const reported: string[] = [];
    const listen = (message: unknown): void =>
      void reported.push((message as { plaintext: string }).plaintext);
    subscribe('tollkeeper:sandbox:plaintext', listen);
    try {
      await withBox({}, async (own) => {
        const { key } = await own.createKey();
        own.sandbox.faults.plant({ kind: 'lost-answer', method: 'POST' });
        await expect(own.createKey()).rejects.toThrow('fetch failed');
        expect(reported).toEqual([own.sandbox.adminKey, key.replace('sk-', ''), expect.any(String)]);
      });
    } finally {
      unsubscribe('tollkeeper:sandbox:plaintext', listen);
    }
  });
});

describe('a list of keys', () => {
  test('that is stale lacks a new key that works, and shows a deleted key that does not', async () => {
    plant({ kind: 'late-listing', millis: 3000, method: 'POST' });
    const { id, key } = await box.createKey();
    expect([(await box.embed(key)).status, await listed(id)]).toEqual([200, false]);
    box.clock.now += 2999;
    expect(await listed(id)).toBe(false);
    box.clock.now += 1;
    expect(await listed(id)).toBe(true);
    plant({ kind: 'late-listing', millis: 3000, method: 'DELETE' });
    await box.deleteKey(id);
    expect([(await box.embed(key)).status, await listed(id)]).toEqual([401, true]);
    box.clock.now += 3000;
    expect(await listed(id)).toBe(false);
  });

  test('changes between two pages, so that one reading has a key twice or not at all', async () => {
    await withBox({ variants: { key_cap: 'none' } }, async (own) => {
      own.sandbox.traffic.addKeys(40, 'churn');
      const bulk = { count: 500, name: 'bulk' };
      expect((await own.call('/_sandbox/keys', { method: 'POST', body: bulk, key: '' })).status).toBe(201);
      own.sandbox.faults.plant({ kind: 'churn', add: 2, remove: 3, path: '/api/token/', times: 15 });
      const pages = [];
      for (let p = 1; p <= 6; p += 1) pages.push(await own.page({ p, page_size: 100 }));
      const seen = pages.flatMap(({ items }) => items).filter(({ name }) => name.startsWith('bulk-'));
      expect([seen.length, new Set(seen.map(({ id }) => id)).size]).not.toEqual([500, 500]);
      expect(new Set(pages.map(({ total }) => total)).size).toBe(6);
    });
  });
});

describe('the control API', () => {
  const control = (path: string, body?: unknown) =>
    box.call(`/_sandbox/${path}`, body === undefined ? {} : { method: 'POST', key: '', body });

  test('adds, lists and clears faults', async () => {
    const faults: Fault[] = [{ kind: 'status', status: 418, path: '/api/user', times: 2 }, { kind: 'reset' }];
    for (const fault of faults) expect((await control('faults', fault)).status).toBe(201);
    expect((await box.profile()).status).toBe(418);
    const shown = JSON.parse((await control('faults')).text) as unknown;
    expect(shown).toEqual(faults.map((fault) => ({ ...fault, times: 1, skip: 0 })));
    expect((await box.call('/_sandbox/faults', { method: 'DELETE' })).status).toBe(200);
    expect((await box.profile()).status).toBe(200);
  });

  test.each([
    [{ kind: 'explode' }, 'kind must be one of status, delay'],
    [{ kind: 'delay' }, 'delay needs millis'],
    [{ kind: 'cut-off', rows: 1, end: 'maybe' }, 'cut-off needs end (destroyed or clean)'],
    [{ kind: 'reset', often: 3 }, 'often is not understood'],
    ['reset', 'JSON object'],
  ])('reports what is wrong with a fault: %j', async (fault, part) => {
    const reply = await control('faults', fault);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(part)]);
  });

  test('returns the truth, the requests and the number of key writes, and records nothing of itself', async () => {
    const { id } = await box.createKey();
    await box.deleteKey(id);
    const truth = await control('truth?start=0&end=2000000000');
    expect(JSON.parse(truth.text)).toEqual(box.sandbox.truth.sums(0, 2_000_000_000));
    const requests = JSON.parse((await control('requests')).text) as { path: string }[];
    expect(requests.map(({ path }) => path)).toEqual(['/api/token/', `/api/token/${id}`]);
    expect(JSON.parse((await control('writes')).text)).toEqual({ POST: 1, PUT: 0, DELETE: 1 });
    const wrong = [control('truth?start=yesterday'), control('keys', {}), control(`keys/${id}/disable`, {})];
    expect((await Promise.all(wrong)).map(({ status }) => status)).toEqual([400, 400, 404]);
  });
});
