import { lstat } from 'node:fs/promises';
import { fault, hasCode, messageOf, systemCode, type Clock } from '../core/index.ts';
import { heartbeat } from './answer.ts';
import type { Call, CommandContext, CommandTable, Handlers } from './command.ts';
import { exchange, nobodyListens, type Line } from './exchange.ts';
import { socketFile, socketPath } from './socket-path.ts';
import { pingPath } from './wire.ts';

export type ConnectOptions = {
  /** Of the program; the daemon must be of the same. */
  readonly version: string;
  readonly clock: Clock;
  /** Relative paths start here; the process's own where it is missing. */
  readonly cwd?: string;
};

/** Milliseconds that a greeting may take; a daemon lands a large batch in less. */
const greetingTimeout = 15_000;
/** Milliseconds: some heartbeats may be late. */
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

/** The commands of a table, carried out by the daemon at the other end. */
const callOver = <Table extends CommandTable, Given extends Handlers<Table>>(
  line: Line,
): Call<Table, Given> => {
  const call = async (
    name: string,
    input: unknown,
    { signal, progress, onResult }: Partial<CommandContext> = {},
  ): Promise<unknown> => {
    try {
      return await exchange(line, {
        method: 'POST',
        path: `/${name}`,
        input,
        signal,
        timeout,
        onEvent: (event) => {
          if (event.event === 'progress') progress?.(event.step);
          if (event.event === 'result') onResult?.(event.result);
        },
      });
    } catch (error) {
      if (!nobodyListens(error)) throw error;
      throw fault('daemon-stopped', 'the daemon has stopped', { cause: error });
    }
  };
  // Both sides are of one version, so that answers and results have the types that this side knows.
  return call as Call<Table, Given>;
};

/**
 * The commands of the daemon that holds this database, or undefined when none is running: there is no socket, or nobody
 * listens on it. Besides their own faults they reject with daemon-stopped, daemon-unreachable and, when their signal is
 * aborted, with its reason.
 * @throws Fault daemon-unreachable, daemon-version-differs, socket-path-too-long (a daemon may run, but not to be reached from here)
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
