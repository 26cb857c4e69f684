import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type CuttingProxy = AsyncDisposable & {
  readonly port: number;
  /** Cuts all connections; further ones are passed on. */
  readonly cut: () => void;
  /** Connections that passed so far. */
  readonly passed: () => number;
  /** Whether connections are accepted and then left without an answer. */
  readonly silent: (isSilent: boolean) => void;
  /** Nothing passes any more on the connections that are open; further ones are passed on. */
  readonly freeze: () => void;
  /** Whether nothing passes on any connection, as where a network drops all packets. */
  readonly stall: (isStalled: boolean) => void;
};

/** Passes TCP connections on to a port of 127.0.0.1, until they are cut. */
export const startCuttingProxy = async (target: number): Promise<CuttingProxy> => {
  const sockets = new Set<Socket>();
  const pairs = new Set<readonly [Socket, Socket]>();
  let count = 0;
  let isSilent = false;
  let isStalled = false;
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const server = createServer((near) => {
    count += 1;
    hold(near);
    if (isSilent) return;
    const far = connect(target, '127.0.0.1');
    hold(far);
    const pair = [near, far] as const;
    pairs.add(pair);
    if (!isStalled) near.pipe(far).pipe(near);
    for (const [one, other] of [pair, [far, near] as const])
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    passed: () => count,
    silent: (wanted) => {
      isSilent = wanted;
    },
    freeze: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
      pairs.clear();
    },
    stall: (wanted) => {
      if (wanted === isStalled) return;
      isStalled = wanted;
      for (const [near, far] of pairs) {
        if (wanted) near.unpipe(far).pause();
        else near.pipe(far);
        if (wanted) far.unpipe(near).pause();
        else far.pipe(near);
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
};
