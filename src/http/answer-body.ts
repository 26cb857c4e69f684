import { pipeline, type Readable, type Transform } from 'node:stream';
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

/** A body may expand to this many times what was received once it is larger than `freeBytes`: CSV expands to some 30 times. */
const maxRatio = 200;
const freeBytes = 16 * 1024 * 1024;

async function* unpacked(
  raw: Readable,
  unpacker: Unpacker,
  host: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  try {
    // Errors of either stream reach the reader through the unpacker; the callback keeps them from being thrown twice.
    for await (const piece of pipeline(raw, unpacker, () => undefined) as AsyncIterable<Uint8Array>) {
      size += piece.byteLength;
      if (size > freeBytes && size > unpacker.bytesWritten * maxRatio)
        throw networkProblem(
          'too-large',
          `${host} sent a compressed response that expands to more than ${maxRatio} times its size`,
        );
      yield piece;
    }
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
  if (create !== undefined) return unpacked(raw, create(), host);
  raw.on('error', () => undefined).destroy();
  throw networkProblem(
    'protocol',
    `${host} sent the content encoding ${name.slice(0, 40)}, which was not requested`,
  );
};

/** The body up to `limit` bytes. Throws NetworkTrouble `too-large` past that. */
export async function* limited(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  host: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > limit)
      throw networkProblem('too-large', `${host} sent a response larger than the limit of ${limit} bytes`);
    yield piece;
  }
}

/** All of a body, never holding more than `limit` bytes of it. */
export const collect = async (
  body: AsyncIterable<Uint8Array>,
  limit: number,
  host: string,
): Promise<string> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of limited(body, limit, host)) pieces.push(piece);
  return new TextDecoder().decode(Buffer.concat(pieces));
};
