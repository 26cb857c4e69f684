import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/core/index.ts';
import { commandTable, connectToDaemon, listenForCommands, socketPath } from '../../src/control/index.ts';
import { handlersWith } from '../support/unexpected-handlers.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openControlFixture, openStranger, rejection, statusView } from './support/control-fixture.ts';

const modeOf = async (path: string): Promise<string> => ((await lstat(path)).mode & 0o777).toString(8);

/** Does it as a user who may not enter the folder, also where the tests are run by the administrator. */
const asStranger = async <T>(folder: string, action: () => Promise<T>): Promise<T> => {
  const administrator = process.geteuid?.() === 0;
  await chmod(folder, 0o000);
  if (administrator) process.seteuid?.(65_534);
  try {
    return await action();
  } finally {
    if (administrator) process.seteuid?.(0);
    await chmod(folder, 0o700);
  }
};

/** Binds the socket and is killed, so that the file stays. */
const leaveStaleSocket = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const script = `require('net').createServer().listen(process.argv[1], () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await exit;
};

describe('the path of the control socket', () => {
  it('is in a separate folder beside the database', () => {
    expect(socketPath('/data/tollkeeper.duckdb')).toBe('/data/control/tollkeeper.sock');
    expect(socketPath('data/x.duckdb', { cwd: '/srv' })).toBe('/srv/data/control/tollkeeper.sock');
  });

  it.each([
    ['linux', 107],
    ['darwin', 103],
  ] as const)('has bytes enough on %s up to %i', (platform, longest) => {
    const tail = '/control/tollkeeper.sock';
    const fits = `/${'a'.repeat(longest - tail.length - 1)}`;
    expect(socketPath(`${fits}/x.duckdb`, { platform })).toHaveLength(longest);
    const error = (() => {
      try {
        return socketPath(`${fits}b/x.duckdb`, { platform });
      } catch (error) {
        return error;
      }
    })();
    expect(error).toMatchObject({ code: 'socket-path-too-long', exitCode: 2 });
    expect(String(error)).toContain(`has ${longest + 1} bytes; at most ${longest}`);
    // Bytes, not characters.
    const umlauts = `/${'ü'.repeat(longest - tail.length - 1)}`;
    expect(() => socketPath(`${umlauts}/x.duckdb`, { platform })).toThrow('bytes');
  });

  it('is relative to the working folder if the absolute path is too long', async () => {
    await using fixture = await openControlFixture();
    const deep = join(dirname(fixture.databasePath), 'd'.repeat(100));
    await mkdir(deep);
    const databasePath = join(deep, 'x.duckdb');
    const deps = { databasePath, version: '1', clock: fixture.clock, log: silentLog };
    const handlers = handlersWith({ status: () => Promise.resolve(statusView) });
    await expect(listenForCommands({ ...deps, table: commandTable, handlers })).rejects.toThrow(
      'control socket',
    );
    expect(await connectToDaemon(databasePath, deps)).toBeUndefined();
    process.chdir(deep);
    try {
      expect(socketPath(databasePath)).toBe('control/tollkeeper.sock');
      await using _listener = await listenForCommands({ ...deps, table: commandTable, handlers });
      const daemon = await connectToDaemon(databasePath, deps);
      expect(await daemon?.('status', {})).toEqual(statusView);
      // From elsewhere it can be seen and not reached: that is not the same as no daemon.
      process.chdir(tmpdir());
      const error = await rejection(connectToDaemon(databasePath, deps));
      expect(error['code']).toBe('socket-path-too-long');
      process.chdir(deep);
    } finally {
      process.chdir(dirname(fixture.databasePath));
    }
  });
});

describe('the folder of the control socket', () => {
  it('is accessible only to its owner, even if it was not before', async () => {
    await using fixture = await openControlFixture();
    const folder = dirname(fixture.socket);
    const first = await fixture.listen({});
    expect(await modeOf(folder)).toBe('700');
    await first[Symbol.asyncDispose]();
    await chmod(folder, 0o775);
    await fixture.listen({});
    expect(await modeOf(folder)).toBe('700');
  });

  it('must not belong to another user', async () => {
    await using fixture = await openControlFixture();
    const error = await rejection(fixture.listen({}, { user: (process.getuid?.() ?? 0) + 1 }));
    expect(error['code']).toBe('control-folder-unsafe');
    expect(error.message).toContain('belongs to another user');
  });

  it('must not be a symbolic link or a file', async () => {
    await using fixture = await openControlFixture();
    const folder = dirname(fixture.socket);
    const elsewhere = await mkdtemp(join(tmpdir(), 'tollkeeper-'));
    await symlink(elsewhere, folder);
    expect((await rejection(fixture.listen({})))['code']).toBe('control-folder-unsafe');
    await rm(folder);
    await writeFile(folder, '');
    expect((await rejection(fixture.listen({})))['code']).toBe('control-folder-unsafe');
    await rm(folder);
    await rm(elsewhere, { recursive: true });
    await fixture.listen({});
  });

  it('is named if it is not writable', async () => {
    const path = join(tmpdir(), 'tollkeeper-not-there', 'x.duckdb');
    const options = { databasePath: path, version: '1', clock: manualClock(), log: silentLog };
    const error = await rejection(
      listenForCommands({ ...options, table: commandTable, handlers: handlersWith({}) }),
    );
    expect(error['code']).toBe('path-unwritable');
    expect(error.message).toContain('ENOENT');
  });
});

describe('the search for a daemon', () => {
  it('finds none if there is no folder, no socket, or only the socket of a killed daemon', async () => {
    await using fixture = await openControlFixture();
    expect(await fixture.connect()).toBeUndefined();
    await mkdir(dirname(fixture.socket));
    expect(await fixture.connect()).toBeUndefined();
    await leaveStaleSocket(fixture.socket);
    expect((await stat(fixture.socket)).isSocket()).toBe(true);
    expect(await fixture.connect()).toBeUndefined();
    await fixture.listen({ status: () => Promise.resolve(statusView) });
    expect(await (await fixture.daemon())('status', {})).toEqual(statusView);
  });

  it('reports missing permissions', async () => {
    await using fixture = await openControlFixture({});
    const error = await asStranger(dirname(fixture.socket), () => rejection(fixture.connect()));
    expect(error['code']).toBe('daemon-unreachable');
    expect(error['advice']).toContain('as the user');
  });

  it('recognizes an older daemon by its version, whatever it answers', async () => {
    await using fixture = await openControlFixture();
    await using _stranger = await openStranger(fixture, (socket) => {
      const answer = '{"event":"end","outcome":{"end":"value","value":{"old":"shape"}}}\n';
      socket.once('data', () =>
        socket.end(
          `HTTP/1.1 200 OK\r\ntollkeeper-version: 0.9.0\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`,
        ),
      );
    });
    const error = await rejection(fixture.connect());
    expect([error['code'], error['exitCode']]).toEqual(['daemon-version-differs', 1]);
    expect(error.message).toMatch(/version 0\.9\.0 .* version 1\.2\.3$/);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['HTTP of another program', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
    ['no JSON', 'HTTP/1.1 200 OK\r\ntollkeeper-version: 1.2.3\r\ncontent-length: 3\r\n\r\nhi\n'],
    ['no event', 'HTTP/1.1 200 OK\r\ntollkeeper-version: 1.2.3\r\ncontent-length: 3\r\n\r\n{}\n'],
    ['nothing', ''],
  ])('ignores %s', async (_, answer) => {
    await using fixture = await openControlFixture();
    await using _stranger = await openStranger(fixture, (socket) => {
      socket.once('data', () => socket.end(answer));
    });
    const error = await rejection(fixture.connect());
    expect([error['code'], error['exitCode']]).toEqual(['daemon-unreachable', 1]);
    expect(error['advice']).toMatch(/listens there/);
  });
});
