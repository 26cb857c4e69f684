import { dirname, join, relative, resolve } from 'node:path';
import { fault } from '../core/index.ts';

export type Place = {
  /** Where a relative path of a database starts; the working folder of the process where it is missing. */
  readonly cwd?: string;
  /** This machine's where it is missing. */
  readonly platform?: NodeJS.Platform;
};

/** Bytes that the address of a Unix socket takes; Node cuts longer ones without a word. */
const longestPath = (platform: NodeJS.Platform): number => (platform === 'linux' ? 107 : 103);

/** The socket by its absolute path, for what has no such limit. */
export const socketFile = (databasePath: string, place: Place = {}): string =>
  join(dirname(resolve(place.cwd ?? process.cwd(), databasePath)), 'control', 'tollkeeper.sock');

/**
 * Where the daemon that holds this database listens for commands: `control/tollkeeper.sock` beside it. Absolute, or from the
 * working folder where only that is short enough.
 * @throws Fault socket-path-too-long
 */
export const socketPath = (databasePath: string, place: Place = {}): string => {
  const longest = longestPath(place.platform ?? process.platform);
  const absolute = socketFile(databasePath, place);
  // The system reads it from the working folder of the process, whatever the database's path is read from.
  const fromHere = relative(process.cwd(), absolute);
  const found = [absolute, fromHere].find((path) => Buffer.byteLength(path) <= longest);
  if (found !== undefined) return found;
  const length = Buffer.byteLength(absolute);
  throw fault(
    'socket-path-too-long',
    `the path of the control socket, ${absolute}, has ${length} bytes; at most ${longest} are allowed`,
  );
};
