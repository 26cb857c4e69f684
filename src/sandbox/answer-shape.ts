/** The answer of a handler; it is sent after the handler has returned. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An iterable is generated as the client reads it; bytes are a file. */
  readonly body: string | Uint8Array | Iterable<string>;
  /** Whether the body may be compressed for a client that accepts it. */
  readonly compressible?: boolean;
};
