import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync, brotliCompressSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { deferred } from '../control/support/control-fixture.ts';
import { collect, get, plainServer, rejection, testHttp } from './support/servers.ts';

describe('an HTTP exchange', () => {
  it('sends method, path, query, headers, body and the User-Agent as given', async () => {
    const seen: unknown[] = [];
    const answering = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await collect(request);
      seen.push(request.method, request.url, request.headers, body.toString());
      response.end('ok');
    };
    const server = await plainServer((request, response) => void answering(request, response));
    const answer = await testHttp().send({
      method: 'POST',
      url: new URL('/a/b?c=d%2Ce', server.url),
      headers: { 'x-test': 'yes', 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await answer.text(10)).toBe('ok');
    expect(seen).toMatchObject([
      'POST',
      '/a/b?c=d%2Ce',
      {
        'user-agent': 'tollkeeper/0.0.0-test',
        'x-test': 'yes',
        'content-type': 'application/json',
        'content-length': '7',
        'accept-encoding': 'gzip, br, deflate',
      },
      '{"a":1}',
    ]);
  });

  it('returns any status and follows no redirect, not even to the same origin', async () => {
    const server = await plainServer((_request, response) => {
      response.writeHead(302, { location: '/elsewhere', 'set-cookie': ['a=1', 'b=2'] }).end();
    });
    const answer = await testHttp().send(get(server.url));
    expect(answer.status).toBe(302);
    expect(answer.headers).toMatchObject({ location: '/elsewhere', 'set-cookie': 'a=1, b=2' });
    expect(answer.url).toBe(server.url.href);
    await answer.discard();
    expect(server.requests).toEqual(['GET /']);
  });

  it('keeps the connection for the next request, whether the body was read or discarded', async () => {
    const server = await plainServer((_request, response) => response.end('x'.repeat(1000)));
    const http = testHttp();
    for (let count = 0; count < 3; count += 1) await (await http.send(get(server.url))).text(1000);
    for (let count = 0; count < 3; count += 1) await (await http.send(get(server.url))).discard();
    expect(server.requests).toHaveLength(6);
    // A request made in the tick in which the last answer ended may find its connection not yet free.
    expect(server.sockets.length).toBeLessThanOrEqual(2);
  });

  const text = 'söme text '.repeat(10_000);

  it.each([
    ['gzip', gzipSync(text), text],
    ['br', brotliCompressSync(text), text],
    ['deflate', deflateSync(text), text],
    ['gzip', '', ''],
  ])('decodes %s, also of an empty body', async (encoding, body, decoded) => {
    const server = await plainServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    const answer = await testHttp().send(get(server.url));
    expect((await collect(answer.body)).toString()).toBe(decoded);
  });

  it('removes the byte-order mark from a text, and keeps it in the body', async () => {
    const server = await plainServer((_request, response) => response.end('\uFEFFa'));
    const http = testHttp();
    expect(await (await http.send(get(server.url))).text(10)).toBe('a');
    expect([...(await collect((await http.send(get(server.url))).body))]).toEqual([0xef, 0xbb, 0xbf, 0x61]);
  });

  it('allows a body to be read only once', async () => {
    const server = await plainServer((_request, response) => response.end('a'));
    const answer = await testHttp().send(get(server.url));
    await answer.text(10);
    expect(await rejection(collect(answer.body))).toMatchObject({
      message: expect.stringContaining('only once') as string,
    });
  });
});

describe('a response body', () => {
  it('is limited as text, however small its compressed form is', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const server = await plainServer((request, response) => {
      if (request.url === '/packed') response.setHeader('content-encoding', 'gzip');
      response.end(request.url === '/packed' ? bomb : 'x'.repeat(1001));
    });
    const http = testHttp();
    const before = process.memoryUsage().arrayBuffers;
    const packed = await http.send(get(new URL('/packed', server.url)));
    expect(await rejection(packed.text(1_000_000))).toMatchObject({ kind: 'too-large' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    const plain = await http.send(get(server.url));
    expect(await rejection(plain.text(1000))).toMatchObject({ kind: 'too-large' });
    expect(await (await http.send(get(server.url))).text(1001)).toHaveLength(1001);
  });

  it('is sent only as fast as it is read', async () => {
    const piece = Buffer.alloc(64 * 1024);
    const pieces = 4096;
    let written = 0;
    const stalled = deferred();
    const server = await plainServer((_request, response) => {
      const write = (): void => {
        while (written < pieces) {
          written += 1;
          if (!response.write(piece)) {
            const timer = setTimeout(stalled.resolve, 100);
            response.once('drain', () => {
              clearTimeout(timer);
              write();
            });
            return;
          }
        }
        response.end();
      };
      write();
    });
    const answer = await testHttp().send(get(server.url));
    const body = answer.body[Symbol.asyncIterator]();
    await body.next();
    await stalled.promise;
    expect(written).toBeLessThan(pieces / 4);
    let size = 0;
    for (let next = await body.next(); next.done !== true; next = await body.next())
      size += next.value.byteLength;
    expect(written).toBe(pieces);
    expect(size).toBeGreaterThan((pieces - 2) * piece.byteLength);
  });

  it('closes the connection if the reader stops early', async () => {
    const server = await plainServer((_request, response) => {
      response.write('first');
    });
    const answer = await testHttp().send(get(server.url));
    const closed = new Promise((resolve) => server.sockets[0]?.once('close', resolve));
    for await (const piece of answer.body) {
      expect(Buffer.from(piece).toString()).toBe('first');
      break;
    }
    await closed;
  });
});

describe('a transport that may not reach some addresses', () => {
  it.each(['127.0.0.1', 'localhost'])('connects to none of them as %s', async (host) => {
    const server = await plainServer((_, response) => response.end('ok'));
    const url = new URL(`http://${host}:${server.port}/`);
    const asked: string[] = [];
    const refusing = testHttp({
      mayReach: (address) => {
        asked.push(address);
        return false;
      },
    });
    expect(await rejection(refusing.send(get(url)))).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/ \S+ is a private address$/) as string,
    });
    expect([server.sockets.length, new Set(asked).size > 0]).toEqual([0, true]);
    const allowing = testHttp({ mayReach: () => true });
    expect(await (await allowing.send(get(url))).text(10)).toBe('ok');
  });
});
