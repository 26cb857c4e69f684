import { request as httpRequest, type IncomingMessage } from 'node:http';
import { fault, isFault, messageOf, systemCode, type Clock, type Fault } from '../core/index.ts';
import { readEvent, valueOf, versionHeader, versionsDiffer, type WireEvent } from './wire.ts';

/** Characters; the longest line is the answer to `status` for some ten thousand jobs. */
const longestLine = 64_000_000;

/** Only complete lines: text after the last line end is dropped. Throws `tooLong()` when a line exceeds the limit. */
async function* answerLines(chunks: AsyncIterable<string>, tooLong: () => Error): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const pieces = chunk.split('\n');
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      length += piece.length;
      if (length > longestLine) throw tooLong();
      if (index === pieces.length - 1) continue;
      yield parts.join('');
      parts = [];
      length = 0;
    }
  }
}

export type Question = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as JSON. */
  readonly input?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: (event: Exclude<WireEvent, { event: 'end' }>) => void;
  /** Milliseconds without a heartbeat after which the daemon counts as unreachable. */
  readonly timeout: number;
};

export type Line = { readonly socket: string; readonly version: string; readonly clock: Clock };

/** No process listens: the socket is missing, or a killed daemon left it. */
export const nobodyListens = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(systemCode(error) ?? '');

const notOurs = (socket: string, cause?: unknown): Fault =>
  fault('daemon-unreachable', `the program that answers on ${socket} is not Tollkeeper`, {
    cause,
    advice: 'stop the program that listens there, or remove the file, and restart the daemon',
  });

/** Resolves after all earlier events were passed to `onEvent`. Rejects with the daemon's error. */
const readAnswer = async (
  answered: Promise<IncomingMessage>,
  line: Line,
  question: Question,
  heard: () => void,
) => {
  const response = await answered;
  heard();
  const daemon = response.headers[versionHeader];
  if (typeof daemon !== 'string') throw notOurs(line.socket);
  if (daemon !== line.version) throw versionsDiffer(daemon, line.version);
  response.setEncoding('utf8');
  for await (const text of answerLines(response as AsyncIterable<string>, () => notOurs(line.socket))) {
    heard();
    let event: WireEvent;
    try {
      event = readEvent(text);
    } catch (error) {
      throw notOurs(line.socket, error);
    }
    if (event.event === 'end') return valueOf(event.outcome);
    question.onEvent?.(event);
  }
  throw fault('daemon-stopped', 'the daemon stopped before the command finished');
};

export const brokenOff = (signal: AbortSignal): Fault =>
  isFault(signal.reason)
    ? signal.reason
    : fault('aborted', 'the command was interrupted', { cause: signal.reason });

const silent = (millis: number): Fault =>
  fault('daemon-unreachable', `the daemon did not respond for ${millis / 1000} seconds`, {
    advice: 'try again; if it persists, check its log and restart it',
    retryHelps: true,
  });

const connectionFault = (error: unknown, socket: string): Fault => {
  const code = systemCode(error);
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return fault('daemon-stopped', 'the daemon stopped before the command finished', { cause: error });
  if (code?.startsWith('HPE_') === true) return notOurs(socket, error);
  const advice = 'check the log of the daemon and restart it';
  return fault(
    'daemon-unreachable',
    `the daemon cannot be reached on ${socket} (${code ?? messageOf(error)})`,
    {
      cause: error,
      ...(code === 'EACCES' || code === 'EPERM' ? {} : { advice }),
    },
  );
};

/**
 * Sends one request to the daemon. Rejects with the error of the command; with a fault when the daemon is unreachable, ends,
 * is silent for too long or has another version; with the system error when no process listens.
 */
export const exchange = async (line: Line, question: Question): Promise<unknown> => {
  const { signal, timeout } = question;
  if (signal?.aborted === true) throw brokenOff(signal);
  const body = question.input === undefined ? '' : JSON.stringify(question.input);
  const request = httpRequest({
    socketPath: line.socket,
    method: question.method,
    path: question.path,
    agent: false,
    headers: {
      host: 'daemon',
      [versionHeader]: line.version,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
  });
  request.end(body);
  const given = new AbortController();
  const giveUp = (reason: Fault): void => {
    given.abort(reason);
    request.destroy(reason);
  };
  let silence = line.clock.limit(timeout);
  const listen = (): void => {
    const current = silence;
    const judge = (): void => {
      if (silence === current) giveUp(silent(timeout));
    };
    // After a Ctrl-Z of this process its timer fires first, and data that arrived meanwhile is read one turn later.
    current.signal.addEventListener('abort', () => setImmediate(() => setImmediate(judge)));
  };
  const heard = (): void => {
    silence[Symbol.dispose]();
    silence = line.clock.limit(timeout);
    listen();
  };
  const onAbort = (): void => giveUp(brokenOff(signal ?? given.signal));
  listen();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await readAnswer(answered, line, question, heard);
  } catch (error) {
    if (given.signal.aborted) throw given.signal.reason;
    if (isFault(error) || nobodyListens(error) || systemCode(error) === undefined) throw error;
    throw connectionFault(error, line.socket);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    silence[Symbol.dispose]();
    request.destroy();
  }
};
