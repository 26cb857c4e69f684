import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { createLimitedServer, fault, systemCode, type ConnectionLimits } from '../core/index.ts';

export type Listener = AsyncDisposable & { readonly port: number };

/** Milliseconds without a byte in either direction after which a client is disconnected. */
const stalled = 30_000;

export type ListenerOptions = {
  readonly host: string;
  readonly port: number;
  readonly section: string;
  readonly limits?: ConnectionLimits | undefined;
};

/**
 * Serves HTTP at a local address; port 0 takes a free one. `section` names the settings in faults.
 * @throws Fault `port-in-use`, `wrong-use`
 */
export const openListener = async (
  app: Hono,
  { host, port, section, limits }: ListenerOptions,
): Promise<Listener> => {
  const respond = getRequestListener(app.fetch);
  const server = createLimitedServer((request, response) => void respond(request, response), limits);
  server.setTimeout(stalled);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => {
      const where = `port ${port} of ${host}`;
      if (systemCode(error) === 'EADDRINUSE')
        reject(fault('port-in-use', `${where} is held by another program`, { cause: error }));
      else
        reject(
          fault('wrong-use', `${where} cannot be listened on (${systemCode(error) ?? error.message})`, {
            cause: error,
            advice: `${section}.host must be an address of this machine, and ports below 1024 need privileges`,
          }),
        );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
