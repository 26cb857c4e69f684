import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What comes of the text of an answer; of a path that it does not know, the text as it is. */
export type ChangeAnswer = (path: string, text: string) => string;

export type ChangingGateway = AsyncDisposable & { readonly baseUrl: string };

const textOf = async (message: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
};

/** A gateway between the program and the sandbox, which changes what is answered. */
export const openChangingGateway = async (behind: string, change: ChangeAnswer): Promise<ChangingGateway> => {
  const server = createServer((asked, answer) => {
    const { authorization = '' } = asked.headers;
    const onward = request(
      `${behind}${asked.url ?? ''}`,
      { method: asked.method ?? 'GET', headers: { authorization }, agent: false },
      (output) => {
        void textOf(output).then((text) => {
          const { 'content-type': type = '', date = '' } = output.headers;
          answer.writeHead(output.statusCode ?? 502, { 'content-type': type, date });
          answer.end(change(asked.url ?? '', text));
        });
      },
    );
    onward.on('error', () => answer.destroy());
    onward.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
