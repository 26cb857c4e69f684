import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const LF = 10;
const COMMA = 44;
const pieceBytes = 1_048_576;

/** All bytes of a file; one of more than 2 GB too. */
const bytesOf = async (path: string): Promise<Buffer> => {
  const file = await open(path);
  const bytes = Buffer.allocUnsafeSlow((await file.stat()).size);
  for (let at = 0; at < bytes.length;)
    at += (await file.read(bytes, at, Math.min(bytes.length - at, 64 * pieceBytes), at)).bytesRead;
  await file.close();
  return bytes;
};

/** Where the first row begins that is not older than `moment`: rows are in the order of their time, their first cell. */
const rowAt = (bytes: Buffer, first: number, moment: number): number => {
  let [low, high] = [first, bytes.length];
  while (low < high) {
    const row = bytes.lastIndexOf(LF, Math.floor((low + high) / 2) - 1) + 1;
    const time = Number(bytes.toString('latin1', row, bytes.indexOf(COMMA, row)));
    if (time >= moment) high = row;
    else low = bytes.indexOf(LF, row) + 1;
  }
  return low;
};

function* pieces(bytes: Buffer): Generator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/**
 * Serves an export as a gateway does that takes both ends of a range as exclusive. All of it is in memory before the
 * first request, so that serving costs next to nothing.
 */
export const serveRows = async (path: string): Promise<{ readonly port: number }> => {
  const bytes = await bytesOf(path);
  const header = bytes.subarray(0, bytes.indexOf(LF) + 1);
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const start = rowAt(bytes, header.length, Number(query.get('start_timestamp')) + 1);
    const end = rowAt(bytes, header.length, Number(query.get('end_timestamp')));
    const rows = bytes.subarray(start, Math.max(start, end));
    response.writeHead(200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-length': header.length + rows.length,
    });
    response.write(header);
    pipeline(Readable.from(pieces(rows)), response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
};
