/** Milliseconds. */
export type HttpTimeouts = {
  /** From the first packet to the end of the TLS handshake. */
  readonly connect: number;
  /** From the request to the last header of the answer. */
  readonly headers: number;
  /** Between two pieces of a body; paused while the reader is slower. */
  readonly idle: number;
  /** From the request to the end of the body. */
  readonly total: number;
};

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Ends the exchange at any stage; throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the decoded body, 8 GiB where it is missing. */
  readonly limit?: number | undefined;
  /** In place of the transport's own. */
  readonly timeouts?: Partial<Omit<HttpTimeouts, 'connect'>>;
};

export type HttpAnswer = {
  /** Any status: redirects and errors are returned unchanged. */
  readonly status: number;
  /** Names in lower case; several lines of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL of the request. */
  readonly url: string;
  /** The decoded body, under back-pressure; to be read once. Leaving the loop closes the connection. Throws NetworkTrouble, `too-large` past the limit of the request. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as UTF-8 without its byte-order mark. Throws NetworkProblem `too-large` above that many bytes. */
  readonly text: (limit: number) => Promise<string>;
  /** Releases the connection when the body is not needed. Never throws. */
  readonly discard: () => Promise<void>;
};

/** Closing it aborts all running exchanges. */
export type Http = AsyncDisposable & {
  /** One exchange: follows no redirect and retries nothing. Throws NetworkProblem, or the signal's reason. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
};
