import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createHttp, type Http, type HttpOptions } from '../../../src/http/index.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type TestServer = {
  readonly url: URL;
  readonly port: number;
  /** Every connection there was. */
  readonly sockets: readonly Socket[];
  /** `GET /path?query` of every request there was. */
  readonly requests: readonly string[];
};

export const certificate = (name: string): string =>
  readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8');

const serve = async (server: Server, protocol: string, requests: string[]): Promise<TestServer> => {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.on('request', (request: IncomingMessage) => requests.push(`${request.method} ${request.url}`));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`${protocol}://127.0.0.1:${port}`), port, sockets, requests };
};

/** A plain server on loopback, closed when the test ends. */
export const plainServer = (handler: Handler): Promise<TestServer> =>
  serve(createServer(handler), 'http', []);

/** The same over TLS, with a certificate of test/fixtures/tls. */
export const tlsServer = (handler: Handler, identity: 'localhost' | 'stranger'): Promise<TestServer> =>
  serve(
    createTlsServer({ cert: certificate(`${identity}.pem`), key: certificate(`${identity}.key`) }, handler),
    'https',
    [],
  );

/** A transport with short limits, closed when the test ends. */
export const testHttp = (
  options: Partial<Omit<HttpOptions, 'timeouts'>> & { timeouts?: Partial<HttpOptions['timeouts']> } = {},
): Http => {
  const http = createHttp({
    userAgent: 'tollkeeper/0.0.0-test',
    env: {},
    ...options,
    timeouts: { connect: 20_000, headers: 20_000, idle: 20_000, total: 120_000, ...options.timeouts },
  });
  onTestFinished(() => http[Symbol.asyncDispose]());
  return http;
};

export const get = (url: URL) => ({ method: 'GET' as const, url });

export const hello: Handler = (_request, response) => {
  response.end('hello');
};

export const collect = async (body: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
};

/** What the promise is rejected with. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('was expected to be rejected');
};
