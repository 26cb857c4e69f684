import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { collect, rejection } from '../http/support/servers.ts';
import { createKeyFilter } from '../../src/gateway/admin/key-filter.ts';
import { sniff } from '../../src/gateway/admin/export-body.ts';
import { adminKey, csv, json, scriptedGateway, type Answer, logs } from './support/scripted-gateway.ts';

const once = { attempts: 1, initial: 1, max: 1, longestRetryAfter: 1 };

const bodyOf = async (answer: Answer): Promise<string> => {
  const { gateway } = await scriptedGateway([answer], { retry: once });
  return (await collect((await gateway.exportLogs(logs)).body)).toString();
};

describe('CSV', () => {
  it('passes through unchanged, compressed or not, with any content type', async () => {
    const text = `\uFEFFcreated_at,quota\n${'1760000000,0.00012345\n'.repeat(50_000)}`;
    expect(await bodyOf(csv(text))).toBe(text);
    expect(await bodyOf(csv(gzipSync(text), { 'content-encoding': 'gzip' }))).toBe(text);
    expect(await bodyOf({ body: text })).toBe(text);
    for (const type of ['application/octet-stream', 'text/plain', 'application/csv'])
      expect(await bodyOf({ headers: { 'content-type': type }, body: text })).toBe(text);
  });

  it('may be empty or only a byte-order mark', async () => {
    expect(await bodyOf(csv(''))).toBe('');
    expect(await bodyOf(csv('\uFEFF'))).toBe('\uFEFF');
    expect(await bodyOf(csv('\n'))).toBe('\n');
    expect(await bodyOf({ headers: { 'content-type': 'application/json' }, body: '' })).toBe('');
  });

  it('may start with a title line, even in brackets, and arrive byte by byte', async () => {
    expect(await bodyOf(csv('[Call log of Acme]\na,b\n'))).toBe('[Call log of Acme]\na,b\n');
    const drip: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      const bytes = [...Buffer.from('\uFEFF\r\na,b\n')];
      const next = (): void => {
        const byte = bytes.shift();
        if (byte === undefined) response.end();
        else response.write(Buffer.from([byte]), () => setImmediate(next));
      };
      next();
    };
    expect(await bodyOf(drip)).toBe('\uFEFF\r\na,b\n');
  });

  it('is also served by the usage export', async () => {
    const { gateway } = await scriptedGateway([json({ success: false, message: 'range too wide' })], {
      retry: once,
    });
    const usage = {
      start: unixMillis(1),
      end: unixMillis(2),
      groupBy: 'token',
      metric: 'spend',
      granularity: 'week' as const,
      topN: 5,
    };
    await expect(gateway.exportUsage(usage)).rejects.toMatchObject({
      code: 'gateway-refused',
      message: expect.stringMatching(/pivot\/stream-export, .*usage:read, .*: “range too wide”$/) as unknown,
    });
  });
});

describe('a key in an export', () => {
  const key = `sk-${'Ab3_-'.repeat(9)}`;
  const fingerprint = `sha256:${createHash('sha256').update(key).digest('hex')}`;

  const filteredIn = (text: string, sizes: readonly number[]): string => {
    const bytes = Buffer.from(text);
    const filter = createKeyFilter();
    const kept: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      kept.push(filter.next(bytes.subarray(at, at + size)));
      at += size;
    }
    return Buffer.concat([...kept, filter.end()]).toString();
  };

  it('is replaced by its fingerprint in both exports', async () => {
    const text = `created_at,token_name,quota\n1,"née ${key}",2\n1,${key},2`;
    expect(await bodyOf(csv(text))).toBe(text.replaceAll(key, fingerprint));
    const { gateway } = await scriptedGateway([csv(`time,${key}\n1,2\n`)], { retry: once });
    const usage = { start: unixMillis(1), end: unixMillis(2), groupBy: 'token', metric: 'spend', topN: 5 };
    const { body } = await gateway.exportUsage({ ...usage, granularity: 'week' });
    expect((await collect(body)).toString()).toBe(`time,${fingerprint}\n1,2\n`);
  });

  it('is found wherever the chunks are cut', () => {
    const cell = fc.oneof(
      fc.constantFrom(
        key,
        `'${key}`,
        `task-${'a'.repeat(30)}`,
        'sk-short',
        `-${key}`,
        `a${key}`,
        'ü',
        's',
        'sk',
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(
        fc.array(cell, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 6 }),
        (cells, sizes) => {
          const text = cells.join(',');
          const wanted = text.replaceAll(
            /\bsk-[A-Za-z0-9_-]{24,}/g,
            (found) => `sha256:${createHash('sha256').update(found).digest('hex')}`,
          );
          expect(filteredIn(text, sizes)).toBe(Buffer.from(wanted).toString());
        },
      ),
    );
  });

  it('that never ends is rejected in bounded memory', () => {
    expect(() => filteredIn(`sk-${'a'.repeat(2_100_000)}`, [65_536])).toThrow('more than 2000000 bytes');
  });
});

