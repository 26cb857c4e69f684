/** What a handler wants said; nothing is sent until the handler has returned. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is made piece by piece, as the client takes it; bytes are a file. */
  readonly body: string | Uint8Array | Iterable<string>;
  /** Whether the body may be compressed for a client that accepts it. */
  readonly compressible?: boolean;
};
