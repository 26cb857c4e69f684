import type { IncomingMessage } from 'node:http';
import { fault } from '../core/index.ts';

/** Bytes; the largest input is a plan for thousands of keys. */
const maxBytes = 2_500_000;

/**
 * The JSON input of a request, undefined when it has none.
 * @throws Fault wrong-use when it is too large or not JSON; aborted
 */
export const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Reads a body that is too large to its end, too: a client that is still writing could not receive the answer.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
    }
  } catch (error) {
    throw fault('aborted', 'the connection was lost before the request was read', { cause: error });
  }
  if (length > maxBytes)
    throw fault('wrong-use', `a request to the daemon can have at most ${maxBytes} bytes`);
  if (length === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw fault('wrong-use', 'a request to the daemon must be JSON', { cause: error });
  }
};
