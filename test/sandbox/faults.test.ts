import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/index.ts';
import { open } from './support.ts';

const box = await open({ variants: { key_cap: 'none' } });
afterAll(() => box.sandbox.stop());
beforeEach(() => {
  box.sandbox.faults.clear();
  box.sandbox.requests.clear();
});

const LOG = '/api/log/self/stream-export';
const plant = (fault: Fault): void => box.sandbox.faults.plant(fault);
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

  test('ends a body within a row, or cleanly after whole rows', async () => {
    const lines = (await box.call(LOG)).text.split('\n');
    for (const rows of [0, 3, 1_000_000]) {
      const kept = Math.min(rows + 1, lines.length - 2);
      plant({ kind: 'cut-off', rows, end: 'clean' });
      const { text } = await box.call(LOG);
      const half = text.split('\n').at(-1) ?? '';
      expect(text).toBe([...lines.slice(0, kept), lines[kept]?.slice(0, half.length)].join('\n'));
      expect(['', lines[kept]]).not.toContain(half);
      plant({ kind: 'cut-off', rows, end: 'destroyed' });
      await expect(box.call(LOG)).rejects.toThrow('terminated');
      plant({ kind: 'short', rows });
      expect((await box.call(LOG)).text.split('\n')).toEqual(
        [...lines.slice(0, rows + 1), ''].slice(0, lines.length),
      );
    }
  });

  test('sends an answer whole, but in slow parts', async () => {
    const whole = (await box.profile()).text;
    plant({ kind: 'drip', bytes: 50, millis: 10 });
    const started = performance.now();
    expect((await box.profile()).text).toBe(whole);
    expect(performance.now() - started).toBeGreaterThan(20);
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
    for (const status of [200, 500, 500, 200]) {
      const [profile, { reply }, keys] = [await box.profile(), await box.createKey(), await box.keys()];
      expect([profile.status, reply.status, keys.status]).toEqual([200, 200, status]);
    }
    expect(box.sandbox.faults.pending()).toEqual([]);
  });
});

test.each(['reset', 'lost-answer', 'late-effect'] as const)(
  'a key write without a response has no effect, its effect, or its effect later: %s',
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

test('a created key without a response reports its plaintext inside the process all the same', async () => {
  const reported: unknown[] = [];
  const listen = (message: unknown): void => void reported.push(message);
  subscribe('tollkeeper:sandbox:plaintext', listen);
  plant({ kind: 'lost-answer', method: 'POST' });
  await expect(box.createKey()).rejects.toThrow('fetch failed');
  const { key } = await box.createKey();
  unsubscribe('tollkeeper:sandbox:plaintext', listen);
  expect(reported).toEqual([{ plaintext: expect.any(String) }, { plaintext: key.replace('sk-', '') }]);
});

test('a stale list of keys lacks a new key that works, and shows a deleted key that does not', async () => {
  for (const method of ['POST', 'DELETE']) plant({ kind: 'late-listing', millis: 3000, method });
  const { id, key } = await box.createKey();
  const look = async (later: number): Promise<string> => {
    box.clock.now += later;
    const isListed = (await box.page({ page_size: 100 })).items.some((one) => one.id === id);
    return `${(await box.embed(key)).status} ${isListed}`;
  };
  const made = [await look(0), await look(2999), await look(1)];
  await box.deleteKey(id);
  expect([...made, await look(0), await look(3000)].join()).toBe(
    '200 false,200 false,200 true,401 true,401 false',
  );
});

test('a list of keys changes between two pages, so that one reading has a key twice or not at all', async () => {
  box.sandbox.traffic.addKeys(40, 'churn');
  const bulk = { count: 500, name: 'bulk' };
  expect((await box.post('', '/_sandbox/keys', bulk)).status).toBe(201);
  plant({ kind: 'churn', add: 2, remove: 3, path: '/api/token/', times: 6 });
  const pages = [];
  for (let p = 1; p <= 6; p += 1) pages.push(await box.page({ p, page_size: 100 }));
  const seen = pages.flatMap(({ items }) => items).filter(({ name }) => name.startsWith('bulk-'));
  expect([seen.length, new Set(seen.map(({ id }) => id)).size]).not.toEqual([500, 500]);
  expect(new Set(pages.map(({ total }) => total)).size).toBe(6);
});

const control = (path: string, body?: unknown) =>
  box.call(`/_sandbox/${path}`, body === undefined ? {} : { method: 'POST', key: '', body });

test('the control API adds, lists and clears faults, and reports what is wrong with one', async () => {
  const faults: Fault[] = [{ kind: 'status', status: 418, path: '/api/user', times: 2 }, { kind: 'reset' }];
  for (const fault of faults) expect((await control('faults', fault)).status).toBe(201);
  expect((await box.profile()).status).toBe(418);
  const shown = JSON.parse((await control('faults')).text) as unknown;
  expect(shown).toEqual(faults.map((fault) => ({ ...fault, times: 1, skip: 0 })));
  await box.call('/_sandbox/faults', { method: 'DELETE' });
  const wrong = {
    'kind must be one of status, delay': { kind: 'explode' },
    'delay needs millis': { kind: 'delay' },
    'cut-off needs end (destroyed or clean)': { kind: 'cut-off', rows: 1, end: 'maybe' },
    'often is not understood': { kind: 'reset', often: 3 },
    'a fault is a JSON object': 'reset',
  };
  for (const [part, fault] of Object.entries(wrong))
    expect((await control('faults', fault)).text).toContain(part);
  expect([(await control('faults', {})).status, (await box.profile()).status]).toEqual([400, 200]);
});

test('the control API returns the truth, the requests and the number of key writes, and records nothing of itself', async () => {
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