describe('a body other than CSV', () => {
  const error = (answer: Answer): Promise<unknown> => rejection(bodyOf(answer));

  it('is recognised by its content type or first bytes, and quoted (G3.4, G3.4.open)', async () => {
    for (const answer of [
      json({ success: true, message: 'too many exports' }),
      csv('\uFEFF \n{"message":"too many exports"}'),
      csv('<!doctype html><title>too many exports</title>'),
      { body: '<html><body><h1>too many</h1> exports</body></html>' },
      { headers: { 'content-type': 'text/html' }, body: 'too many exports' },
      csv(gzipSync('{"message":"too many exports"}'), { 'content-encoding': 'gzip' }),
    ])
      expect(await error(answer)).toMatchObject({
        code: 'export-not-csv',
        message: expect.stringMatching(/did not answer with CSV.*: “too many exports”$/) as unknown,
      });
    expect(await error(csv('[{"id":1}]'))).toMatchObject({ code: 'export-not-csv' });
    expect(await error(csv(' '.repeat(20_000)))).toMatchObject({ code: 'export-not-csv' });
  });

  it('is a refusal that names the scope when an envelope says so, with any content type', async () => {
    for (const answer of [
      json({ success: false, message: 'too many exports' }),
      csv('{"success":false,"message":"too many exports"}'),
      csv('\uFEFF \n{"success":false,"message":"too many exports"}'),
      csv(gzipSync('{"success":false,"message":"too many exports"}'), { 'content-encoding': 'gzip' }),
    ])
      expect(await error(answer)).toMatchObject({
        code: 'gateway-refused',
        message: expect.stringMatching(
          /self\/stream-export, .*logs:read, .*: “too many exports”$/,
        ) as unknown,
        advice: expect.stringContaining('logs:read') as unknown,
      });
  });

  it('is about the key or the scope when a code says so, and is not retried', async () => {
    for (const [body, code] of [
      [{ success: false, message: '无权进行此操作', code: 'invalid_api_key' }, 'gateway-key-refused'],
      [{ success: false, message: '', code: 401 }, 'gateway-key-refused'],
      [{ error: { message: 'no', code: 'insufficient_scope' } }, 'gateway-scope-missing'],
    ] as const) {
      const { gateway, seen } = await scriptedGateway([json(body)]);
      await expect(gateway.exportLogs(logs)).rejects.toMatchObject({ code, retryHelps: false });
      expect(seen).toHaveLength(1);
    }
  });

  it('is requested only once more, because it may be a refusal without a code', async () => {
    for (const [answer, code] of [
      [json({ success: false, message: '无权进行此操作' }), 'gateway-refused'],
      [csv('<h1>no</h1>'), 'export-not-csv'],
    ] as const) {
      const { gateway, seen } = await scriptedGateway([answer]);
      await expect(gateway.exportLogs(logs)).rejects.toMatchObject({ code });
      expect(seen).toHaveLength(2);
    }
  });

  it('is quoted without secrets, even those split by tags, and shortened', async () => {
    const split = `<p>${adminKey.slice(0, 12)}</p><b>x</b>`;
    const text = `{"message":"no ${adminKey} here ${'y'.repeat(400)}"}`;
    expect(String(await error(csv(text)))).toContain('no [secret] here');
    expect(String(await error(csv(text))).length).toBeLessThan(400);
    expect(String(await error(csv(split)))).not.toContain(adminKey);
  });

  it('is recognised even when it breaks off', async () => {
    expect(
      await error((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write('{"message":"half a', () => response.destroy());
      }),
    ).toMatchObject({ code: 'export-not-csv' });
  });
});

describe('content detection', () => {
  it('waits for the first significant byte', () => {
    const mark = [0xef, 0xbb, 0xbf];
    for (const bytes of [[], [0xef], [0xef, 0xbb], mark, [...mark, 0x20, 0x0a]])
      expect(sniff('text/csv', Uint8Array.from(bytes))).toBe('undecided');
    expect(sniff('text/csv', Uint8Array.from([...mark, 0x61]))).toBe('csv');
    expect(sniff('text/csv', Uint8Array.from([...mark, 0x7b]))).toBe('other');
    expect(sniff('application/json', Uint8Array.from([0x61]))).toBe('other');
  });
});

describe('during the transfer of CSV', () => {
  const begun =
    (then: (end: () => void) => void): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('a,b\n');
      then(() => response.destroy());
    };

  it('a stall is a timeout', async () => {
    const { gateway } = await scriptedGateway([begun(() => undefined)], {
      retry: once,
      timeouts: { idle: 80 },
    });
    const { body } = await gateway.exportLogs(logs);
    await expect(collect(body)).rejects.toMatchObject({ code: 'gateway-timeout' });
  });

  it('the total timeout ends it', async () => {
    const { gateway } = await scriptedGateway([begun(() => undefined)], {
      retry: once,
      timeouts: { total: 100 },
    });
    const { body } = await gateway.exportLogs(logs);
    await expect(collect(body)).rejects.toMatchObject({ code: 'gateway-timeout' });
  });

  it('an abort ends it with its reason', async () => {
    const reason = new Error('stop');
    const controller = new AbortController();
    const { gateway } = await scriptedGateway([begun(() => undefined)]);
    const { body } = await gateway.exportLogs(logs, { signal: controller.signal });
    const rows = body[Symbol.asyncIterator]();
    await rows.next();
    const next = rejection(Promise.resolve(rows.next()));
    controller.abort(reason);
    expect(await next).toBe(reason);
  });

  it('leaving the loop closes the connection', async () => {
    const { gateway, server } = await scriptedGateway([begun(() => undefined)]);
    const { body } = await gateway.exportLogs(logs);
    const closed = new Promise((resolve) => server.sockets[0]?.once('close', resolve));
    for await (const piece of body) {
      expect(piece.byteLength).toBeGreaterThan(0);
      break;
    }
    await closed;
  });

  it('a truncated compressed body is a lost connection', async () => {
    const packed = gzipSync(`a,b\n${'1,2\n'.repeat(100_000)}`);
    const answer = csv(packed.subarray(0, packed.length - 10), { 'content-encoding': 'gzip' });
    await expect(bodyOf(answer)).rejects.toMatchObject({ code: 'gateway-connection-lost' });
  });
});
