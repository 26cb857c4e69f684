import { mailFolder, notify } from '../../src/notify/index.ts';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createConnection, type NetConnectOpts, type Socket } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog, type ConnectionLimits } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { listenForHealth, listenForPage } from '../../src/web/index.ts';
import { openControlFixture } from '../control/support/control-fixture.ts';
import { mail, start } from '../notify/support/outbox-fixture.ts';
import { manualClock } from '../support/manual-clock.ts';
import { endedSessions, noActions } from './support/page-fixture.ts';

/** Nothing ends while a test looks, unless the test waits for it. */
const longLimits: ConnectionLimits = { connections: 8, headers: 60_000, request: 60_000, idle: 60_000 };
const shortLimits: ConnectionLimits = { connections: 8, headers: 20, request: 20, idle: 20 };
const attempts = 200;

const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

type HalfOpen = { readonly open: () => readonly Socket[]; readonly allClosed: Promise<unknown> };

/** Connections that send the beginning of a request and never its end; resolves when each is kept or dropped. */
const openHalf = async (target: NetConnectOpts, kept: number): Promise<HalfOpen> => {
  const sockets = Array.from({ length: attempts }, () => createConnection(target));
  let closed = 0;
  const closings = sockets.map((socket) => {
    // Without a reader the end would not be seen.
    socket.on('error', () => undefined).resume();
    socket.on('connect', () => socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n'));
    return new Promise<void>((resolve) => {
      socket.once('close', () => {
        closed += 1;
        resolve();
      });
    });
  });
  const dropped = new Promise<void>((resolve) => {
    const look = (): void => {
      if (closed >= attempts - kept) resolve();
    };
    for (const closing of closings) void closing.then(look);
  });
  await dropped;
  return { open: () => sockets.filter((socket) => !socket.destroyed), allClosed: Promise.all(closings) };
};

const health = () => ({ ready: true, version: '1.2.3' });
const local = { host: '127.0.0.1', port: 0 };

const openPage = async (limits: ConnectionLimits) =>
  listenForPage({
    ...local,
    names: [],
    view: () => Promise.reject(new Error('not asked')),
    status: () => Promise.reject(new Error('not asked')),
    feed: () => Promise.resolve([]),
    isOpen: true,
    ended: endedSessions(),
    actions: noActions,
    zone: () => 'UTC',
    clock: manualClock(start),
    report: async () => undefined,
    redact: (text) => text,
    log: silentLog,
    limits,
  });

/** Asks again after 408: on a busy machine, a request takes longer than the short limits. */
const answerOf = async (port: number, path: string): Promise<number> => {
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return status === 408 ? answerOf(port, path) : status;
};

describe('a port under half-open connections', () => {
  it('holds no more than its limit, leaves the other ports free, and lets mails be stored', async () => {
    const root = await mkdtemp(join(tmpdir(), 'tollkeeper-half-open-'));
    try {
      const clock = manualClock(start);
      await using warehouse = await openWarehouse({
        path: join(root, 'w.duckdb'),
        memoryLimit: '256MB',
        threads: 1,
        spoolDirectory: join(root, 'spool'),
        clock,
        log: silentLog,
      });
      await using page = await openPage(longLimits);
      await using alive = await listenForHealth({ ...local, health });
      const before = platform() === 'linux' ? await descriptors() : undefined;
      const half = await openHalf({ host: '127.0.0.1', port: page.port }, longLimits.connections);
      expect(half.open()).toHaveLength(longLimits.connections);
      // Both ends of each connection are in this process.
      if (before !== undefined)
        expect(await descriptors()).toBeLessThanOrEqual(before + 2 * longLimits.connections + 16);
      expect(await answerOf(alive.port, '/healthz')).toBe(200);
      const stored = await notify(
        { outbox: warehouse.outbox, mails: mailFolder(join(root, 'outbox')), clock },
        mail,
      );
      expect(stored.map(({ state }) => state)).not.toContain('failed');
      expect(await warehouse.outbox.list()).toHaveLength(stored.length);
      for (const socket of half.open()) socket.destroy();
      await half.allClosed;
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  it('ends them after its timeouts and answers again', async () => {
    await using alive = await listenForHealth({ ...local, health, limits: shortLimits });
    await using page = await openPage(shortLimits);
    await using control = await openControlFixture();
    await control.listen({}, { limits: shortLimits });
    const ports = [alive, page].map(({ port }) => ({ host: '127.0.0.1', port }));
    for (const target of [...ports, { path: control.socket }])
      await (
        await openHalf(target, shortLimits.connections)
      ).allClosed;
    expect(await answerOf(alive.port, '/healthz')).toBe(200);
    expect(await answerOf(page.port, '/none')).toBe(404);
    expect(await control.connect()).toBeDefined();
  });
});
