import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { networkTrouble } from './trouble.ts';

/** What we can unpack as a stream; offered to the other side in `accept-encoding`. */
export const acceptedEncodings = 'gzip, br, deflate';

const unpackers: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

/** The body as it was before `content-encoding`; nothing is read ahead of the reader but the streams' own buffers. */
export const decoded = (raw: Readable, encoding: string | undefined, host: string): Readable => {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return raw;
  const unpacker = unpackers[name];
  if (unpacker === undefined) {
    raw.on('error', () => undefined).destroy();
    throw networkTrouble(
      'protocol',
      `${host} encodes its answer as ${name.slice(0, 40)}, which was not asked for`,
    );
  }
  // Errors of either stream reach the reader through the unpacker; the callback keeps them from being thrown twice.
  return pipeline(raw, unpacker(), () => undefined);
};

/** All of a body, never holding more than `limit` bytes of it. */
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
      throw networkTrouble('too-large', `${host} answered with more than ${limit} bytes where less was due`);
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
};
