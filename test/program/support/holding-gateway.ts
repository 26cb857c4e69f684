import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before a gateway and passes everything on, but can hold an export back in its middle. */
export type HoldingGateway = AsyncDisposable & {
  readonly baseUrl: string;
  /** From now on: after so many whole answers of the path (exports of the call log, unless given) the next ones stop in mid-row and stay open. */
  readonly holdAfter: (answers: number, path?: string) => void;
  /** Sends the rest of what is held. */
  readonly resume: () => void;
  /** Passes everything on again. */
  readonly release: () => void;
  /** Resolves when an export is held, some of its bytes sent. */
  readonly blocked: () => Promise<void>;
};

const logExport = '/api/log/self/stream-export';

export const openHoldingGateway = async (target: string): Promise<HoldingGateway> => {
  let left = Number.POSITIVE_INFINITY;
  let isHeld = false;
  let heldPath = logExport;
  const waiting: (() => void)[] = [];
  const kept: (() => void)[] = [];
  const server = createServer((incoming, outgoing) => {
    const holds = incoming.url?.startsWith(heldPath) === true && (left -= 1) < 0;
    // Without compression, so that what is sent before the stop can be read.
    const headers = { ...incoming.headers, host: new URL(target).host, 'accept-encoding': 'identity' };
    const onward = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers });
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (!holds) {
        answer.pipe(outgoing);
        return;
      }
      answer.once('data', (chunk: Buffer) => {
        answer.pause();
        kept.push(() => {
          outgoing.write(chunk.subarray(chunk.length - 3));
          answer.pipe(outgoing);
        });
        outgoing.write(chunk.subarray(0, chunk.length - 3), () => {
          isHeld = true;
          for (const resolve of waiting.splice(0)) resolve();
        });
      });
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdAfter: (answers, path = logExport) => {
      [left, heldPath] = [answers, path];
      isHeld = false;
    },
    resume: () => {
      for (const goOn of kept.splice(0)) goOn();
    },
    release: () => {
      left = Number.POSITIVE_INFINITY;
    },
    blocked: () => (isHeld ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
