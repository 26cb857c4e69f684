import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * What happens to a connection before a message of the server. `split`: what came before it is read by itself. A number: the
 * connection pauses for that many milliseconds. `freeze`: nothing passes from then on, in either direction, while both sides
 * keep the connection. `cut`: it is reset.
 */
export type Trouble = 'pass' | 'split' | number | 'freeze' | 'cut';

/** A message of the server: its type, as the protocol names it by one letter, and which of all messages it is. */
export type ServerMessage = { readonly type: string; readonly nth: number };

export type MessageProxy = AsyncDisposable & {
  readonly port: number;
  /** What happens before each message from now on, on all connections. */
  readonly trouble: (before: (message: ServerMessage) => Trouble) => void;
};

/** Whole messages at the beginning of the bytes: a letter, and a length that includes itself. */
const messagesOf = (bytes: Buffer): readonly Buffer[] => {
  const messages: Buffer[] = [];
  for (let from = 0; from + 5 <= bytes.length;) {
    const end = from + 1 + bytes.readUInt32BE(from + 1);
    if (end > bytes.length) break;
    messages.push(bytes.subarray(from, end));
    from = end;
  }
  return messages;
};

/** Passes connections without TLS on to a server of PostgreSQL, message by message. */
export const startMessageProxy = async (target: number): Promise<MessageProxy> => {
  const sockets = new Set<Socket>();
  let before: (message: ServerMessage) => Trouble = () => 'pass';
  let nth = 0;
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };

  const passOn = async (near: Socket, far: Socket, freeze: () => void): Promise<void> => {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of far as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      let joined: Buffer[] = [];
      const flush = (): void => {
        if (joined.length > 0) near.write(Buffer.concat(joined));
        joined = [];
      };
      for (const message of messagesOf(rest)) {
        const trouble = before({ type: String.fromCharCode(message[0] ?? 0), nth: (nth += 1) });
        if (trouble !== 'pass') flush();
        if (trouble === 'freeze') return freeze();
        if (trouble === 'cut') {
          near.resetAndDestroy();
          far.resetAndDestroy();
          return;
        }
        // The client reads between two turns of this loop.
        if (trouble === 'split') for (let turn = 0; turn < 3; turn += 1) await setImmediate();
        if (typeof trouble === 'number') await setTimeout(trouble);
        joined.push(message);
        rest = rest.subarray(message.length);
      }
      flush();
    }
  };

  const server = createServer((near) => {
    hold(near);
    const far = connect(target, '127.0.0.1');
    hold(far);
    let isFrozen = false;
    near.on('data', (chunk) => {
      if (!isFrozen) far.write(chunk);
    });
    near.on('close', () => {
      if (!isFrozen) far.destroy();
    });
    far.on('close', () => {
      if (!isFrozen) near.destroy();
    });
    void passOn(near, far, () => {
      isFrozen = true;
    }).catch(() => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    trouble: (wanted) => {
      before = wanted;
      nth = 0;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
