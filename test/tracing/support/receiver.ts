import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchOutput } from '../../support/secret-watch.ts';

type Value = {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
};

type WireSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status?: { readonly code?: number; readonly message?: string };
};

type WireRequest = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: WireSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
};

export type Span = Omit<WireSpan, 'attributes'> & {
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
};

export type Posted = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** An HTTP receiver for OTLP JSON. */
export type Receiver = AsyncDisposable & {
  readonly url: string;
  readonly posted: readonly Posted[];
  readonly spans: () => readonly Span[];
  /** Attributes of the resource of the first request. */
  readonly resource: () => Span['attributes'];
  /** From now on; undefined: no answer at all. */
  readonly answerWith: (answer: { readonly status: number; readonly body?: string } | undefined) => void;
  /** Resolves when so many requests have arrived in all. */
  readonly arrived: (count: number) => Promise<void>;
};

const plain = (attributes: WireSpan['attributes']): Span['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );

export const openReceiver = async (): Promise<Receiver> => {
  const posted: Posted[] = [];
  const waiting = new Set<() => void>();
  let answer: { readonly status: number; readonly body?: string } | undefined = { status: 200, body: '{}' };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      watchOutput('exported spans', body);
      posted.push({ url: request.url ?? '', headers: request.headers, body });
      for (const check of waiting) check();
      if (answer !== undefined) response.writeHead(answer.status).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bodies = (): readonly WireRequest[] => posted.map(({ body }) => JSON.parse(body) as WireRequest);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    spans: () =>
      bodies()
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, attributes: plain(span.attributes) })),
    resource: () => plain(bodies()[0]?.resourceSpans[0]?.resource.attributes ?? []),
    answerWith: (next) => {
      answer = next;
    },
    arrived: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (posted.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
