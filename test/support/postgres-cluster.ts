import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { freePort } from './free-port.ts';

/** Where Debian has the server's programs. */
const programs = '/usr/lib/postgresql/15/bin';

/** Why tests over PostgreSQL are skipped here. */
export const noPostgres = existsSync(join(programs, 'postgres'))
  ? undefined
  : 'PostgreSQL 15 is not installed (package postgresql-15)';

export type PostgresCluster = AsyncDisposable & {
  /** Connections to a new database, in which the statements have run, whose texts are in the order of their bytes. */
  readonly createDatabase: (statements?: readonly string[]) => Promise<Pool>;
  /** The URL of a new, empty database through the socket. */
  readonly createUrl: () => Promise<string>;
  /** Runs statements as the superuser `test`, one by one. */
  readonly execute: (statements: readonly string[], database?: string) => Promise<void>;
  /** The folder of its socket, through which `test` needs no password. */
  readonly folder: string;
  /** On 127.0.0.1 if it listens there; it also names the socket. */
  readonly port: number;
  /** Cuts all connections and starts again, with further settings if given: `ssl=off`. */
  readonly restart: (settings?: readonly string[]) => Promise<void>;
};

export type ClusterOptions = {
  readonly connections?: number;
  /** Whether it also listens on 127.0.0.1, with password authentication. */
  readonly overTcp?: boolean;
  /** The certificate of test/fixtures/tls for connections over TCP. */
  readonly certificate?: string;
};

/** PostgreSQL refuses to run as root; Debian has this user ID for programs without rights. */
const unprivileged = 65_534;
const asUser = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};

const give = async (path: string): Promise<void> => {
  if ('uid' in asUser) await chown(path, unprivileged, unprivileged);
};

/** Settings for TLS, whose key the server accepts only as a file of its own. */
const tlsSettings = async (folder: string, name: string | undefined): Promise<readonly string[]> => {
  if (name === undefined) return [];
  const [certificate, key] = [`${name}.pem`, `${name}.key`].map((file) => join(folder, file));
  for (const path of [certificate, key]) {
    if (path === undefined) continue;
    await cp(new URL(`../fixtures/tls/${basename(path)}`, import.meta.url), path);
    await chmod(path, 0o600);
    await give(path);
  }
  return ['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`];
};

const startServer = async (folder: string, settings: readonly string[]): Promise<() => Promise<void>> => {
  const set = settings.flatMap((one) => ['-c', one]);
  const server = spawn(join(programs, 'postgres'), ['-D', join(folder, 'data'), '-k', folder, ...set], {
    ...asUser,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('ready to accept')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL does not start: ${log}`)));
  });
  return async () => {
    server.kill('SIGINT');
    await ended;
  };
};

/** A server of its own, in a folder that goes with it; it listens on a Unix socket alone, if not asked for more. */
export const startPostgres = async (options: ClusterOptions = {}): Promise<PostgresCluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-pg-'));
  await give(folder);
  // The folder of a test run, which may lie in that of another one, is open to its own user alone.
  if ('uid' in asUser)
    for (let run = dirname(folder); basename(run).startsWith('tollkeeper-tests-'); run = dirname(run))
      await chmod(run, 0o755);
  const auth = ['--auth-local=trust', '--auth-host=scram-sha-256'];
  const setUp = ['-D', join(folder, 'data'), '-U', 'test', ...auth, '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(programs, 'initdb'), setUp, { ...asUser, cwd: folder });
  const port = options.overTcp === true ? await freePort() : 5432;
  const settings = [
    `listen_addresses=${options.overTcp === true ? '127.0.0.1' : ''}`,
    `port=${port}`,
    'fsync=off',
    `max_connections=${options.connections ?? 50}`,
    ...(await tlsSettings(folder, options.certificate)),
  ];
  let stop = await startServer(folder, settings);
  const connect = (database: string): Pool => {
    const pool = new Pool({ host: folder, port, user: 'test', database, max: 10 });
    pool.on('error', () => undefined);
    return pool;
  };
  const execute: PostgresCluster['execute'] = async (statements, database = 'postgres') => {
    const admin = connect(database);
    try {
      for (const statement of statements) await admin.query(statement);
    } finally {
      await admin.end();
    }
  };
  let databases = 0;
  const create = async (): Promise<string> => {
    const name = `test_${(databases += 1)}`;
    await execute([`CREATE DATABASE ${name}`]);
    return name;
  };
  return {
    folder,
    port,
    execute,
    createDatabase: async (statements = []) => {
      const name = await create();
      await execute(statements, name);
      return connect(name);
    },
    createUrl: async () => `postgres://test@/${await create()}?host=${folder}&port=${port}`,
    restart: async (further = []) => {
      await stop();
      stop = await startServer(folder, [...settings, ...further]);
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
