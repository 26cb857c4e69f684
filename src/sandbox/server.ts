import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, tooMany, unknownRoute, type Answer } from './answer.ts';
import { control, type Gateway } from './control.ts';
import type { Effect } from './faults.ts';
import { hostileAnswer } from './hostile/hostile.ts';
import type { Request } from './request.ts';
import { recordOf } from './requests.ts';
import { answerTo, type Unreadable } from './routes.ts';
import { send } from './send.ts';

const BODY_LIMIT = 16 * 1024 * 1024;

const readBody = async (
  request: IncomingMessage,
): Promise<{ body: unknown; text: string; unreadable?: Unreadable }> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  if (size > BODY_LIMIT) return { body: undefined, text: '', unreadable: 'too long' };
  if (size === 0) return { body: undefined, text: '' };
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return { body: JSON.parse(text) as unknown, text };
  } catch {
    return { body: undefined, text, unreadable: 'malformed' };
  }
};

const isLoopback = (address: string | undefined): boolean => /^(?:::ffff:)?127\.|^::1$/u.test(address ?? '');

/** The answer that an effect gives in place of that of a handler. */
const instead = (effect: Effect | undefined): Answer | undefined => {
  const text = (status: number, type: string, body: string, headers = {}): Answer => ({
    status,
    headers: { 'content-type': type, ...headers },
    body,
  });
  switch (effect?.kind) {
    case 'status': {
      const { status, contentType = 'text/plain; charset=utf-8', body = '', retryAfter } = effect;
      return text(status, contentType, body, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    }
    case 'envelope':
      return json(200, { success: false, message: effect.message ?? 'system busy', data: null });
    case 'html':
      return text(
        effect.status ?? 200,
        'text/html; charset=utf-8',
        '<!doctype html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>',
      );
    case 'rate-limit':
      return tooMany;
    case 'redirect':
      return { status: effect.status ?? 302, headers: { location: effect.location }, body: '' };
    default:
      return undefined;
  }
};

const handle = async (
  gateway: Gateway,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { state, faults, requests, traffic } = gateway;
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const target = incoming.url ?? '/';
  const url = new URL(URL.canParse(target, 'http://sandbox') ? target : '/', 'http://sandbox');
  const { body, text, unreadable } = await readBody(incoming);
  const request: Request = {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    origin: `${'encrypted' in incoming.socket ? 'https' : 'http'}://${incoming.headers.host ?? 'localhost'}`,
    id: '',
    body,
    text,
  };
  const io = { request: incoming, response, gone: closed.signal };
  const record = recordOf(incoming, url, state.now());
  state.later.catchUp();
  if (request.path.startsWith('/_sandbox/')) {
    const answer = isLoopback(incoming.socket.remoteAddress) ? control(gateway, request) : undefined;
    await send(io, answer ?? unknownRoute(state.variants), {
      effect: undefined,
      record,
      mayCompress: false,
      date: state.date(),
    });
    return;
  }
  if (request.path.startsWith('/api/token/')) record.body = body;
  requests.add(record);
  const effect = faults.take(request.method, request.path, request.query);
  record.fault = effect?.kind;
  try {
    if (effect?.kind === 'reset') {
      // Only a plain TCP socket can be reset; with TLS the closest is to destroy it.
      if ('encrypted' in incoming.socket) incoming.socket.destroy();
      else incoming.socket.resetAndDestroy();
      return;
    }
    if (effect?.kind === 'delay') await sleep(effect.millis, undefined, { signal: closed.signal });
    if (effect?.kind === 'late-effect') {
      state.later.put(state.now() + effect.millis, () => void answerTo(state, request, unreadable));
      incoming.socket.destroy();
      return;
    }
    const answering = (): Answer => instead(effect) ?? answerTo(state, request, unreadable);
    const answer =
      effect?.kind === 'late-listing'
        ? state.listing.lagging(state.now() + effect.millis, answering)
        : answering();
    if (effect?.kind === 'churn') {
      traffic.removeKeys(effect.remove, 'churn');
      traffic.addKeys(effect.add, 'churn');
    }
    if (effect?.kind === 'lost-answer') {
      incoming.socket.destroy();
      return;
    }
    await send(io, hostileAnswer(state.hostile, answer, request), {
      effect,
      record,
      mayCompress: state.variants.compression,
      date: state.date(),
    });
  } finally {
    record.done = true;
  }
};

/** Milliseconds; half-open connections must end, or they exhaust the file descriptors of the process. */
const timeouts = {
  headersTimeout: 5000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};

export const createGatewayServer = (
  gateway: Gateway,
  tls: { readonly key: string; readonly cert: string } | undefined,
): Server => {
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    handle(gateway, incoming, response).catch(() => {
      // The client is gone, or a handler failed: no useful answer is possible.
      if (!response.headersSent && !response.destroyed) response.writeHead(500).end();
      else response.destroy();
    });
  };
  const server =
    tls === undefined
      ? createServer(timeouts, listener)
      : createTlsServer({ ...timeouts, ...tls, handshakeTimeout: 5000 }, listener);
  server.maxConnections = 512;
  return server;
};
