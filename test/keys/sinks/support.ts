import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNamedGates, createSecretRegistry, type Secret } from '../../../src/core/index.ts';
import { createSink, type SinkDeps, type SinkSpec } from '../../../src/keys/index.ts';
import type { Delivery, Sink } from '../../../src/keys/model/sink.ts';
import { createHttp, type Http } from '../../../src/http/index.ts';
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

export const never = new AbortController().signal;

const timeouts = { connect: 2000, headers: 5000, idle: 5000, total: 10_000 };

/** Keeps what a test opens, and closes it. */
export type SinkFixture = AsyncDisposable & {
  readonly folder: string;
  readonly deps: SinkDeps;
  readonly clock: ReturnType<typeof manualClock>;
  readonly sink: (spec: SinkSpec, change?: Partial<SinkDeps>) => Sink;
};

export const openSinkFixture = async (change: Partial<SinkDeps> = {}): Promise<SinkFixture> => {
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
    ...change,
  };
  return {
    folder,
    deps,
    clock,
    sink: (spec, more = {}) => createSink(spec, delivery, { ...deps, ...more }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((http) => http[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** What a promise was rejected with. */
export const thrownBy = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
