import type { Dispatcher } from 'undici';
import { acceptedEncodings, collect, decoded, limited } from './answer-body.ts';
import { openConnections } from './connections.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import type { MayReach } from './guarded-connect.ts';
import type { Http, HttpAnswer, HttpRequest, HttpTimeouts } from './http.ts';
import { problemOf } from './problem.ts';

export type HttpOptions = {
  /** `tollkeeper/<version>`. */
  readonly userAgent: string;
  /** Provides HTTPS_PROXY, HTTP_PROXY, NO_PROXY (either case) and NODE_EXTRA_CA_CERTS. */
  readonly env: NodeJS.ProcessEnv;
  /** PEM texts of additional issuers to trust. */
  readonly ca?: readonly string[];
  readonly timeouts: HttpTimeouts;
  /** Addresses that requests may reach, for URLs that others have written; all where it is omitted. */
  readonly mayReach?: MayReach | undefined;
};

/** An unused body is read up to this size to reuse the connection; a larger one closes it. */
const discardLimit = 64 * 1024;

/** Bytes of a decoded body, unless the request says less: more than any window of an export has. */
const maxBody = 8 * 1024 ** 3;

type Exchange = { readonly host: string; readonly proxy: string | undefined; readonly deadline: Deadline };

const errorOf = (error: unknown, exchange: Exchange): unknown =>
  problemOf(exchange.deadline.reasonFor(error), exchange.host, exchange.proxy);

const plainHeaders = (headers: Dispatcher.ResponseData['headers']): Record<string, string> => {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
};

async function* reading(
  open: () => AsyncIterable<Uint8Array>,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* open();
  } catch (error) {
    throw errorOf(error, exchange);
  } finally {
    exchange.deadline.stop();
  }
}

const answerOf = (
  response: Dispatcher.ResponseData,
  request: HttpRequest,
  exchange: Exchange,
): HttpAnswer => {
  const headers = plainHeaders(response.headers);
  let taken = false;
  const take = (): AsyncGenerator<Uint8Array, void, undefined> => {
    if (taken) throw new Error('the body of a response can be read only once');
    taken = true;
    const open = () => decoded(response.body, headers['content-encoding'], exchange.host);
    return reading(() => limited(open(), request.limit ?? maxBody, exchange.host), exchange);
  };
  return {
    status: response.statusCode,
    headers,
    url: request.url.href,
    body: { [Symbol.asyncIterator]: take },
    text: (limit) => collect(take(), limit, exchange.host),
    discard: async () => {
      if (taken) return;
      taken = true;
      try {
        await response.body.on('error', () => undefined).dump({ limit: discardLimit });
      } catch {
        // The body is not needed, so its errors are ignored.
      } finally {
        exchange.deadline.stop();
      }
    },
  };
};

/**
 * The HTTP transport: HTTP/1.1 over keep-alive pools. @throws Fault `config-invalid` for an unusable proxy or issuer.
 */
export const createHttp = (options: HttpOptions): Http => {
  const connections = openConnections({
    env: options.env,
    connectTimeout: options.timeouts.connect,
    mayReach: options.mayReach,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  return {
    send: async (request) => {
      request.signal?.throwIfAborted();
      const { url } = request;
      const timeouts = { ...options.timeouts, ...request.timeouts };
      const { dispatcher, proxy } = (connections.opened() ?? (await connections.open())).to(url);
      request.signal?.throwIfAborted();
      const deadline = startDeadline(timeouts.total, url.host, request.signal);
      const exchange: Exchange = { host: url.host, proxy, deadline };
      try {
        const response = dispatcher.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method,
          headers: {
            'user-agent': options.userAgent,
            accept: '*/*',
            'accept-encoding': acceptedEncodings,
            ...request.headers,
          },
          ...(request.body === undefined ? {} : { body: request.body }),
          signal: deadline.signal,
          headersTimeout: timeouts.headers,
          bodyTimeout: timeouts.idle,
        });
        const late = ({ body }: Dispatcher.ResponseData): void => {
          body.on('error', () => undefined).destroy();
        };
        return answerOf(await deadline.orEnd(response, late), request, exchange);
      } catch (error) {
        deadline.stop();
        throw errorOf(error, exchange);
      }
    },
    [Symbol.asyncDispose]: connections.destroy,
  };
};
