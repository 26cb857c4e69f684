import { lstat } from 'node:fs/promises';
import { fault, hasCode, messageOf, systemCode, type Clock } from '../core/index.ts';
import { heartbeat } from './answer.ts';
import type { Call, CommandContext, CommandTable, Handlers } from './command.ts';
import { exchange, nobodyListens, type Line } from './exchange.ts';
import { socketFile, socketPath } from './socket-path.ts';
import { passEvent, pingPath } from './wire.ts';

export type ConnectOptions = {
  /** Version of the program; the daemon must have the same. */
  readonly version: string;
  readonly clock: Clock;
  /** Base of relative paths; defaults to that of the process. */
  readonly cwd?: string;
};

/** Milliseconds to answer the ping; landing a large batch blocks a daemon for less. */
const greetingTimeout = 15_000;
/** Milliseconds; some heartbeats may be late. */
const timeout = 6 * heartbeat;

const somebodyMayListen = async (file: string): Promise<boolean> => {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (nobodyListens(error)) return false;
    const why = systemCode(error) ?? messageOf(error);
    throw fault('daemon-unreachable', `${file} cannot be reached (${why})`, { cause: error });
  }
};

const callOver = <Table extends CommandTable, Given extends Handlers<Table>>(
  line: Line,
): Call<Table, Given> => {
  const call = async (
    name: string,
    input: unknown,
    context: Partial<CommandContext> = {},
  ): Promise<unknown> => {
    try {
      return await exchange(line, {
        method: 'POST',
        path: `/${name}`,
        input,
        signal: context.signal,
        timeout,
        onEvent: (event) => passEvent(event, context),
      });
    } catch (error) {
      if (!nobodyListens(error)) throw error;
      throw fault('daemon-stopped', 'the daemon has stopped', { cause: error });
    }
  };
  // Both sides have the same version, so answers and results have the types known here.
  return call as Call<Table, Given>;
};

/**
 * The commands of the daemon that owns this database. Undefined without a running daemon: the socket is missing, or no
 * process listens on it. Commands also reject with daemon-stopped, daemon-unreachable and the reason of an aborted signal.
 * @throws Fault daemon-unreachable, daemon-version-differs, socket-path-too-long (a daemon may run, but is unreachable from here)
 */
export const connectToDaemon = async <Table extends CommandTable, Given extends Handlers<Table>>(
  databasePath: string,
  options: ConnectOptions,
): Promise<Call<Table, Given> | undefined> => {
  const { version, clock } = options;
  if (!(await somebodyMayListen(socketFile(databasePath, options)))) return undefined;
  const line = { socket: socketPath(databasePath, options), version, clock };
  try {
    await exchange(line, { method: 'GET', path: pingPath, timeout: greetingTimeout });
    return callOver(line);
  } catch (error) {
    if (nobodyListens(error)) return undefined;
    if (!hasCode(error, 'daemon-stopped')) throw error;
    throw fault('daemon-unreachable', `${line.socket} accepted the call and closed it without an answer`, {
      cause: error,
      advice: 'a stopping daemon does this: try again; if it persists, check which program listens there',
      retryHelps: true,
    });
  }
};
