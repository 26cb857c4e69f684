import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Pool } from 'pg';

/** Where Debian has the server's programs. */
const programs = '/usr/lib/postgresql/15/bin';

/** Why tests over PostgreSQL are skipped here. */
export const noPostgres = existsSync(join(programs, 'postgres'))
  ? undefined
  : 'PostgreSQL 15 is not installed (package postgresql-15)';

export type PostgresCluster = AsyncDisposable & {
  /** Connections to a new, empty database, whose texts are in the order of their bytes. */
  readonly createDatabase: () => Promise<Pool>;
};

/** PostgreSQL refuses to run as root; Debian has this user ID for programs without rights. */
const unprivileged = 65_534;
const asUser = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};

/** A server of its own, in a folder that goes with it; it listens on a Unix socket alone. */
export const startPostgres = async (): Promise<PostgresCluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-pg-'));
  if ('uid' in asUser) {
    await chown(folder, unprivileged, unprivileged);
    // The folder of the test run is open to its own user alone.
    if (basename(dirname(folder)).startsWith('tollkeeper-tests-')) await chmod(dirname(folder), 0o755);
  }
  const data = join(folder, 'data');
  const setUp = ['-D', data, '-U', 'test', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(programs, 'initdb'), setUp, { ...asUser, cwd: folder });
  const settings = ['listen_addresses=', 'fsync=off', 'max_connections=50'].flatMap((one) => ['-c', one]);
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, ...settings], {
    ...asUser,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL does not start: ${log}`)));
  });
  const connect = (database: string): Pool =>
    // Its end does not wait for its connections, which a server that stops may then cut.
    new Pool({ host: folder, user: 'test', database, max: 10 }).on('error', () => undefined);
  let databases = 0;
  return {
    createDatabase: async () => {
      databases += 1;
      const admin = connect('postgres');
      await admin.query(`CREATE DATABASE test_${databases}`);
      await admin.end();
      return connect(`test_${databases}`);
    },
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
