import { pipeline } from 'node:stream';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { systemCode } from '../core/index.ts';
import { networkProblem } from './problem.ts';

/** Encodings that can be decoded as a stream; sent in `accept-encoding`. */
export const acceptedEncodings = 'gzip, br, deflate';

type Unpacker = Transform & { readonly bytesWritten: number };

const unpackers: Readonly<Record<string, () => Unpacker>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

async function* unpacked(raw: Readable, unpacker: Unpacker): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    // Errors of either stream reach the reader through the decoder; the callback keeps them from being thrown twice.
    yield* pipeline(raw, unpacker, () => undefined) as AsyncIterable<Uint8Array>;
  } catch (error) {
    // An empty body is not encoded, whatever its header states.
    if (systemCode(error) === 'Z_BUF_ERROR' && unpacker.bytesWritten === 0) return;
    throw error;
  }
}

/** The body before `content-encoding`; only the streams' own buffers read ahead. */
export const decoded = (
  raw: Readable,
  encoding: string | undefined,
  host: string,
): AsyncIterable<Uint8Array> => {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return raw as AsyncIterable<Uint8Array>;
  const create = unpackers[name];
  if (create !== undefined) return unpacked(raw, create());
  raw.on('error', () => undefined).destroy();
  throw networkProblem(
    'protocol',
    `${host} sent the content encoding ${name.slice(0, 40)}, which was not requested`,
  );
};

/** The whole body, with at most `limit` bytes in memory. */
export const collect = async (
  body: AsyncIterable<Uint8Array>,
  limit: number,
  host: string,
): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > limit)
      throw networkProblem('too-large', `${host} sent a response larger than the limit of ${limit} bytes`);
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
};
