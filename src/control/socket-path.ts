import { dirname, join, relative, resolve } from 'node:path';
import { fault } from '../core/index.ts';

export type Place = {
  /** Base of a relative database path; defaults to the working folder of the process. */
  readonly cwd?: string;
  /** Defaults to that of this machine. */
  readonly platform?: NodeJS.Platform;
};

/** Bytes of the address of a Unix socket; Node truncates longer ones silently. */
const longestPath = (platform: NodeJS.Platform): number => (platform === 'linux' ? 107 : 103);

/** The absolute path, for uses without a length limit. */
export const socketFile = (databasePath: string, place: Place = {}): string =>
  join(dirname(resolve(place.cwd ?? process.cwd(), databasePath)), 'control', 'tollkeeper.sock');

/**
 * The control socket of the daemon that holds this database: `control/tollkeeper.sock` beside it. Absolute, or relative to the
 * working folder if only that is short enough.
 * @throws Fault socket-path-too-long
 */
export const socketPath = (databasePath: string, place: Place = {}): string => {
  const longest = longestPath(place.platform ?? process.platform);
  const absolute = socketFile(databasePath, place);
  // The system resolves it from the working folder of the process, not from `cwd`.
  const fromHere = relative(process.cwd(), absolute);
  const found = [absolute, fromHere].find((path) => Buffer.byteLength(path) <= longest);
  if (found !== undefined) return found;
  const length = Buffer.byteLength(absolute);
  throw fault(
    'socket-path-too-long',
    `the path of the control socket, ${absolute}, has ${length} bytes; at most ${longest} are allowed`,
  );
};
