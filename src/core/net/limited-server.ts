import { createServer, type RequestListener, type Server } from 'node:http';

/** What one port may hold of the descriptors of the process; times in milliseconds. */
export type ConnectionLimits = {
  /** Connections above this number are closed at once. */
  readonly connections: number;
  /** From the connection, or from the request before, until the headers have arrived. */
  readonly headers: number;
  /** Until the whole request has arrived. */
  readonly request: number;
  /** Between two requests of a connection. */
  readonly idle: number;
};

const defaultLimits: ConnectionLimits = { connections: 128, headers: 5000, request: 30_000, idle: 5000 };

/** An HTTP server that half-open and slow connections cannot exhaust, not yet listening. */
export const createLimitedServer = (
  listener: RequestListener,
  { connections, headers, request, idle }: ConnectionLimits = defaultLimits,
): Server => {
  const server = createServer(
    {
      headersTimeout: headers,
      requestTimeout: request,
      keepAliveTimeout: idle,
      // The timeouts are looked at this often; Node's own 30 s would make each of them as long.
      connectionsCheckingInterval: Math.min(headers, request, 1000),
    },
    listener,
  );
  server.maxConnections = connections;
  return server;
};
