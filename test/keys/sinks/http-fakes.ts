import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Seen = {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Fake = AsyncDisposable & { readonly url: string; readonly seen: readonly Seen[] };

/** A real server on loopback that answers as told and keeps what it was sent; it goes with the test. */
export const serve = async (reply: (seen: Seen) => Reply): Promise<Fake> => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      seen.push(one);
      const { status, body: answer, headers } = reply(one);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? ''));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, [Symbol.asyncDispose]: stop };
};
