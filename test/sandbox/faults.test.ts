import { get } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/index.ts';
import { open, withBox, type Box } from './support.ts';

let box: Box;
beforeAll(async () => {
  box = await open();
});
afterAll(() => box.sandbox.stop());
beforeEach(() => {
  box.sandbox.faults.clear();
  box.sandbox.requests.clear();
});

const LOG = '/api/log/self/stream-export';

/** What arrives of an answer before it ends or breaks; fetch would throw away what it has not handed on by then. */
const arrive = (path: string, signal?: AbortSignal): Promise<{ text: string; broken: boolean }> =>
  new Promise((resolve, reject) => {
    const asked = get(box.sandbox.baseUrl + path, {
      agent: false,
      headers: { authorization: `Bearer ${box.sandbox.adminKey}` },
      ...(signal === undefined ? {} : { signal }),
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('error', () => resolve({ text, broken: true }));
      response.once('end', () => resolve({ text, broken: false }));
    });
  });

describe('a fault can replace the response', () => {
  test('with any status, with or without body and Retry-After', async () => {
    box.sandbox.faults.plant({ kind: 'status', status: 503, body: 'busy', retryAfter: '7' });
    box.sandbox.faults.plant({ kind: 'status', status: 500 });
    const first = await box.profile();
    expect([first.status, first.text, first.headers.get('retry-after')]).toEqual([503, 'busy', '7']);
    const second = await box.profile();
    expect([second.status, second.text, second.headers.get('retry-after')]).toEqual([500, '', null]);
    expect((await box.profile()).status).toBe(200);
  });

  test('with a bare 429', async () => {
    box.sandbox.faults.plant({ kind: 'rate-limit' });
    const reply = await box.profile();
    expect([reply.status, reply.text, reply.headers.get('retry-after')]).toEqual([429, '', null]);
  });

  test('with an envelope or a page instead of CSV', async () => {
    box.sandbox.faults.plant({ kind: 'envelope', message: 'busy' });
    box.sandbox.faults.plant({ kind: 'html' });
    const envelope = await box.call(LOG);
    expect([envelope.status, envelope.json]).toEqual([200, { success: false, message: 'busy', data: null }]);
    const page = await box.call(LOG);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toMatch(/^<!doctype html>/u);
  });

  test('with a redirect', async () => {
    box.sandbox.faults.plant({ kind: 'redirect', location: 'https://elsewhere.example/' });
    const reply = await box.call(LOG);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, 'https://elsewhere.example/']);
  });
});

