import type { Server } from 'node:http';
import { dirname } from 'node:path';
import { getuid, pid } from 'node:process';
import {
  createLimitedServer,
  errorFields,
  fault,
  systemCode,
  type Clock,
  type ConnectionLimits,
  type Log,
} from '../core/index.ts';
import { openAnswer, type Answer } from './answer.ts';
import { makeControlFolder, removeStaleSocket } from './control-folder.ts';
import { carryOut } from './carry-out.ts';
import { findCommand, type CommandTable, type Handlers } from './command.ts';
import { readBody } from './request-body.ts';
import { socketFile, socketPath } from './socket-path.ts';
import { outcomeOfError, pingPath, versionHeader, versionsDiffer } from './wire.ts';

export type ServerOptions<Table extends CommandTable> = {
  /** The caller holds the lock of its daemon, so an existing socket is stale. */
  readonly databasePath: string;
  readonly table: Table;
  /** One per command of the table. A handler whose signal is aborted is not awaited. */
  readonly handlers: Handlers<Table>;
  /** Version of the program; only commands of the same version are handled. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Applied to every text sent. */
  readonly redact?: (text: string) => string;
  /** Base of relative paths; defaults to that of the process. */
  readonly cwd?: string;
  /** User id that must own the folder; defaults to that of the process. */
  readonly user?: number;
  readonly limits?: ConnectionLimits;
};

/** Milliseconds to send the last lines when the daemon stops. */
const leaving = 1000;

const listening = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(
        fault('path-unwritable', `${path} cannot be listened on (${systemCode(error) ?? error.message})`, {
          cause: error,
          advice: 'use a local volume that supports Unix sockets and is writable for this user',
        }),
      ),
    );
    server.listen(path, resolve);
  });

/**
 * Answers commands on the control socket beside the database until disposed; then open commands end with the fault
 * daemon-stopped, their signals are aborted, and the socket is removed.
 * @throws Fault socket-path-too-long, control-folder-unsafe, path-unwritable
 */
export const listenForCommands = async <Table extends CommandTable>(
  options: ServerOptions<Table>,
): Promise<AsyncDisposable> => {
  const { table, handlers, version, clock, log, redact = (text) => text } = options;
  const open = new Set<Answer>();

  const path = socketPath(options.databasePath, options);
  const file = socketFile(options.databasePath, options);
  await makeControlFolder(dirname(file), options.user ?? getuid?.());
  await removeStaleSocket(file);
  const server = createLimitedServer((request, response) => {
    response.setHeader(versionHeader, version);
    response.setHeader('content-type', 'application/x-ndjson');
    // One command per connection, so that an unread body cannot affect the next command.
    response.setHeader('connection', 'close');
    const answer = openAnswer(response, { clock, redact });
    open.add(answer);
    void answer.closed.then(() => open.delete(answer));
    const program = request.headers[versionHeader];
    if (program !== version)
      return answer.end(outcomeOfError(versionsDiffer(version, String(program ?? 'unknown'))), 409);
    const route = `${request.method} ${request.url}`;
    if (route === `GET ${pingPath}`) return answer.end({ end: 'value', value: { version, pid } });
    const name = (request.url ?? '').slice(1);
    const found = request.method === 'POST' ? findCommand(table, handlers, name) : undefined;
    if (found === undefined)
      return answer.end(outcomeOfError(fault('wrong-use', `the daemon has no command ${route}`)), 404);
    void carryOut({ name, ...found, input: () => readBody(request) }, answer, log);
  }, options.limits);
  await listening(server, path);
  server.on('error', (error) => log.warn('the control socket failed', errorFields(error)));

  const stop = async (): Promise<void> => {
    const reason = fault('daemon-stopped', 'the daemon was stopped before the command finished');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const answer of open) answer.stop(reason, outcomeOfError(reason));
    using limit = clock.limit(leaving);
    const tooLong = new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
    await Promise.race([Promise.all([...open].map((answer) => answer.closed)), tooLong]);
    server.closeAllConnections();
    await closed;
  };
  let stopped: Promise<void> | undefined;
  return { [Symbol.asyncDispose]: () => (stopped ??= stop()) };
};
