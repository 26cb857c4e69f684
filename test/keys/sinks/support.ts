import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createNamedGates, createSecretRegistry, type Secret } from '../../../src/core/index.ts';
import { createSink, type SinkDeps, type SinkSpec } from '../../../src/keys/index.ts';
import type { Delivery, Sink } from '../../../src/keys/model/sink.ts';
import { createHttp, type Http } from '../../../src/http/index.ts';
import { openWebServer, type Asked } from '../../notify/support/web-server.ts';
import { manualClock } from '../../support/manual-clock.ts';

export const plaintext = 'sk-Np3vXw8RkQ1zLmTb6YcEoHs5';
export const older = 'sk-AAAAoldAAAAoldAAAAoldAAAA';
export const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

export const delivery: Delivery = {
  account: 'main',
  service: 'billing',
  generation: 7,
  keyName: 'billing.g7',
};

export const secretOf = (value: string): Secret => ({
  reveal: () => value,
  toString: () => '[secret]',
  toJSON: () => '[secret]',
});

/** The key that tests deliver. */
export const key = secretOf(plaintext);

export const never = new AbortController().signal;

const timeouts = { connect: 2000, headers: 5000, idle: 5000, total: 10_000 };

/** Keeps what a test opens, and closes it. */
export const openSinkFixture = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-sinks-'));
  const clock = manualClock();
  const opened: Http[] = [];
  const open = (ca?: readonly string[]): Http => {
    const http = createHttp({
      userAgent: 'tollkeeper/test',
      env: {},
      timeouts,
      ...(ca === undefined ? {} : { ca }),
    });
    opened.push(http);
    return http;
  };
  const deps: SinkDeps = {
    http: open(),
    openHttp: open,
    env: { PATH: process.env['PATH'] },
    cwd: folder,
    clock,
    random: () => 0.5,
    secrets: createSecretRegistry(),
    gates: createNamedGates(),
  };
  return {
    folder,
    deps,
    clock,
    sink: (spec: SinkSpec, more: Partial<SinkDeps> = {}): Sink =>
      createSink(spec, delivery, { ...deps, ...more }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((http) => http[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type SinkFixture = Awaited<ReturnType<typeof openSinkFixture>>;

/** What a promise was rejected with. */
export const thrownBy = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Fake = AsyncDisposable & { readonly url: string; readonly seen: readonly Asked[] };

/** A real server on loopback that answers as told and keeps what it was sent; it goes with the test. */
export const serve = async (reply: (seen: Asked) => Reply): Promise<Fake> => {
  const server = await openWebServer((seen, response) => {
    const { status, body, headers } = reply(seen);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? ''));
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { ...server, seen: server.asked };
};
