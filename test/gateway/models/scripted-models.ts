import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecretRegistry, silentLog } from '../../../src/core/index.ts';
import { createModelDeps } from '../../../src/gateway/index.ts';
import type { HttpTimeouts } from '../../../src/http/index.ts';
import { collect, plainServer, testHttp } from '../../http/support/servers.ts';
import { manualClock } from '../../support/manual-clock.ts';

export const plaintext = 'sk-Zq8PlaintextOfAnApiKey42';

export type SeenCall = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type Reply =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** Answers by hand: for bodies that stall or break off. */
  | ((response: ServerResponse) => void);

export const jsonReply = (value: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** A server that answers as the test says (the last reply again and again), and what calls of it work with. */
export const scriptedModels = async (
  replies: readonly Reply[] | ((call: SeenCall) => Reply),
  options: { readonly prefix?: string; readonly timeouts?: Partial<HttpTimeouts> } = {},
) => {
  const seen: SeenCall[] = [];
  const answering = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call: SeenCall = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: (await collect(request)).toString(),
    };
    seen.push(call);
    const reply =
      typeof replies === 'function' ? replies(call) : replies[Math.min(seen.length, replies.length) - 1];
    if (typeof reply === 'function') reply(response);
    else response.writeHead(reply?.status ?? 200, reply?.headers).end(reply?.body);
  };
  const server = await plainServer((request, response) => void answering(request, response));
  const clock = manualClock();
  const secrets = createSecretRegistry();
  const http = testHttp(options.timeouts === undefined ? {} : { timeouts: options.timeouts });
  const deps = createModelDeps({
    baseUrl: server.url.origin + (options.prefix ?? ''),
    http,
    clock,
    random: () => 0.5,
    log: silentLog,
    secrets,
  });
  return { deps, seen, clock, secrets, server, key: secrets.register(plaintext) };
};
