import { once } from 'node:events';
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/** Below the ports that systems give to servers that ask for any, so that none of them takes it before it is used. */
const lowest = 20_000;
const highest = 32_000;

/** A free port of 127.0.0.1, for a program whose port is configured. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(lowest, highest);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
};
