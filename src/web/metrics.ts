import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { errorFields, type Clock, type ConnectionLimits, type Log, type Secret } from '../core/index.ts';
import { openListener, type Listener } from './open-listener.ts';
import { createThrottle } from './throttle.ts';
import { createRefusals, hasBearer, isKnownHost } from './guard.ts';

export type MetricsOptions = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Allowed host names, beside IP addresses and localhost. */
  readonly names: readonly string[];
  /** The bearer token that each request must send; if omitted, requests need none. */
  readonly token?: Secret | undefined;
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: ConnectionLimits;
};

/**
 * Serves `GET /metrics`, and nothing else, on a listener of its own.
 * @throws Fault `port-in-use`, `wrong-use`
 */
export const listenForMetrics = async (options: MetricsOptions): Promise<Listener> => {
  const { names, token, scrape, contentType, clock, log } = options;
  const refused = createRefusals('refused a request for metrics', clock, log);
  const throttle = createThrottle(clock);
  const app = new Hono();
  app.use(async (context, next) => {
    context.header('cache-control', 'no-store');
    context.header('x-content-type-options', 'nosniff');
    if (!isKnownHost(context.req.header('host'), names)) {
      refused('unknown host name', 'scrape an IP address, or add the host name to metrics.names');
      return context.text('Metrics are not served under this host name; see metrics.names.\n', 421);
    }
    const header = context.req.header('authorization');
    if (token !== undefined && !hasBearer(header, token)) {
      refused(
        header === undefined ? 'no bearer token' : 'wrong bearer token',
        'give the scraper the token of metrics.token, for example with authorization.credentials_file of Prometheus',
      );
      const client = getConnInfo(context).remote.address ?? '';
      if (header !== undefined && throttle.isBlocked(client)) {
        context.header('retry-after', '60');
        return context.text('Too many wrong tokens. Try again in a minute.\n', 429);
      }
      if (header !== undefined) throttle.wrong(client);
      context.header('www-authenticate', 'Bearer');
      return context.text('A bearer token is required.\n', 401);
    }
    if (context.req.method !== 'GET') {
      refused('method other than GET', 'scrape with GET');
      context.header('allow', 'GET');
      return context.text('Metrics are read with GET.\n', 405);
    }
    return next();
  });
  app.get('/metrics', async (context) => context.body(await scrape(), 200, { 'content-type': contentType }));
  app.notFound((context) => context.text('Metrics are at /metrics.\n', 404));
  app.onError((error, context) => {
    log.error('cannot answer a request for metrics', errorFields(error));
    return context.text('The metrics are not available at this moment.\n', 503);
  });
  return openListener(app, { ...options, section: 'metrics' });
};
