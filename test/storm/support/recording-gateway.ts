import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SeenRequest = {
  /** When it came, in milliseconds UTC. */
  readonly at: number;
  readonly path: string;
};

/** Stands before a gateway, writes down what is asked of it, and takes its time: so runs are under way when a kill comes. */
export type RecordingGateway = AsyncDisposable & {
  readonly baseUrl: string;
  readonly seen: readonly SeenRequest[];
};

/** Milliseconds; other for each request, the same in each storm. */
const delayOf = (count: number): number => (count * 97) % 150;

export const openRecordingGateway = async (target: string): Promise<RecordingGateway> => {
  const seen: SeenRequest[] = [];
  const host = new URL(target).host;
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', target);
    seen.push({ at: Date.now(), path: url.pathname });
    const elapse = (): void => {
      timers.delete(timer);
      const onward = request(url, { method: incoming.method, headers: { ...incoming.headers, host } });
      outgoing.on('close', () => onward.destroy());
      onward.on('error', () => outgoing.destroy());
      onward.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    };
    const timer = setTimeout(elapse, delayOf(seen.length));
    timers.add(timer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
