/** The same bytes until the signal is aborted; then its reason is thrown at once, also while the stream stands still. */
export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = body[Symbol.asyncIterator]();
  // One promise a piece: a race against one that lives as long as the stream would hold every piece in memory.
  let interrupt: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => interrupt(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const nextPiece = async (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      interrupt = reject;
      source.next().then(resolve, reject);
    });
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await nextPiece();
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not waited for: a stream that stands still would keep its own end waiting.
    if (!ended) void source.return?.().catch(() => undefined);
  }
}
