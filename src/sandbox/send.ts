import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Answer } from './answer.ts';
import type { Effect } from './faults.ts';
import type { RequestRecord } from './requests.ts';

/** Characters per write, about; rows are collected up to this size. */
const PIECE = 16_384;

type Piece = string | Uint8Array;

const half = (piece: Piece): Piece => piece.slice(0, Math.ceil(piece.length / 2));

/** Ends within the row after `rows`, or within the last one. */
function* cutAfter(body: Iterable<Piece>, rows: number): Generator<Piece, void> {
  let held: Piece | undefined;
  let at = 0;
  for (const piece of body) {
    if (held !== undefined) yield held;
    held = piece;
    // The first piece is the header.
    if (at > rows) break;
    at += 1;
  }
  if (held !== undefined) yield half(held);
}

function* firstRows(body: Iterable<Piece>, rows: number): Generator<Piece, void> {
  let at = 0;
  for (const piece of body) {
    if (at > rows) return;
    yield piece;
    at += 1;
  }
}

function* slices(body: Iterable<Piece>, bytes: number): Generator<Piece, void> {
  for (const piece of body) {
    for (let at = 0; at < piece.length; at += Math.max(1, bytes))
      yield piece.slice(at, at + Math.max(1, bytes));
  }
}

function* counted(body: Iterable<Piece>, record: RequestRecord): Generator<Piece, void> {
  for (const piece of body) {
    record.pieces += 1;
    yield piece;
  }
}

function* materialized(body: Iterable<Piece>): Generator<Piece, void> {
  let text = '';
  for (const piece of body) {
    text += piece;
    if (text.length >= PIECE) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

const pieces = (answer: Answer, effect: Effect | undefined, record: RequestRecord): Iterable<Piece> => {
  const isWhole = typeof answer.body === 'string' || answer.body instanceof Uint8Array;
  const body = counted(isWhole ? [answer.body] : answer.body, record);
  if (effect?.kind === 'cut-off') return cutAfter(body, effect.rows);
  if (effect?.kind === 'stall' || effect?.kind === 'short') return firstRows(body, effect.rows);
  if (effect?.kind === 'drip') return slices(body, effect.bytes);
  return answer.compressible === true ? materialized(body) : body;
};

/** Resolves when there is room for more, or the connection is gone. */
const write = async (sink: Writable, piece: Piece, gone: AbortSignal): Promise<void> => {
  if (sink.write(piece)) return;
  await once(sink, 'drain', { signal: gone });
};

const flushed = (sink: Writable): Promise<void> =>
  new Promise((resolve) => {
    sink.write('', () => resolve());
  });

/**
 * Sends an answer at the pace of the client: generates nothing before there is room. Resolves when everything is sent; rejects
 * when the connection ends first.
 */
export const send = async (
  io: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly gone: AbortSignal },
  answer: Answer,
  options: {
    readonly effect: Effect | undefined;
    readonly record: RequestRecord;
    readonly mayCompress: boolean;
    /** The time of the `Date` header, in milliseconds UTC. */
    readonly date: number;
  },
): Promise<void> => {
  const { request, response, gone } = io;
  const { effect, record } = options;
  const accepts = /\bgzip\b/u.test(request.headers['accept-encoding'] ?? '');
  const compress = options.mayCompress && answer.compressible === true && accepts;
  record.status = answer.status;
  const length =
    effect === undefined && (typeof answer.body === 'string' || answer.body instanceof Uint8Array)
      ? Buffer.byteLength(answer.body)
      : undefined;
  response.writeHead(answer.status, {
    date: new Date(options.date).toUTCString(),
    ...answer.headers,
    ...(length === undefined ? {} : { 'content-length': String(length) }),
    ...(compress ? { 'content-encoding': 'gzip' } : {}),
    ...(answer.compressible === true ? { vary: 'accept-encoding' } : {}),
  });
  const gzip = compress
    ? createGzip({ level: 1, flush: effect === undefined ? constants.Z_NO_FLUSH : constants.Z_SYNC_FLUSH })
    : undefined;
  gzip?.pipe(response);
  const sink: Writable = gzip ?? response;
  try {
    for (const piece of pieces(answer, effect, record)) {
      gone.throwIfAborted();
      if (effect?.kind === 'drip') await sleep(effect.millis, undefined, { signal: gone });
      await write(sink, piece, gone);
    }
    if (effect?.kind === 'stall') {
      await once(gone, 'abort');
    } else if (effect?.kind === 'cut-off' && effect.end === 'destroyed') {
      await flushed(sink);
      // The compressed output has to pass through the response first.
      if (gzip !== undefined) await flushed(response);
      response.socket?.destroy();
    } else {
      sink.end();
      await once(response, 'finish', { signal: gone });
    }
  } finally {
    gzip?.destroy();
  }
};
