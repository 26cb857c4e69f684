import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { fault, systemCode } from '../core/index.ts';

export type Listener = AsyncDisposable & { readonly port: number };

/**
 * Serves over HTTP at an address of this machine; port 0 takes a free one. `section` names the settings in faults.
 * @throws Fault `port-in-use`, `wrong-use`
 */
export const openListener = async (
  app: Hono,
  { host, port, section }: { readonly host: string; readonly port: number; readonly section: string },
): Promise<Listener> => {
  const server = createAdaptorServer({ fetch: app.fetch });
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
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
};
