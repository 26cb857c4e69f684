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
};

/** Passes TCP connections on to a port of 127.0.0.1, until they are cut. */
export const startCuttingProxy = async (target: number): Promise<CuttingProxy> => {
  const sockets = new Set<Socket>();
  let count = 0;
  let isSilent = false;
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
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    passed: () => count,
    silent: (wanted) => {
      isSilent = wanted;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
};
