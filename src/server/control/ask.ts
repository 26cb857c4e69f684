import { lstat } from 'node:fs/promises';
import { fault, hasCode, messageOf, systemCode } from '../../core/index.ts';
import type { Clock, Progress } from '../../core/index.ts';
import type { Commands, RunResult } from '../commands-port.ts';
import { heartbeat } from './answer.ts';
import { keysOver } from './ask-keys.ts';
import { callDaemon, nobodyListens } from './call.ts';
import type { Call, Line } from './call.ts';
import type { Greeting } from './routes.ts';
import { socketFile, socketPath } from './socket-path.ts';
import type { WireEvent } from './wire.ts';

export type DaemonCommands = Commands & { readonly ping: () => Promise<Greeting> };

export type AskOptions = {
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

const listener =
  (progress: Progress, onRun?: (result: RunResult, done: number, total: number) => void) =>
  (event: WireEvent): void => {
    // Both sides are of one version, so a step and a result have the shape that this side knows.
    if (event.event === 'progress') progress(event.step);
    if (event.event === 'run') onRun?.(event.result as unknown as RunResult, event.done, event.total);
  };

const commandsOver = (line: Line): DaemonCommands => {
  const ask = async <T>(call: Omit<Call, 'timeout'>, wait = timeout): Promise<T> => {
    try {
      return (await callDaemon(line, { ...call, timeout: wait })) as T;
    } catch (error) {
      if (!nobodyListens(error)) throw error;
      throw fault('daemon-stopped', 'the daemon has ended', { cause: error });
    }
  };
  return {
    ping: () => ask({ name: 'GET /ping' }, greetingTimeout),
    status: () => ask({ name: 'GET /status' }),
    runs: (query) => ask({ name: 'GET /runs', query }),
    next: (query) => ask({ name: 'GET /next', query }),
    plan: (body) => ask({ name: 'POST /plan', body }),
    report: (body, progress, signal) =>
      ask({ name: 'POST /report', body, signal, onEvent: listener(progress) }),
    doctor: (body, progress, signal) =>
      ask({ name: 'POST /doctor', body, signal, onEvent: listener(progress) }),
    reconcile: (body, progress, signal) =>
      ask({ name: 'POST /reconcile', body, signal, onEvent: listener(progress) }),
    outbox: ({ states, limit }) =>
      ask({
        name: 'GET /outbox',
        query: { limit, ...(states === undefined ? {} : { states: states.join(',') }) },
      }),
    resend: (body, signal) => ask({ name: 'POST /outbox/resend', body, signal }),
    drop: (body) => ask({ name: 'POST /outbox/drop', body }),
    run: (body, progress, signal) => ask({ name: 'POST /run', body, signal, onEvent: listener(progress) }),
    backfill: (body, progress, onRun, signal) =>
      ask({ name: 'POST /backfill', body, signal, onEvent: listener(progress, onRun) }),
    keys: keysOver((call, progress) =>
      ask({ ...call, ...(progress === undefined ? {} : { onEvent: listener(progress) }) }),
    ),
  };
};

/**
 * The commands of the daemon that holds this database, or undefined when none is running: there is no socket, or nobody
 * listens on it. Besides their own faults they reject with daemon-stopped, daemon-unreachable and, when their signal is
 * aborted, with its reason.
 * @throws Fault daemon-unreachable, daemon-version-differs, socket-path-too-long (a daemon may run, but not to be reached from here)
 */
export const askDaemon = async (
  databasePath: string,
  options: AskOptions,
): Promise<DaemonCommands | undefined> => {
  const { version, clock } = options;
  if (!(await somebodyMayListen(socketFile(databasePath, options)))) return undefined;
  const line = { socket: socketPath(databasePath, options), version, clock };
  try {
    await callDaemon(line, { name: 'GET /ping', timeout: greetingTimeout });
    return commandsOver(line);
  } catch (error) {
    if (nobodyListens(error)) return undefined;
    if (!hasCode(error, 'daemon-stopped')) throw error;
    throw fault('daemon-unreachable', `${line.socket} took the call and closed it without an answer`, {
      cause: error,
      advice:
        'a daemon that is just stopping does so: try again; when it stays so, look at what listens there',
      retryHelps: true,
    });
  }
};
