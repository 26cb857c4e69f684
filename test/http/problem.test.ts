import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpAnswer } from '../../src/http/index.ts';
import { collect, get, plainServer, rejection, testHttp } from './support/servers.ts';

const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
};

/** A server below HTTP: answers every connection with these bytes, and closes when told to. */
const rawServer = async (bytes: string, close: boolean): Promise<URL> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (close ? socket.end(bytes) : socket.write(bytes)));
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
};

const packed = gzipSync('x'.repeat(100_000));
const half = packed.subarray(0, packed.length / 2);

describe('a network problem', () => {
  it('names the refused connection, the host and the cause, but no query', async () => {
    const port = await closedPort();
    const error = await rejection(testHttp().send(get(new URL(`http://127.0.0.1:${port}/path?secret=hush`))));
    expect(error).toMatchObject({
      name: 'NetworkTrouble',
      kind: 'unreachable',
      message: `127.0.0.1:${port} refused the connection (ECONNREFUSED)`,
    });
  });

  it('names a host that does not exist', async () => {
    const error = await rejection(testHttp().send(get(new URL('https://no-such-host.invalid'))));
    expect(error).toMatchObject({ kind: 'unreachable' });
    expect(String(error)).toMatch(/no-such-host\.invalid has no address/);
  });

  it.each([
    ['before any answer', ''],
    ['within the headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['within a body with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\nhalf'],
    ['between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('a connection closed %s is lost', async (_when, bytes) => {
    const sent = testHttp().send(get(await rawServer(bytes, true)));
    const error = await rejection(sent.then(async ({ body }) => collect(body)));
    expect(error).toMatchObject({ kind: 'connection-lost' });
  });

  it.each([
    ['a truncated compressed body, although its last chunk arrived,', 'gzip', half, 'connection-lost'],
    ['a damaged compressed body', 'gzip', 'this is not gzip', 'protocol'],
    ['an encoding that was not requested', 'zstd', '???', 'protocol'],
  ])('%s is reported: %s', async (_, encoding, body, kind) => {
    const server = await plainServer((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(body);
    });
    const answer = await testHttp().send(get(server.url));
    expect(await rejection(collect(answer.body))).toMatchObject({ kind });
  });

  it('a response other than HTTP is a protocol problem', async () => {
    const url = await rawServer('SSH-2.0-OpenSSH_9.6\r\n', true);
    expect(await rejection(testHttp().send(get(url)))).toMatchObject({ kind: 'protocol' });
  });
});

describe('a timeout', () => {
  const within = { headers: 80, idle: 80, total: 10_000 };

  it.each([
    ['headers', () => undefined, /did not answer in time/],
    [
      'the next part of a body',
      (_: unknown, response: ServerResponse) => void response.write('first'),
      /stopped sending/,
    ],
  ])('limits the wait for %s', async (_, handler, message) => {
    const server = await plainServer(handler);
    const sent = testHttp({ timeouts: within }).send(get(server.url));
    const error = await rejection(sent.then(async ({ body }) => collect(body)));
    expect(error).toMatchObject({ kind: 'timeout' });
    expect(String(error)).toMatch(message);
  });

  it('ends an endlessly slow body at the total timeout', async () => {
    const server = await plainServer((_request, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const sent = testHttp().send({ ...get(server.url), timeouts: { total: 100 } });
    // On a busy machine not even the headers arrive in time.
    const error = await rejection(sent.then(async ({ body }) => collect(body)));
    expect(error).toMatchObject({ kind: 'timeout' });
    expect(String(error)).toMatch(/did not finish .* 0\.1 s/);
  });

  it('limits a TLS handshake by its own or by the total timeout', async () => {
    const silent = await rawServer('', false);
    const url = new URL(`https://${silent.host}`);
    for (const limits of [
      { connect: 100, total: 60_000 },
      { connect: 60_000, total: 100 },
    ]) {
      const error = await rejection(testHttp({ timeouts: limits }).send(get(url)));
      expect(error).toMatchObject({ kind: 'timeout' });
      expect(String(error)).toMatch(limits.connect === 100 ? /did not accept/ : /did not finish/);
    }
  });
});

describe('an abort', () => {
  it('ends a request before it is sent, during the wait and within the body, always with the given reason', async () => {
    const reason = new Error('the operator said stop');
    const http = testHttp();
    const early = new AbortController();
    early.abort(reason);
    const silent = await plainServer(() => undefined);
    expect(await rejection(http.send({ ...get(silent.url), signal: early.signal }))).toBe(reason);
    expect(silent.sockets).toHaveLength(0);

    const waiting = new AbortController();
    const pending = rejection(http.send({ ...get(silent.url), signal: waiting.signal }));
    waiting.abort(reason);
    expect(await pending).toBe(reason);

    const reading = new AbortController();
    const dripping = await plainServer((_request, response) => {
      response.write('first');
    });
    const answer = await http.send({ ...get(dripping.url), signal: reading.signal });
    const body = answer.body[Symbol.asyncIterator]();
    await body.next();
    const next = rejection(body.next());
    reading.abort(reason);
    expect(await next).toBe(reason);
  });

  it('leaves no listeners on a signal that remains in use', async () => {
    const { signal } = new AbortController();
    const server = await plainServer((request, response) => {
      if (request.url === '/drop') response.destroy();
      else response.end('x');
    });
    const http = testHttp();
    const send = (path: string): Promise<HttpAnswer> =>
      http.send({ ...get(new URL(path, server.url)), signal });
    await (await send('/')).text(10);
    await (await send('/')).discard();
    expect(await rejection((await send('/')).text(0))).toMatchObject({ kind: 'too-large' });
    await rejection(send('/drop'));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('of the transport ends open requests', async () => {
    const server = await plainServer(() => undefined);
    const http = testHttp();
    const pending = rejection(http.send(get(server.url)));
    await http[Symbol.asyncDispose]();
    expect(await pending).toMatchObject({ kind: 'connection-lost' });
  });
});
