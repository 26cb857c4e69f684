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
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status?: { readonly code?: number };
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

type Answer = { readonly status: number; readonly body?: string };

const plain = (attributes: WireSpan['attributes']): Span['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );

/** An HTTP receiver for OTLP JSON. */
export const openReceiver = async () => {
  const posted: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const waiting = new Set<() => void>();
  let answer: Answer | undefined = { status: 200, body: '{}' };
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
    spans: (): readonly Span[] =>
      bodies()
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, attributes: plain(span.attributes) })),
    /** Attributes of the resource of the first request. */
    resource: () => plain(bodies()[0]?.resourceSpans[0]?.resource.attributes ?? []),
    /** From now on; undefined: no answer at all. */
    answerWith: (next: Answer | undefined) => {
      answer = next;
    },
    /** Resolves when so many requests have arrived in all. */
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
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

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;
