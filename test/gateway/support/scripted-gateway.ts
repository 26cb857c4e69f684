import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecretRegistry, type RetryPolicy, money, unixSeconds } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import { createGateway } from '../../../src/gateway/index.ts';
import type { HttpTimeouts } from '../../../src/http/index.ts';
import { collect, plainServer, testHttp } from '../../http/support/servers.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** A key to be created. */
export const spec = {
  name: 'n',
  remainQuota: money('1'),
  unlimitedQuota: false,
  expiredTime: 'never' as const,
  group: '',
};

/** A request of the log export. */
export const logs = { start: unixSeconds(1), end: unixSeconds(2), columns: [], currency: 'USD' as const };

export const adminKey = 'sk-admin-0123456789abcdefghijklmnop';

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** Answers by hand: for bodies that stall, drip or break off. */
  | ((response: ServerResponse) => void);

export const ok = (data: unknown): Answer => json({ success: true, message: '', data });

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

export const csv = (body: string | Uint8Array, headers: Record<string, string> = {}): Answer => ({
  headers: { 'content-type': 'text/csv; charset=utf-8', ...headers },
  body,
});

export type ScriptedOptions = {
  /** Instead of that of the server. */
  readonly baseUrl?: string;
  readonly prefix?: string;
  readonly adminKey?: string;
  readonly retry?: RetryPolicy;
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly pageTimeout?: number;
  readonly confirm?: () => Promise<AbortSignal>;
};

/** A server that answers as told (the last answer again and again), and a client of it on a clock that needs no waiting. */
export const scriptedGateway = async (
  answers: readonly Answer[] | ((request: SeenRequest) => Answer),
  options: ScriptedOptions = {},
) => {
  const seen: SeenRequest[] = [];
  const answering = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://gateway');
    const entry: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: (await collect(request)).toString(),
    };
    seen.push(entry);
    const answer =
      typeof answers === 'function' ? answers(entry) : answers[Math.min(seen.length, answers.length) - 1];
    if (typeof answer === 'function') answer(response);
    else response.writeHead(answer?.status ?? 200, answer?.headers).end(answer?.body);
  };
  const server = await plainServer((request, response) => void answering(request, response));
  const clock = manualClock();
  const secrets = createSecretRegistry();
  const lines: string[] = [];
  const log = createLog({
    write: (line) => lines.push(line),
    level: 'debug',
    clock,
    redact: secrets.redact,
  });
  const http = testHttp(options.timeouts === undefined ? {} : { timeouts: options.timeouts });
  const gateway = createGateway({
    baseUrl: options.baseUrl ?? server.url.origin + (options.prefix ?? ''),
    adminKey: secrets.register(options.adminKey ?? adminKey),
    http,
    clock,
    random: () => 0.5,
    log,
    secrets,
    pageTimeout: options.pageTimeout,
    confirm: options.confirm,
    ...(options.retry === undefined ? {} : { retry: options.retry }),
  });
  return { gateway, seen, clock, secrets, lines, server };
};
