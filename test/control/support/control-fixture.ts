import { request } from 'node:http';
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLog, unixMillis } from '../../../src/core/index.ts';
import {
  commandTable,
  connectToDaemon,
  listenForCommands,
  socketPath,
  type ServerOptions,
} from '../../../src/control/index.ts';
import type { ProgramHandlers } from '../../../src/app/control/handlers.ts';
import type { Commands, RunResult, RunView, StatusView } from '../../../src/app/index.ts';
import { handlersWith } from '../../support/unexpected-handlers.ts';
import { manualClock } from '../../support/manual-clock.ts';

export const at = unixMillis(Date.UTC(2026, 10, 21, 6));

export const runView = (job: string, slot = at): RunView => ({
  job,
  slot,
  zone: 'Europe/Berlin',
  trigger: 'hand',
  state: 'ok',
  interval: { start: unixMillis(slot - 3_600_000), end: slot },
  attempts: [{ attempt: 1, startedAt: slot, endedAt: unixMillis(slot + 1), state: 'ok' }],
});

export const runResult = (job: string, slot = at): RunResult => ({
  run: runView(job, slot),
  already: false,
  figures: { rows: 12, amount: '1.250000000001' },
  mail: { sent: 1, deferred: 0, failed: 0, unknown: 0, queued: 0 },
});

export const statusView: StatusView = {
  version: '1.2.3',
  now: at,
  daemon: { pid: 7, startedAt: at, stopping: false },
  config: { loadedAt: at, faults: [], atNextStart: ['health.port'] },
  jobs: [{ job: 'Überblick', kind: 'report', zone: 'UTC', suspend: false, last: runView('Überblick') }],
  open: [],
  mail: { waiting: 0, failed: 0, unknown: 0, held: 0 },
};

/** A folder for a database, short enough for a socket, and both sides of the socket: a daemon listens if handlers are given. */
export const openControlFixture = async (handlers?: Partial<ProgramHandlers>) => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-'));
  const before = process.cwd();
  // Where temporary folders have long names, the way from here is still short.
  process.chdir(folder);
  const databasePath = join(folder, 'tollkeeper.duckdb');
  const clock = manualClock(at);
  const open: AsyncDisposable[] = [];
  const connect = (version = '1.2.3'): Promise<Commands | undefined> =>
    connectToDaemon<typeof commandTable, ProgramHandlers>(databasePath, { version, clock });
  /** A daemon that expects these commands. */
  const listen = async (
    given: Partial<ProgramHandlers>,
    options: Partial<Pick<ServerOptions<typeof commandTable>, 'log' | 'redact' | 'user' | 'limits'>> = {},
  ): Promise<AsyncDisposable> => {
    const listener = await listenForCommands({
      databasePath,
      table: commandTable,
      handlers: handlersWith(given),
      version: '1.2.3',
      clock,
      log: silentLog,
      ...options,
    });
    open.push(listener);
    return listener;
  };
  if (handlers !== undefined) await listen(handlers);
  return {
    databasePath,
    socket: socketPath(databasePath),
    clock,
    connect,
    listen,
    /** The same as `connect`, where a daemon must be there. */
    daemon: async (): Promise<Commands> => {
      const daemon = await connect();
      if (daemon === undefined) throw new Error('no daemon listens');
      return daemon;
    },
    [Symbol.asyncDispose]: async () => {
      for (const listener of open) await listener[Symbol.asyncDispose]();
      process.chdir(before);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type ControlFixture = Awaited<ReturnType<typeof openControlFixture>>;

/** Resolves to what was rejected with. */
export const rejection = async (promise: Promise<unknown>): Promise<Error & Record<string, unknown>> => {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('it did not reject');
};

/** A promise with its ends in hand. */
export const deferred = <T = void>(): { promise: Promise<T>; resolve: (value: T) => void } => {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
};

/** Something else than a daemon, listening where the daemon would. */
export const openStranger = async (
  fixture: ControlFixture,
  onConnection: (socket: Socket) => void,
): Promise<AsyncDisposable> => {
  await mkdir(dirname(fixture.socket), { recursive: true });
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(fixture.socket);
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** One request as any program could send it. */
export const sendRaw = async (
  socketPath: string,
  method: string,
  path: string,
  body = '',
  headers: Readonly<Record<string, string>> = { 'tollkeeper-version': '1.2.3' },
): Promise<{ readonly status: number | undefined; readonly text: string }> => {
  const asking = request({ socketPath, method, path, headers, agent: false });
  // A large body ends with a write of nothing, which can come after the answer has closed the connection.
  asking.on('error', () => undefined);
  asking.end(body);
  const [response] = await once(asking, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
};

/** A connection on which a request was written and nothing is read yet. */
export const openUnreadRequest = async (
  socketPath: string,
  path: string,
  request: unknown,
): Promise<Socket> => {
  const socket = createConnection(socketPath);
  await once(socket, 'connect');
  const body = JSON.stringify(request);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: daemon\r\ntollkeeper-version: 1.2.3\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
};
