import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { fault, systemCode } from '../base/index.ts';

export type Health = {
  /** False while starting and while stopping: the answer is then 503. */
  readonly ready: boolean;
  readonly version: string;
};

export type HealthListener = AsyncDisposable & { readonly port: number };

export type HealthOptions = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly health: () => Health;
};

/** A listener of its own for health checks; it shows no figures, since a kubelet must reach it. */
export const listenForHealth = async (options: HealthOptions): Promise<HealthListener> => {
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'alive', version: options.health().version }));
  app.get('/readyz', (context) => {
    const { ready } = options.health();
    return context.json({ status: ready ? 'ready' : 'not ready' }, ready ? 200 : 503);
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => {
      const where = `port ${options.port} of ${options.host}`;
      if (systemCode(error) === 'EADDRINUSE')
        reject(fault('port-in-use', `${where} is held by another program`, { cause: error }));
      else
        reject(
          fault('wrong-use', `${where} cannot be listened on (${systemCode(error) ?? error.message})`, {
            cause: error,
            advice: 'health.host must be an address of this machine, and ports below 1024 need privileges',
          }),
        );
    });
    server.listen(options.port, options.host, resolve);
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
