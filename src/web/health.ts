import { Hono } from 'hono';
import type { ConnectionLimits } from '../core/index.ts';
import { openListener, type Listener } from './open-listener.ts';

export type Health = {
  /** False during startup and stop: the answer is then 503. */
  readonly ready: boolean;
  readonly version: string;
};

export type HealthOptions = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly health: () => Health;
  readonly limits?: ConnectionLimits;
};

/** A separate listener for health checks without figures, since a kubelet must reach it. */
export const listenForHealth = async (options: HealthOptions): Promise<Listener> => {
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'alive', version: options.health().version }));
  app.get('/readyz', (context) => {
    const { ready } = options.health();
    return context.json({ status: ready ? 'ready' : 'not ready' }, ready ? 200 : 503);
  });
  return openListener(app, { ...options, section: 'health' });
};