describe('a fault can break the body', () => {
  test.each(['gzip', 'none'] as const)(
    'cut off in the middle of a row, compression %s',
    async (compression) => {
      await withBox({ variants: { compression } }, async (own) => {
        const whole = await own.call(LOG);
        const lines = whole.text.split('\n');
        for (const rows of [0, 3, 1_000_000]) {
          own.sandbox.faults.plant({ kind: 'cut-off', rows, end: 'clean' });
          const { text } = await own.call(LOG);
          expect(whole.text.startsWith(text)).toBe(true);
          const kept = Math.min(rows + 1, lines.length - 2);
          const last = text.split('\n')[kept] ?? '';
          expect(text.split('\n')).toHaveLength(kept + 1);
          expect(last.length).toBeGreaterThan(0);
          expect(last.length).toBeLessThan(lines[kept]?.length ?? 0);
          own.sandbox.faults.plant({ kind: 'cut-off', rows, end: 'destroyed' });
          await expect(own.call(LOG)).rejects.toThrow('terminated');
        }
      });
    },
  );

  test('after the bytes before the cut', async () => {
    box.sandbox.faults.plant({ kind: 'cut-off', rows: 5, end: 'destroyed' });
    const { text, broken } = await arrive(LOG);
    expect([broken, text.split('\n').length]).toEqual([true, 7]);
  });

  test.each(['gzip', 'none'] as const)(
    'ended cleanly after whole rows, compression %s',
    async (compression) => {
      await withBox({ variants: { compression } }, async (own) => {
        const lines = (await own.call(LOG)).text.split('\n');
        for (const rows of [0, 1, 7]) {
          own.sandbox.faults.plant({ kind: 'short', rows, path: LOG.split('?')[0] ?? LOG });
          const { text } = await own.call(LOG);
          expect(text).toBe(`${lines.slice(0, rows + 1).join('\n')}\n`);
        }
        expect((await own.call(LOG)).text).toBe(lines.join('\n'));
      });
    },
  );

  test('of JSON as well', async () => {
    box.sandbox.faults.plant({ kind: 'cut-off', rows: 0, end: 'clean', path: '/api/user' });
    await expect(box.profile()).rejects.toThrow('JSON');
  });

  test('into many slow parts', async () => {
    const whole = (await box.call('/api/user/self')).text;
    box.sandbox.faults.plant({ kind: 'drip', bytes: 20, millis: 1 });
    expect((await box.call('/api/user/self')).text).toBe(whole);
  });

  test('by a stall after some rows until the reader leaves', async () => {
    box.sandbox.faults.plant({ kind: 'stall', rows: 2 });
    const leave = new AbortController();
    const response = await fetch(box.sandbox.baseUrl + LOG, {
      headers: { authorization: `Bearer ${box.sandbox.adminKey}` },
      signal: leave.signal,
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (text.split('\n').length < 4) text += new TextDecoder().decode((await reader.read()).value);
    const next = reader.read();
    const stalled = await Promise.race([
      next.catch(() => 'left'),
      new Promise((resolve) => setImmediate(resolve, 'waiting')),
    ]);
    expect(stalled).toBe('waiting');
    expect(box.sandbox.requests.all().at(-1)).toMatchObject({ done: false, fault: 'stall' });
    leave.abort();
    await expect(next).rejects.toThrow('abort');
  });

  test('by a stall that does not prevent the sandbox from stopping', async () => {
    const own = await open();
    own.sandbox.faults.plant({ kind: 'stall', rows: 0 });
    own.sandbox.faults.plant({ kind: 'delay', millis: 3_600_000, path: '/api/user' });
    const waiting = [own.call(LOG), own.profile()].map((call) =>
      call.then(
        () => 'answered',
        () => 'gone',
      ),
    );
    while (own.sandbox.requests.all().length < 2) await new Promise((resolve) => setImmediate(resolve));
    await own.sandbox.stop();
    expect(await Promise.all(waiting)).toEqual(['gone', 'gone']);
  });
});

describe('a fault can break the connection', () => {
  test('before the request takes effect', async () => {
    box.sandbox.faults.plant({ kind: 'reset', method: 'POST' });
    const before = box.sandbox.state.keys.all().length;
    await expect(box.createKey()).rejects.toThrow('fetch failed');
    expect(box.sandbox.state.keys.all()).toHaveLength(before);
  });

  test('after the request took effect, without a response', async () => {
    box.sandbox.faults.plant({ kind: 'lost-answer', method: 'POST' });
    const before = box.sandbox.state.keys.all().length;
    await expect(box.createKey({ name: 'orphan' })).rejects.toThrow('fetch failed');
    expect(box.sandbox.state.keys.all()).toHaveLength(before + 1);
    expect(box.sandbox.requests.all().at(-1)).toMatchObject({ fault: 'lost-answer', status: 0, done: true });
    expect(box.sandbox.requests.writes()).toBe(1);
  });

  test('or only delay the response', async () => {
    box.sandbox.faults.plant({ kind: 'delay', millis: 30 });
    const started = performance.now();
    expect((await box.profile()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(25);
  });
});

describe('a fault applies to requests', () => {
  test('by method and path prefix, after a number of requests and for a number of times', async () => {
    box.sandbox.faults.plant({
      kind: 'status',
      status: 500,
      method: 'GET',
      path: '/api/token/',
      skip: 1,
      times: 2,
    });
    const statuses: number[] = [];
    for (let made = 0; made < 4; made += 1) {
      statuses.push(
        (await box.profile()).status,
        (await box.createKey()).reply.status,
        (await box.keys()).status,
      );
    }
    expect(statuses.filter((_, at) => at % 3 === 2)).toEqual([200, 500, 500, 200]);
    expect(statuses.filter((_, at) => at % 3 !== 2)).toEqual(Array(8).fill(200));
    expect(box.sandbox.faults.pending()).toEqual([]);
  });
});

test('a fault can apply only to requests for a long interval', async () => {
  box.sandbox.faults.plant({ kind: 'status', status: 504, path: '/api/log', times: 9, longerThan: 3600 });
  const ask = async (start: number, end: number) =>
    (await box.call(`/api/log/self/stream-export?start_timestamp=${start}&end_timestamp=${end}`)).status;
  expect([await ask(0, 3600), await ask(0, 3601), await ask(5000, 8600)]).toEqual([200, 504, 200]);
  expect(box.sandbox.faults.pending()[0]).toMatchObject({ times: 8 });
  box.sandbox.faults.clear();
});

describe('the control API', () => {
  const plant = (body: unknown) => box.call('/_sandbox/faults', { method: 'POST', key: '', body });

  test('adds, lists and clears faults', async () => {
    const faults: Fault[] = [{ kind: 'status', status: 418, path: '/api/user', times: 2 }, { kind: 'reset' }];
    for (const fault of faults) expect((await plant(fault)).status).toBe(201);
    expect((await box.profile()).status).toBe(418);
    const shown = JSON.parse((await box.call('/_sandbox/faults')).text) as unknown;
    expect(shown).toEqual([
      { ...faults[0], times: 1, skip: 0 },
      { kind: 'reset', times: 1, skip: 0 },
    ]);
    expect((await box.call('/_sandbox/faults', { method: 'DELETE' })).status).toBe(200);
    expect((await box.profile()).status).toBe(200);
  });

  test('reports what is wrong with a fault', async () => {
    for (const [fault, part] of [
      [{ kind: 'explode' }, 'kind must be one of status, delay'],
      [{ kind: 'delay' }, 'delay needs millis'],
      [{ kind: 'cut-off', rows: 1, end: 'maybe' }, 'cut-off needs end (destroyed or clean)'],
      [{ kind: 'reset', often: 3 }, 'often is not understood'],
      ['reset', 'JSON object'],
    ] as const) {
      const reply = await plant(fault);
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(part)]);
    }
  });

  test('returns the truth and the requests, and does not record itself', async () => {
    await box.profile();
    const truth = await box.call('/_sandbox/truth?start=0&end=2000000000');
    expect(JSON.parse(truth.text)).toEqual(box.sandbox.truth.sums(0, 2_000_000_000));
    expect((await box.call('/_sandbox/truth?start=yesterday')).status).toBe(400);
    const requests = JSON.parse((await box.call('/_sandbox/requests')).text) as { path: string }[];
    expect(requests.map(({ path }) => path)).toEqual(['/api/user/self']);
    expect((await box.call('/_sandbox/keys/1/disable', { method: 'POST' })).status).toBe(404);
  });
});
